"""Read and write CoNLL-2012: a word a line, with clusters in the last column."""

import re
from typing import Dict, Iterator, List, Tuple

from spacy.language import Language

from ..errors import Errors
from ..types import Offsets
from .base import Collector, Document, Entry, Format, name_file
from .docs import (
    NO_SPEAKER,
    Visible,
    find_crossing,
    list_clusters,
    list_sentences,
    list_speakers,
    make_document_of_words,
)
from .parsing import LineError, open_lines

_HEADER = re.compile(r"\((.*)\)(?:; part (\d+))?")
# What separates columns, lines, and, in the header, the name from the part.
_BREAKS = re.compile(r"[\t\n\r]")
_SPACES = re.compile(r"\s")
_BRACKETS = re.compile(r"\((\w+)(\)?)|(\w+)\)")
_BEGIN, _END, _COMMENT = "#begin document", "#end document", "# "
# The columns of CoNLL-2012; other formats have fewer.
_WORD, _SPEAKER, _N_COLUMNS = 3, 9, 12


def make_conll_format() -> Format:
    """Make the format of the shared task CoNLL-2012 (Pradhan et al. 2012)."""
    return Format(
        name="conll",
        description="CoNLL-2012: a word a line, clusters in the last column",
        endings=(".conll", "_conll"),
        read=read,
        dump=dump,
    )


def read(path: str, nlp: Language) -> Iterator[Entry]:
    """Read the documents of a file; of other corpora as well, with fewer columns."""
    number = 1
    document = _Document(path, 1, number)
    with open_lines(path) as lines:
        for line_number, line in enumerate(lines, start=1):
            stripped = line.strip()
            if stripped.startswith((_BEGIN, _END)):
                for entry in document.finish(nlp):
                    yield entry
                    number += 1
                header = stripped if stripped.startswith(_BEGIN) else ""
                document = _Document(path, line_number + (not header), number, header)
            elif stripped:
                document.collect(line.rstrip("\r\n"), line_number)
            else:
                document.ends_sentence = True
    yield from document.finish(nlp)


class _Document(Collector):
    """Collect the words of one document."""

    def __init__(self, path: str, line: int, number: int, header: str = "") -> None:
        key = _read_key(header.removeprefix(_BEGIN).strip())
        super().__init__(path, line, key or f"{name_file(path)}-{number}")
        self.words: List[str] = []
        self.sent_starts: List[bool] = []
        self.speakers: List[str] = []
        self.clusters: Dict[str, List[Offsets]] = {}
        # The open brackets of each cluster, with their word and line.
        self.open: Dict[str, List[Tuple[int, int]]] = {}
        self.ends_sentence = True

    @property
    def has_words(self) -> bool:
        return bool(self.words)

    def add(self, line: str, number: int) -> None:
        # Not str.split(), which would split words at other white space: "5\xa0000".
        columns = line.split("\t")
        if len(columns) == 1:
            columns = [column for column in line.split(" ") if column]
        # The word of a line with two columns can be "#". A comment starts with "# ".
        is_word = len(columns) == 2 and not line.startswith(_COMMENT)
        if columns[0].startswith("#") and not is_word:
            return
        if len(columns) < 2:
            raise ValueError("one column, but at least two are needed")
        is_conll = len(columns) >= _N_COLUMNS
        # In other corpora, the word is in the first column or follows an index.
        word = _WORD if len(columns) > _WORD + 1 else int(len(columns) > 2)
        self.words.append(columns[word])
        self.speakers.append(columns[_SPEAKER] if is_conll else NO_SPEAKER)
        self.sent_starts.append(self.ends_sentence)
        self.ends_sentence = False
        self.read_brackets(columns[-1], number)

    def read_brackets(self, column: str, number: int) -> None:
        word = len(self.words) - 1
        for match in _BRACKETS.finditer(column):
            opened, closed_too, closed = match.groups()
            if opened is not None:
                self.open.setdefault(opened, []).append((word, number))
                self.clusters.setdefault(opened, [])
            if closed is not None or closed_too:
                name = closed if closed is not None else opened
                if not self.open.get(name):
                    raise ValueError(f"bracket {name}) was never opened")
                start, _ = self.open[name].pop()
                self.clusters[name].append((start, word + 1))

    def make_document(self, nlp: Language) -> Document:
        for name, brackets in self.open.items():
            for _, line in brackets:
                raise LineError(f"bracket ({name} is never closed", line)
        return make_document_of_words(
            nlp,
            self.key,
            self.words,
            self.sent_starts,
            [*self.clusters.values()],
            line=self.line,
            speakers=self.speakers,
        )


def _read_key(header: str) -> str:
    match = _HEADER.fullmatch(header)
    if match is None:
        return header
    name, part = match.groups()
    return f"{name}_{part}" if int(part or 0) else name


def dump(document: Document) -> bytes:
    """Write a document.

    document (Document): The document. Tokens of white space are left out.
    RETURNS (bytes): The lines.
    RAISES (ValueError): Two mentions of a cluster cross, so that their brackets could
        not be told apart.
    """
    doc = document.doc
    visible = Visible(doc)
    key = _SPACES.sub("_", document.key)
    key = f"_{key}" if key.startswith("#") else key or "_"
    column = _write_brackets(visible.move_clusters(list_clusters(doc)))
    speakers = list_speakers(doc) or [NO_SPEAKER] * len(doc)
    lines = [f"#begin document ({key}); part 000"]
    for start, end in visible.move(list_sentences(doc)):
        for i in range(start, end):
            token = visible.tokens[i]
            speaker = _SPACES.sub("_", speakers[token.i])
            word = _BREAKS.sub(" ", token.text)
            names = [key, "0", str(i - start), word, token.tag_ or "-", *"----"]
            lines.append("\t".join([*names, speaker, "*", column.get(i, "-")]))
        lines.append("")
    return "\n".join([*lines, "#end document", ""]).encode()


def _write_brackets(clusters: List[List[Offsets]]) -> Dict[int, str]:
    """Write the brackets of each token, such as "(0|(1)" where two mentions begin."""
    opened: Dict[int, List[str]] = {}
    closed: Dict[int, List[str]] = {}
    mentions = [(*mention, i) for i, c in enumerate(clusters) for mention in c]
    check_crossing(clusters, "conll")
    # Longer mentions are opened first.
    for start, end, i in sorted(mentions, key=lambda one: (one[0], -one[1])):
        if end - start == 1:
            opened.setdefault(start, []).append(f"({i})")
            continue
        opened.setdefault(start, []).append(f"({i}")
        # Those that were opened last are closed first.
        closed.setdefault(end - 1, []).insert(0, f"{i})")
    tokens = {*opened, *closed}
    return {t: "|".join([*opened.get(t, []), *closed.get(t, [])]) for t in tokens}


def check_crossing(clusters: List[List[Offsets]], name: str) -> None:
    """Check that no two mentions of the same cluster cross."""
    for cluster in clusters:
        for (start, end), (other_start, other_end) in find_crossing(cluster):
            reason = (
                f"two mentions of one cluster overlap without nesting: the words "
                f"{start} to {end - 1} and {other_start} to {other_end - 1}"
            )
            raise ValueError(Errors.FC162.format(name=name, reason=reason))
