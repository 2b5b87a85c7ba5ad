"""Tables of pairs of mentions and what grammar says of them."""

import csv
from pathlib import Path
from typing import List, NamedTuple, Tuple


class Case(NamedTuple):
    topic: str
    words: Tuple[str, ...]
    mentions: Tuple[Tuple[int, int], ...]
    verdict: int
    reason: str
    text: str


def read_cases(name) -> List[Case]:
    """Read a table whose texts have two mentions in brackets."""
    path = Path(__file__).parent / f"{name}.tsv"
    with open(path, encoding="utf8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Case(
            row["topic"],
            *read_brackets(row["text"]),
            int(row["verdict"]),
            row["reason"],
            row["text"],
        )
        for row in rows
    ]


def read_brackets(text):
    words, opened, mentions = [], [], []
    for word in text.split():
        while word.startswith("["):
            opened.append(len(words))
            word = word[1:]
        bare = word.rstrip("]")
        words.append(bare)
        for _ in range(len(word) - len(bare)):
            mentions.append((opened.pop(), len(words)))
    return tuple(words), tuple(sorted(mentions))
