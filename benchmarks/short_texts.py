"""Measure short texts: words per second of many, and the time of one.

python benchmarks/short_texts.py [--words N] [--texts N] [--against FOLDER]
    [--rounds N] [--json FILE] FILE …

Files that end in .jsonl have documents, other files have a text on each line. Both are
cut into texts of --words words. FOLDER is another checkout of this repository; the two
are measured in turns. Every measurement is in a process of its own, with one thread,
and counts the seconds of the processor, which other programs don't take.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Dict, List

import spacy
from common import (
    Parser,
    input_file,
    output_file,
    positive,
    print_table,
    read_pieces,
    run,
    write_json,
)
from spacy.language import Language

HERE = Path(__file__).parent.parent
# The number of texts that are answered one by one.
N_ALONE = 100


def main() -> None:
    """Measure one or two checkouts and print a table."""
    parser = Parser(__doc__)
    parser.add_argument("files", nargs="+", type=input_file())
    parser.add_argument("--words", type=positive, default=10)
    parser.add_argument("--texts", type=positive, default=2000)
    parser.add_argument("--against", type=checkout)
    parser.add_argument("--rounds", type=positive, default=5)
    parser.add_argument("--json", type=output_file())
    # What each process does.
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    nlp = spacy.blank("en")
    pieces = read_pieces(nlp, args.files, args.words)
    texts = [" ".join(words) for words in pieces if len(words) == args.words]
    if not texts:
        raise ValueError(f"{args.files[0]} has no text of {args.words} words")
    texts = texts[: args.texts]
    if args.once:
        print(json.dumps(measure(nlp, texts)))
        return
    folders = [HERE] if args.against is None else [HERE, args.against]
    rounds = [[*map(measure_checkout, folders)] for _ in range(args.rounds)]
    medians = [
        {key: median(one[key] for one in runs) for key in runs[0]}
        for runs in zip(*rounds, strict=True)
    ]
    rows = [
        [folder.name, *(f"{value:.2f}" for value in one.values())]
        for folder, one in zip(folders, medians, strict=True)
    ]
    print_table(
        ["checkout", "words/s", "ms a text", "in the encoder", "ms alone"], rows
    )
    if args.against is not None:
        ours, others = (list(one.values()) for one in medians)
        print(f"{ours[0] / others[0]:.2f} times the words/s")
        print(f"{ours[-1] / others[-1]:.2f} times the time of a text alone")
    print(f"{len(texts)} texts of {args.words} words, {args.rounds} rounds")
    write_json(args.json, dict(zip(("here", "against"), medians, strict=False)))


def checkout(value: str) -> Path:
    """Check an argument: a folder with this package.

    value (str): The argument.
    RETURNS (Path): The folder.
    """
    path = Path(value).resolve()
    if not (path / "spacy_fastcoref" / "__init__.py").is_file():
        raise argparse.ArgumentTypeError(f"{value!r} is no checkout of this package")
    return path


def measure_checkout(folder: Path) -> Dict[str, float]:
    """Measure a checkout in a process of its own.

    folder (Path): The checkout.
    RETURNS (Dict[str, float]): See measure.
    RAISES (ValueError): The process has failed.
    """
    env = {**os.environ, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(Path(__file__).resolve()), "--once", *sys.argv[1:]]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"{folder}: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout.splitlines()[-1])


def measure(nlp: Language, texts: List[str]) -> Dict[str, float]:
    """Measure texts in one stream, and one by one.

    nlp (Language): An empty pipeline.
    texts (List[str]): The texts.
    RETURNS (Dict[str, float]): The words per second of the component, and its
        milliseconds for each text: in a stream, of the encoder in this stream, and for
        a text alone.
    """
    pipe = nlp.add_pipe("fastcoref", config={"n_threads": 1, "device": "cpu"})
    # The first pass loads the weights and compiles kernels for the shapes of the texts.
    list(pipe.pipe(map(nlp.make_doc, texts), batch_size=nlp.batch_size))
    encoder = pipe.model.shims[0].get_network()[0].encoder.transformer
    times: List[float] = []
    encoder.register_forward_pre_hook(lambda *_: times.append(-time.process_time()))
    encoder.register_forward_hook(lambda *_: times.append(time.process_time()))
    docs = [nlp.make_doc(text) for text in texts]
    n_words = sum(map(len, docs))
    begin = time.process_time()
    list(pipe.pipe(docs, batch_size=nlp.batch_size))
    seconds, in_encoder = time.process_time() - begin, sum(times)
    docs = [nlp.make_doc(text) for text in texts[:N_ALONE]]
    begin = time.process_time()
    for doc in docs:
        pipe(doc)
    alone = (time.process_time() - begin) / len(docs)
    return {
        "words_per_second": n_words / seconds,
        "ms_per_text": 1e3 * seconds / len(texts),
        "ms_in_encoder": 1e3 * in_encoder / len(texts),
        "ms_alone": 1e3 * alone,
    }


if __name__ == "__main__":
    run(main)
