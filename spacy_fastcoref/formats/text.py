"""Read plain text, and write resolved text."""

from typing import Any, Dict, Iterator

from spacy.language import Language

from ..resolution.resolve import resolve_text
from .base import Document, Entry, Format, name_file
from .docs import make_doc, mark_doc
from .parsing import parse_lines, read_records

_UNMARKED: Dict[str, Any] = {"has_clusters": False}


def make_text_format() -> Format:
    """Make the format of plain text."""
    return Format(
        name="text",
        description="plain text: a file is a document",
        endings=(".txt",),
        read=read_text,
    )


def make_lines_format() -> Format:
    """Make the format of plain text with a document a line."""
    return Format(
        name="lines",
        description="plain text: a line is a document",
        read=read_lines,
    )


def make_resolved_format() -> Format:
    """Make the format of resolved text."""
    return Format(
        name="resolved",
        description="resolved text",
        endings=(".resolved.txt",),
        dump=dump_resolved,
    )


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
