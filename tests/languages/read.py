"""Read the sentences of tests: in CoNLL-U, and texts with mentions in brackets."""

import csv
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

from spacy.tokens import Doc

from ..conftest import blank

FOLDER = Path(__file__).parent


VOCABS = {lang: blank(lang).vocab for lang in ("de", "en", "fr", "nl", "pl")}


class Sentence(NamedTuple):
    """A sentence of a `sentences.conllu`, its annotation and what comments ask.

    Comments are `# question = 1-2 | 4 | 2`, with the earlier mention, the later one and
    the verdict ("possible" for 1 or 2) or a rule that objects ("not RULE" for one that
    doesn't); `# anaphors`, `# not anaphors` and `# all anaphors`, with words;
    `# agreement = 1 | ft`, of a mention; `# chains`, a line each; `# resolved`. Words
    are counted from 1, as in CoNLL-U, but from 0 in chains.
    """

    lang: str
    columns: Dict[str, list]
    notes: Dict[str, List[str]]

    def make_doc(self, *left_out):
        kept = {k: v for k, v in self.columns.items() if k not in left_out}
        return Doc(VOCABS[self.lang], **kept)

    def list_tokens(self, note):
        return {int(i) - 1 for line in self.notes[note] for i in line.split()}


def read_sentences() -> List[Sentence]:
    found = []
    for path in sorted(FOLDER.glob("*/sentences.conllu")):
        for block in path.read_text(encoding="utf8").split("\n\n"):
            lines, notes = block.strip().split("\n"), {}
            for line in lines:
                if line.startswith("# "):
                    name, _, value = line[2:].partition(" =")
                    notes.setdefault(name, []).append(value.strip())
            rows = [line.split("\t") for line in lines if not line.startswith("#")]
            found.append(Sentence(path.parent.name, _read_columns(rows), notes))
    return found


def _read_columns(rows):
    ids, words, *texts, heads, deps, _, misc = zip(*rows, strict=True)
    lemmas, pos, tags, morphs = (["" if x == "_" else x for x in xs] for xs in texts)
    ents = [one.rpartition("Ent=")[2] if "Ent=" in one else "O" for one in misc]
    columns = {"words": [*words], "lemmas": lemmas, "pos": pos, "tags": tags}
    columns |= {"morphs": morphs, "ents": ents}
    columns["spaces"] = ["SpaceAfter=No" not in one for one in misc]
    if "_" not in heads:
        places = zip(map(int, heads), map(int, ids), strict=True)
        columns["heads"] = [(head or i) - 1 for head, i in places]
        columns["deps"] = [*deps]
    return columns


def read_span(text):
    """Read the first word and the last one, "1-2", as token offsets."""
    start, _, end = text.strip().partition("-")
    return int(start) - 1, int(end or start)


def read_table(path) -> List[Dict[str, str]]:
    """Read a table of texts."""
    with open(FOLDER / path, encoding="utf8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


class Case(NamedTuple):
    words: Tuple[str, ...]
    mentions: Tuple[Tuple[int, int], ...]
    verdict: int
    text: str


def read_cases(name) -> List[Case]:
    """Read a table of English texts that have two mentions in brackets."""
    return [
        Case(*read_brackets(row["text"]), int(row["verdict"]), row["text"])
        for row in read_table(f"en/cases/{name}.tsv")
    ]


def read_brackets(text) -> Tuple[Tuple[str, ...], Tuple[Tuple[int, int], ...]]:
    """Read words, and token offsets of the mentions in brackets."""
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
