"""Read SACR's files, with mentions in braces: '{T1:EN="p PER" she}'."""

import re
from functools import partial
from typing import Dict, List

from spacy.language import Language

from ..types import Offsets
from .base import Document, Format, reader
from .docs import make_doc, mark_doc
from .parsing import LineError, Lines, read_records, strip_marks

# The beginning of a mention: the name of its entity, and properties with or without
# quotation marks.
_MARK = re.compile(r'\{([^\s:{}]+):((?:[^\s"{}]|"[^"\n]*")*)\s|\}|\{')
# "#title:…" and the like, before the text.
_SETTING = re.compile(r"#[A-Za-z_-]+:")


@reader(read_records)
def read(lines: Lines, *, nlp: Language, name: str) -> Document:
    """Read a text and its mentions."""
    kept = [(lines.number, line) for line in lines if not _SETTING.match(line)]
    try:
        text, marks = strip_marks("".join(line for _, line in kept), _MARK, "brace")
    except LineError as error:
        raise LineError(str(error), kept[error.line - 1][0]) from error
    clusters: Dict[str, List[Offsets]] = {}
    for start, end, entity in marks:
        inside = text[start:end].lstrip()
        start = end - len(inside)
        if inside:
            mention = start, start + len(inside.rstrip())
            clusters.setdefault(entity, []).append(mention)
    return mark_doc(make_doc(nlp, text), name, clusters.values())


make_sacr_format = partial(
    Format, "sacr", "SACR: a text with mentions in braces", (".sacr",), read
)
