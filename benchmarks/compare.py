"""Time pipelines beside each other, on the same texts and in the same process.

python benchmarks/compare.py [--words N] [--rounds N] [--with-rules] [--json FILE]
    FILE … --pipelines PIPELINE PIPELINE …

The files are read as by peer.py. The pipelines run in turn, every second round in
reverse order; how many times as long one takes as the first is the median over rounds,
given with the quarters of the rounds below and above.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any, Dict, List

import numpy as np
from peer import read_words
from pipelines import load_pipeline
from spacy.language import Language
from spacy.tokens import Doc
from wasabi import msg


def main() -> None:
    """Time the pipelines and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--pipelines", nargs="+", required=True)
    parser.add_argument("--words", type=int, default=450)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--with-rules", action="store_true")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    docs = [words for path in args.files for words in read_words(path, args.words)]
    pipelines = [load_pipeline(name) for name in args.pipelines]
    if not args.with_rules:
        for nlp in pipelines:
            nlp.get_pipe("fastcoref").rules = None
    seconds = measure(pipelines, docs, args.rounds)
    report = [
        describe(name, own, seconds[0], sum(map(len, docs)))
        for name, own in zip(args.pipelines, seconds, strict=True)
    ]
    print(f"{len(docs)} documents, {sum(map(len, docs))} words")
    msg.table([list(row.values()) for row in report], header=list(report[0]))
    if args.json:
        args.json.write_text(json.dumps(report, indent=1) + "\n")


def measure(
    pipelines: List[Language], docs: List[List[str]], n_rounds: int
) -> np.ndarray:
    """Time each pipeline's coreference, n_rounds times after a first one.

    RETURNS (numpy.ndarray): Shape (n_pipelines, n_rounds), in seconds.
    """
    seconds = np.zeros((len(pipelines), n_rounds + 1))
    for i in range(n_rounds + 1):
        order = list(enumerate(pipelines))
        for place, nlp in order if i % 2 else order[::-1]:
            made = [Doc(nlp.vocab, words=words) for words in docs]
            begin = time.perf_counter()
            list(nlp.get_pipe("fastcoref").pipe(made, batch_size=128))
            seconds[place, i] = time.perf_counter() - begin
    return seconds[:, 1:]


def describe(
    name: str, own: np.ndarray, first: np.ndarray, n_words: int
) -> Dict[str, Any]:
    """Write one pipeline's numbers down."""
    low, middle, high = np.percentile(own / first, (25, 50, 75)).round(2)
    return {
        "pipeline": name,
        "words/s": round(n_words / float(np.median(own))),
        "times as long": float(middle),
        "from": float(low),
        "to": float(high),
    }


if __name__ == "__main__":
    main()
