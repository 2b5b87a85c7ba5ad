"""Read SACR's files, with mentions in braces: '{T1:EN="p PER" she}'."""

import re
from typing import Dict, Iterator, List, Tuple

from spacy.language import Language

from ..types import Offsets
from .base import Entry, Format, name_file
from .docs import make_doc, mark_doc
from .parsing import name_line, number_lines

# The beginning of a mention: the name of its entity, and properties with or without
# quotation marks.
_MARK = re.compile(r'\{([^\s:{}]+):((?:[^\s"{}]|"[^"]*")*)\s|\}|\{')
# "#title:…" and the like, before the text.
_SETTING = re.compile(r"#[A-Za-z_-]+:")


def make_sacr_format() -> Format:
    """Make the format of SACR (Oberle 2018)."""
    return Format(
        name="sacr",
        description="SACR: a text with mentions in braces",
        endings=(".sacr",),
        read=read,
    )


def read(path: str, nlp: Language) -> Iterator[Entry]:
    """Read a text and its mentions.

    RAISES (ValueError): The file is not UTF-8, or a brace is never closed or opened.
    """
    text = _MarkedText()
    for number, line in number_lines(path):
        with name_line(path, number):
            if not _SETTING.match(line):
                text.add(line, number)
    for _, name, number in text.open[-1:]:
        with name_line(path, number):
            raise ValueError(f"the brace of {name!r} is never closed")
    yield mark_doc(make_doc(nlp, text.text), name_file(path), text.clusters.values())


class _MarkedText:
    """Collect the lines of a text and its mentions."""

    def __init__(self) -> None:
        self.parts: List[str] = []
        self.length = 0
        self.clusters: Dict[str, List[Offsets]] = {}
        # The mentions that are open: the start, the entity and the line.
        self.open: List[Tuple[int, str, int]] = []

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def add(self, line: str, number: int) -> None:
        last = 0
        for mark in _MARK.finditer(line):
            self._append(line[last : mark.start()])
            last = mark.end()
            if mark.group(1):
                self.open.append((self.length, mark.group(1), number))
            elif mark.group() == "{":
                shown = line[mark.start() : mark.start() + 20]
                raise ValueError(f"no entity in {shown!r}")
            elif not self.open:
                shown = line[max(0, mark.start() - 20) : mark.end()]
                raise ValueError(f"the brace at the end of {shown!r} was never opened")
            else:
                start, name, _ = self.open.pop()
                self._close(start, name)
        self._append(line[last:])

    def _append(self, part: str) -> None:
        self.parts.append(part)
        self.length += len(part)

    def _close(self, start: int, name: str) -> None:
        """Add a mention without white space at its ends."""
        inside = self._get(start)
        stripped = inside.strip()
        if stripped:
            start += inside.index(stripped)
            mentions = self.clusters.setdefault(name, [])
            mentions.append((start, start + len(stripped)))

    def _get(self, start: int) -> str:
        """Get the text from an offset on, which is in one of the last parts."""
        length, parts = self.length, []
        for part in reversed(self.parts):
            if length <= start:
                break
            parts.append(part)
            length -= len(part)
        return "".join(reversed(parts))[start - length :]
