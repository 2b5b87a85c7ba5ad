"""Compare `scale.annotate` on this machine with nlp.pipe in as many processes.

python benchmarks/ray_throughput.py FILE …

Files that end in .jsonl have documents. Other files have a text on each line, and may
be compressed as .gz. They are cut to documents of --words, and repeated if there are
fewer than --documents. Actors of one thread each annotate them from a Parquet file to a
folder, and as many processes of nlp.pipe; which of the two comes first alternates.

Words a second are those from the moment when a tenth of the documents is done to the
last one, so the start of processes and the loading of weights do not count. The last
row is what the driver does with each text beside reading it: it joins, checks and
digests the rows of blocks. No cluster gets faster than that. It is words a second of a
processor that does nothing else.
"""

import itertools
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

import common
import pyarrow as pa
from pyarrow import parquet
from spacy.language import Language

from spacy_fastcoref.scale import annotate
from spacy_fastcoref.scale.ray_source import connect, import_ray
from spacy_fastcoref.scale.tables import digest_texts, join_tables

# The documents that nlp.pipe gives to a process at once.
BATCH = 64
# The share of the documents that is done before the clock starts.
WARM = 0.1


def main() -> None:
    numbers = {"documents": 10_000, "words": 450, "actors": 2, "block": 100}
    parser = common.Parser(__doc__, files=common.input_file, rounds=1, **numbers)
    args = parser.parse_args()
    nlp = common.load_pipeline()
    cycle = itertools.cycle(common.read_pieces(nlp, args.files, args.words))
    pieces = list(itertools.islice(cycle, args.documents))
    if len(pieces) <= max(args.block, BATCH) * args.actors:
        raise ValueError("there are too few --documents for blocks of this size")
    texts = [" ".join(words) for words in pieces]
    n_words = sum(map(len, pieces))
    connect(None)
    timed = {"nlp.pipe": run_pipe, "scale.annotate": run_ray}
    speeds: Dict[str, List[float]] = {name: [] for name in timed}
    for i in range(args.rounds):
        for name in list(timed)[:: -1 if i % 2 else 1]:
            marks = timed[name](nlp, texts, args)
            speeds[name].append(measure_speed(marks, n_words))
    results: Dict[str, Any] = {
        name: sum(found) / len(found) for name, found in speeds.items()
    }
    results["ratio"] = results["scale.annotate"] / results["nlp.pipe"]
    results["driver alone"] = n_words / measure_driver(texts)
    common.print_table(("words/s", ""), [(k, f"{v:,.2f}") for k, v in results.items()])
    sizes = {"documents": len(texts), "words": n_words, "actors": args.actors}
    common.write_json(args.json, {**sizes, **results, "rounds": speeds})


def run_pipe(nlp: Language, texts: List[str], args: Any) -> List[Tuple[float, int]]:
    """Annotate texts by nlp.pipe: times, and the numbers of documents done by then."""
    docs = nlp.pipe(texts, batch_size=BATCH, n_process=args.actors)
    return [
        (time.time(), number)
        for number, _ in enumerate(docs, start=1)
        if number % BATCH == 0 or number == len(texts)
    ]


def run_ray(nlp: Language, texts: List[str], args: Any) -> List[Tuple[float, int]]:
    """Annotate texts by actors of Ray, from a file to a folder."""
    ray = import_ray()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.parquet"
        parquet.write_table(pa.table({"text": texts}), path)
        done = annotate(
            ray.data.read_parquet(str(path)),
            nlp,
            output=Path(folder) / "out",
            block_size=args.block,
            concurrency=args.actors,
        )
        if done.n_errors:
            raise ValueError(f"{done.n_errors} documents have an error")
        # Workers write these files, and the time of a file is kept when it is moved.
        files = []
        for file in done.folder.glob("rows-*"):
            _, start, stop = file.stem.split("-")
            files.append((file.stat().st_mtime, int(stop) - int(start)))
    times, sizes = zip(*sorted(files), strict=True)
    return list(zip(times, itertools.accumulate(sizes), strict=True))


def measure_speed(marks: Sequence[Tuple[float, int]], n_words: int) -> float:
    end, n_docs = marks[-1]
    begin, n_before = next(mark for mark in marks if mark[1] >= WARM * n_docs)
    return (n_docs - n_before) / n_docs * n_words / (end - begin)


def measure_driver(texts: List[str]) -> float:
    """Measure the seconds of what the driver does with texts, beside reading them."""
    table = pa.table({"text": texts})
    begin = time.process_time()
    rows = join_tables([table], "text", table.schema)
    digest_texts(rows, "text")
    return time.process_time() - begin


if __name__ == "__main__":
    common.run(main)
