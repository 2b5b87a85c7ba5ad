"""Compare torch's default number of threads with one thread on a busy machine.

python benchmarks/threads.py [--words N …] [--rounds N] [--busy N] [--seconds N]
    [--json FILE] FILE …

Files that end in .jsonl have documents. Other files have a text on each line, and may
be compressed as .gz. The component predicts one text at a time, while --busy other
processes keep cores busy. Each setting runs in its own process, and the settings take
turns in each round. Each ratio is the median of the ratios within the rounds. The
setting "passive" is the default number of threads with OMP_WAIT_POLICY=PASSIVE.
"""

import argparse
import itertools
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from statistics import median
from typing import Dict, List

import common
import spacy
from spacy.tokens import Doc

WORDS = (10, 20, 40, 80, 450)
# For each setting: the number of threads, or "-" for the default, and environment
# variables.
SETTINGS: Dict[str, tuple] = {
    "one thread": ("1", {}),
    "default": ("-", {}),
    "passive": ("-", {"OMP_WAIT_POLICY": "PASSIVE"}),
}
BUSY = (sys.executable, "-c", "while True: pass")


def main() -> None:
    """Measure each length and print a table."""
    parser = common.Parser(__doc__)
    parser.add_argument("texts", nargs="+", type=common.input_file())
    parser.add_argument("--words", nargs="+", type=common.positive, default=WORDS)
    parser.add_argument("--rounds", type=common.positive, default=5)
    parser.add_argument("--busy", type=int, default=2)
    parser.add_argument("--seconds", type=common.duration, default=2)
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        answer(args)
        return
    # Report unusable files before the first process starts.
    common.read_pieces(spacy.blank("en"), args.texts, max(args.words))
    with ExitStack() as stack:
        processes = {name: start(name) for name in SETTINGS}
        for process in processes.values():
            stop_at_exit(stack, process)
        for process in processes.values():
            assert process.stdout is not None
            # It has loaded the weights; the end of a process is noticed by `ask`.
            process.stdout.readline()
        for _ in range(args.busy):
            stop_at_exit(stack, subprocess.Popen(BUSY))
        speeds: Dict[int, List[Dict[str, float]]] = {}
        for _, n_words in itertools.product(range(args.rounds), args.words):
            found = {name: ask(processes[name], n_words) for name in SETTINGS}
            speeds.setdefault(n_words, []).append(found)
    rows = {n_words: summarize(found) for n_words, found in speeds.items()}
    common.print_table(
        ["words", *next(iter(rows.values()))],
        [[n_words, *row.values()] for n_words, row in rows.items()],
    )
    common.write_json(args.json, {str(n_words): row for n_words, row in rows.items()})


def stop_at_exit(stack: ExitStack, process: subprocess.Popen) -> None:
    """Let a process end when the measuring ends."""
    stack.callback(process.wait)
    stack.callback(process.kill)


def start(name: str) -> subprocess.Popen:
    """Start a process that measures one setting on demand; see `ask`."""
    script, *args = sys.argv
    n_threads, variables = SETTINGS[name]
    return subprocess.Popen(
        [sys.executable, script, "--measure", n_threads, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **variables},
    )


def ask(process: subprocess.Popen, n_words: int) -> float:
    """Ask a process to measure documents of one length."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(f"{n_words}\n")
    process.stdin.flush()
    line = process.stdout.readline()
    if not line:
        raise ValueError(f"measuring documents of {n_words} words failed")
    return float(line)


def answer(args: argparse.Namespace) -> None:
    """Measure each length that standard input requests; see `ask`."""
    n_threads = None if args.measure == "-" else int(args.measure)
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe("fastcoref", config={"n_threads": n_threads})
    pieces = common.read_pieces(nlp, args.texts, max(args.words))
    words = itertools.cycle(itertools.chain.from_iterable(pieces))

    def make(n_words: int) -> Doc:
        return Doc(nlp.vocab, words=list(itertools.islice(words, n_words)))

    pipe(make(1))
    print("ready", flush=True)
    for line in sys.stdin:
        n_words = int(line)
        pipe(make(n_words))
        n_docs, begin = 0, time.perf_counter()
        while time.perf_counter() < begin + args.seconds:
            pipe(make(n_words))
            n_docs += 1
        print(n_docs / (time.perf_counter() - begin), flush=True)


def summarize(rounds: List[Dict[str, float]]) -> Dict[str, float]:
    """Take the medians of the rounds."""
    first, *others = SETTINGS
    row = {f"{name}: docs/s": median(r[name] for r in rounds) for name in SETTINGS}
    for name in others:
        row[f"{name} / {first}"] = median(r[name] / r[first] for r in rounds)
    return {name: round(value, 2) for name, value in row.items()}


if __name__ == "__main__":
    common.run(main)
