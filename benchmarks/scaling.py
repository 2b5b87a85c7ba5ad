"""Measure time and memory by the length and by the number of documents.

python benchmarks/scaling.py FILE …

Files that end in .jsonl have documents. Other files have a text on each line, and may
be compressed as .gz. The words are read from all files in turn, and again from the
start if they run out. Each length, and each number of documents of 450 words, runs in
its own process. Memory is the peak of the process, less the memory with the loaded
model.
"""

import argparse
import itertools
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, List

import common
import spacy
from spacy.tokens import Doc
from wasabi import msg

WORDS = 450
LENGTHS = (1_000, 3_000, 10_000, 30_000, 100_000, 200_000)
NUMBERS = (10, 100, 1_000, 10_000)


def main() -> None:
    parser = common.Parser(__doc__, files=common.input_file)
    parser.add_argument("--lengths", nargs="*", type=common.positive, default=LENGTHS)
    parser.add_argument("--numbers", nargs="*", type=common.positive, default=NUMBERS)
    parser.add_argument("--measure", nargs=2, type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        print(json.dumps(measure(args.files, *args.measure)))
        return
    sizes = [(1, length) for length in args.lengths]
    sizes += [(number, WORDS) for number in args.numbers]
    # Report unusable files before the first process starts.
    common.read_pieces(spacy.blank("en"), args.files, WORDS)
    results: List[Dict[str, Any]] = []
    for size in sizes:
        # A process for each size, so that its peak of memory is separate.
        script, *own = sys.argv
        command = [sys.executable, script, "--measure", *map(str, size), *own]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        if done.returncode:
            raise ValueError(f"measuring {size[0]} documents of {size[1]} words failed")
        results.append(json.loads(done.stdout))
        msg.text(", ".join(f"{value} {name}" for name, value in results[-1].items()))
        # Save after each size: all sizes together take a quarter of an hour.
        common.write_json(args.json, results)
    names = list(results[0])
    common.print_table(names, [[result[name] for name in names] for result in results])


def measure(files: List[Path], n_docs: int, n_words: int) -> Dict[str, Any]:
    nlp = common.load_pipeline()
    pipe = nlp.get_pipe("fastcoref")
    pieces = common.read_pieces(nlp, files, WORDS)
    words = itertools.cycle(itertools.chain.from_iterable(pieces))
    docs = [
        Doc(nlp.vocab, words=list(itertools.islice(words, n_words)))
        for _ in range(n_docs)
    ]
    warm = Doc(nlp.vocab, words=list(itertools.islice(words, WORDS)))
    list(pipe.pipe([warm.copy() for _ in range(4)]))
    before = read_peak()
    begin = time.perf_counter()
    for _ in pipe.pipe(docs):
        pass
    seconds = time.perf_counter() - begin
    return {
        "documents": n_docs,
        "words each": n_words,
        "seconds": round(seconds, 2),
        "words/s": round(n_docs * n_words / seconds),
        "MiB above the model": round(read_peak() - before),
        "clusters": sum(len(doc._.coref_clusters) for doc in docs),
    }


def read_peak() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


if __name__ == "__main__":
    common.run(main)
