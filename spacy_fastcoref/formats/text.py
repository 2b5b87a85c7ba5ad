"""Read plain text, and write resolved text."""

from functools import partial
from typing import Any, Dict, Iterator

from spacy.language import Language

from ..resolution.resolve import resolve_text
from .base import Document, Entry, Format, name_file
from .docs import make_doc, mark_doc
from .parsing import parse_lines, read_records

_UNMARKED: Dict[str, Any] = {"has_clusters": False}


def read_text(path: str, nlp: Language) -> Iterator[Entry]:
    """Read a file as one document."""
    key = name_file(path)
    return read_records(
        path, lambda lines: mark_doc(make_doc(nlp, "".join(lines)), key, **_UNMARKED)
    )


def read_lines(path: str, nlp: Language) -> Iterator[Entry]:
    """Read each line of a file as a document, except empty ones."""

    def read(line: str, number: int) -> Document:
        doc = make_doc(nlp, line.rstrip("\r\n"))
        return mark_doc(doc, f"{name_file(path)}-{number}", line=number, **_UNMARKED)

    return parse_lines(path, read, "a text")


def dump_resolved(document: Document) -> bytes:
    """Write the resolved text of a document."""
    return f"{resolve_text(document.doc)}\n".encode()


make_text_format = partial(
    Format, "text", "plain text: a file is a document", (".txt",), read_text
)
make_lines_format = partial(
    Format, "lines", "plain text: a line is a document", read=read_lines
)
make_resolved_format = partial(
    Format, "resolved", "resolved text", (".resolved.txt",), dump=dump_resolved
)
