"""A small document in each format, with the same two clusters of two mentions."""

import json
import shutil
from pathlib import Path

FOLDER = Path(__file__).parent / "documents"
TEXT = "Ann saw Tom 😀. She saw his dog."
CLUSTERS = [["Ann", "She"], ["Tom", "his"]]
TEXT_LINE = {"text": TEXT, "clusters": [[[0, 3], [15, 18]], [[8, 11], [23, 26]]]}
FILES = {
    "conll": "a.conll",
    # With an empty node, a multiword token and a mention of two parts, whose head is in
    # the second one.
    "corefud": "a.conllu",
    "brackets": "a.brackets.txt",
    # It has a.txt beside it.
    "brat": "a.ann",
    "sacr": "a.sacr",
    # Offsets are those of JavaScript: the picture counts twice.
    "label-studio": "a.json",
    "prodigy": "a.prodigy.jsonl",
    "inception-tsv": "a.tsv",
    "inception-xmi": "a.xmi",
}
TEXTS = {name: (FOLDER / file).read_text("utf8") for name, file in FILES.items()}


def write_examples(folder):
    """Write a file of each format, and return their paths by the formats' names."""
    shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
    paths = {name: folder / file for name, file in FILES.items()}
    for name, file, text in (
        ("jsonl", "a.jsonl", json.dumps({"doc_key": "a", **TEXT_LINE}) + "\n"),
        ("text", "plain.txt", TEXT),
        ("lines", "lines.lines", f"{TEXT}\n\n{TEXT}\r\n"),
    ):
        paths[name] = folder / file
        paths[name].write_text(text, encoding="utf8", newline="")
    return paths
