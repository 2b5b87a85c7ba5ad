"""Split a folder of CoNLL files: one novel of ten to test on, one to develop on."""

import sys
from pathlib import Path

import spacy

from spacy_fastcoref.formats.base import get_format

PARTS = {0: "test", 1: "dev"}


def main(source: Path, target: Path) -> None:
    """Write train.jsonl, dev.jsonl and test.jsonl.

    source (Path): The folder of CoNLL files.
    target (Path): The folder of the parts.
    """
    nlp = spacy.blank("en")
    paths = sorted(source.glob("*.conll"))
    read = get_format("conll", reads=True).read
    dump = get_format("jsonl", reads=False).dump
    parts = dict.fromkeys(("train", *PARTS.values()), b"")
    for number, path in enumerate(paths):
        for document in read(str(path), nlp):
            if isinstance(document, ValueError):
                raise document
            parts[PARTS.get(number % 10, "train")] += dump(document)
    for name, data in parts.items():
        (target / f"{name}.jsonl").write_bytes(data)
    print(f"{len(paths)} novels")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
