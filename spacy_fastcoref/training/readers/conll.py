"""Read CoNLL-2012 files, with one word per line and clusters in the last column."""

import re
from pathlib import Path
from typing import Dict, Iterator, List, Tuple, Union

from ...errors import Errors
from .parsing import check_text, open_lines
from .records import NO_SPEAKER, Record

_BRACKETS = re.compile(r"\((\w+)(\)?)|(\w+)\)")
_BEGIN = "#begin document"
_END = "#end document"
_COMMENT = "# "
# The columns of CoNLL-2012; other formats have fewer.
_WORD, _SPEAKER, _N_COLUMNS = 3, 9, 12


def read_conll(path: Union[str, Path]) -> Iterator[Union[Record, ValueError]]:
    """Read and check the documents of a CoNLL-2012 file.

    path (Union[str, Path]): The file.
    YIELDS (Union[Record, ValueError]): Each document, or an error that names the file
        and the line.
    """
    for record in parse_conll(path):
        if isinstance(record, Record):
            try:
                record.check()
            except ValueError as error:
                yield error
                continue
        yield record


def parse_conll(path: Union[str, Path]) -> Iterator[Union[Record, ValueError]]:
    """Read the documents of a CoNLL-2012 file without further checks.

    path (Union[str, Path]): The file.
    YIELDS (Union[Record, ValueError]): Each document, whose clusters can contain a
        mention twice, or an error in its lines or brackets.
    """
    document = _Document(str(path), 1)
    with open_lines(path) as lines:
        for number, line in enumerate(lines, start=1):
            stripped = line.strip()
            if stripped.startswith((_BEGIN, _END)):
                if not document.is_empty:
                    yield document.finish()
                if stripped.startswith(_BEGIN):
                    document = _Document(str(path), number, stripped)
                else:
                    document = _Document(str(path), number + 1)
            elif stripped:
                document.add(line.rstrip("\r\n"), number)
            else:
                document.ends_sentence = True
    if not document.is_empty:
        yield document.finish()


class _Document:
    """Collect the lines of one document."""

    def __init__(self, path: str, line: int, header: str = "") -> None:
        self.path, self.line = path, line
        self.key = header.removeprefix(_BEGIN).strip()
        self.words: List[str] = []
        self.sent_starts: List[bool] = []
        self.speakers: List[str] = []
        self.clusters: Dict[str, List[Tuple[int, int]]] = {}
        # The open brackets of each cluster, with their word and line.
        self.open: Dict[str, List[Tuple[int, int]]] = {}
        self.error: List[ValueError] = []
        self.ends_sentence = True

    @property
    def is_empty(self) -> bool:
        return not self.words and not self.error

    def add(self, line: str, number: int) -> None:
        # Not str.split(), which would split words at other white space: "5\xa0000".
        columns = line.split("\t")
        if len(columns) == 1:
            columns = [column for column in line.split(" ") if column]
        # The word of a line with two columns can be "#". A comment starts with "# ".
        is_word = len(columns) == 2 and not line.startswith(_COMMENT)
        if columns[0].startswith("#") and not is_word:
            return
        try:
            check_text(line)
        except ValueError as error:
            self.fail(number, str(error))
        if len(columns) < 2:
            self.fail(number, "one column, but at least two are needed")
            return
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
                    self.fail(number, f"bracket {name}) was never opened")
                    continue
                start, _ = self.open[name].pop()
                self.clusters[name].append((start, word + 1))

    def fail(self, number: int, reason: str) -> None:
        message = Errors.FC051.format(path=self.path, line=number, reason=reason)
        self.error.append(ValueError(message))

    def finish(self) -> Union[Record, ValueError]:
        for name, brackets in self.open.items():
            for _, number in brackets:
                self.fail(number, f"bracket ({name} is never closed")
        if self.error:
            return self.error[0]
        return Record(
            self.words,
            self.sent_starts,
            self.speakers,
            list(self.clusters.values()),
            self.path,
            self.line,
            self.key,
        )
