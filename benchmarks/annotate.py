"""Compare `coref annotate` with nlp.pipe over the same texts, and measure its memory.

python benchmarks/annotate.py [--documents N] [--words N] [--blocks N] [--to FORMAT]
    [--model PIPELINE] [--json FILE] FILE …

Files that end in .jsonl have documents. Other files have a text on each line, and may
be compressed as .gz. They are cut to documents of --words, and repeated if there are
fewer than --documents. The documents are annotated in blocks, each by nlp.pipe, whose
Docs are dropped, and by the command, from a file to a file; which of the two comes
first alternates. The ratio is that of all seconds; on a busy machine, the ratio of the
seconds for which the cores worked says more. Memory is the process's own after each
block, as the system counts it.
"""

import gc
import itertools
import json
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any, Callable, Dict, List, Tuple

import common
from spacy.language import Language

from spacy_fastcoref.cli.annotate import annotate_files
from spacy_fastcoref.formats.base import find_inputs, get_format
from spacy_fastcoref.formats.output import Output

# The memory of this process, where the system has the file.
_STATUS = Path("/proc/self/status")


def main() -> None:
    """Measure, print a table and write the results."""
    parser = common.Parser(__doc__)
    parser.add_argument("texts", nargs="+", type=common.input_file())
    parser.add_argument("--documents", type=common.positive, default=5000)
    parser.add_argument("--words", type=common.positive, default=200)
    parser.add_argument("--blocks", type=common.positive, default=10)
    parser.add_argument("--to", default="jsonl")
    parser.add_argument("--model")
    args = parser.parse_args()
    nlp = common.load_pipeline(args.model)
    pieces = common.read_pieces(nlp, args.texts, args.words)
    cycle = itertools.islice(itertools.cycle(pieces), args.documents)
    texts = [" ".join(words) for words in cycle]
    # The first document loads the weights.
    nlp(texts[0])
    rows = measure(nlp, texts, args.blocks, args.to)
    seconds = {name: sum(row[name] for row in rows) for name in rows[0]}
    results: Dict[str, Any] = {
        "documents": len(texts),
        "words": sum(map(len, map(str.split, texts))),
        "nlp.pipe, seconds": seconds["pipe"],
        "annotate, seconds": seconds["annotate"],
        "nlp.pipe, seconds of cores": seconds["pipe, cores"],
        "annotate, seconds of cores": seconds["annotate, cores"],
        "ratio of cores": seconds["annotate, cores"] / seconds["pipe, cores"],
        "ratio": seconds["annotate"] / seconds["pipe"],
        "ratio, median of blocks": median(r["annotate"] / r["pipe"] for r in rows),
        "MiB after the first block": rows[0]["MiB"],
        "MiB after the last block": rows[-1]["MiB"],
    }
    shown = [(name, f"{value:,.2f}") for name, value in results.items()]
    common.print_table(("", "value"), shown)
    common.write_json(args.json, {**results, "blocks": rows})


def measure(
    nlp: Language, texts: List[str], n_blocks: int, to: str
) -> List[Dict[str, float]]:
    """Measure all blocks."""
    rows = []
    size = -(-len(texts) // n_blocks)
    for i, start in enumerate(range(0, len(texts), size)):
        block = texts[start : start + size]
        timed: List[Tuple[str, Callable]] = [("pipe", run_pipe), ("annotate", command)]
        row = {}
        for name, function in timed if i % 2 else reversed(timed):
            worked = time.process_time()
            row[name] = function(nlp, block, to)
            row[f"{name}, cores"] = time.process_time() - worked
            gc.collect()
        row["MiB"] = read_memory()
        rows.append(row)
    return rows


def run_pipe(nlp: Language, texts: List[str], to: str) -> float:
    """Annotate texts by nlp.pipe."""
    begin = time.perf_counter()
    for _ in nlp.pipe(texts, batch_size=64):
        pass
    return time.perf_counter() - begin


def command(nlp: Language, texts: List[str], to: str) -> float:
    """Annotate texts by the command, from a file to a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.jsonl"
        lines = (
            json.dumps({"doc_key": str(i), "text": t}) for i, t in enumerate(texts)
        )
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf8")
        begin = time.perf_counter()
        output = Output(f"{folder}/out", get_format(to, reads=False), {})
        annotate_files(nlp, find_inputs([str(path)]), output)
        return time.perf_counter() - begin


def read_memory() -> float:
    """Read the memory of this process."""
    if not _STATUS.exists():
        return 0.0
    lines = _STATUS.read_text().splitlines()
    (resident,) = (line.split()[1] for line in lines if line.startswith("VmRSS:"))
    return int(resident) / 1024


if __name__ == "__main__":
    common.run(main)
