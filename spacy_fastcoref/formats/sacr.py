"""Read SACR's files, with mentions in braces: '{T1:EN="p PER" she}'."""

import re
from typing import Dict, Iterator, List

from spacy.language import Language

from ..types import Offsets
from .base import Entry, Format, name_file
from .docs import make_doc, mark_doc
from .parsing import LineError, name_line, number_lines, strip_marks

# The beginning of a mention: the name of its entity, and properties with or without
# quotation marks.
_MARK = re.compile(r'\{([^\s:{}]+):((?:[^\s"{}]|"[^"\n]*")*)\s|\}|\{')
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
    kept = [pair for pair in number_lines(path) if not _SETTING.match(pair[1])]
    try:
        text, marks = strip_marks("".join(line for _, line in kept), _MARK, "brace")
    except LineError as error:
        with name_line(path, kept[error.line - 1][0]):
            raise
    clusters: Dict[str, List[Offsets]] = {}
    for start, end, name in marks:
        inside = text[start:end]
        start += len(inside) - len(inside.lstrip())
        if inside.strip():
            clusters.setdefault(name, []).append((start, start + len(inside.strip())))
    yield mark_doc(make_doc(nlp, text), name_file(path), clusters.values())
