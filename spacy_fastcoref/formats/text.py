"""Read plain text, and write resolved text."""

from typing import Iterator

from spacy.language import Language

from ..resolution.resolve import resolve_text
from .base import Document, Entry, Format, name_file
from .docs import make_doc, mark_doc
from .parsing import number_lines, parse_lines


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
    text = "".join(line for _, line in number_lines(path))
    yield mark_doc(make_doc(nlp, text), name_file(path), has_clusters=False)


def read_lines(path: str, nlp: Language) -> Iterator[Entry]:
    """Read each line of a file as a document, except empty ones."""

    def read(line: str, number: int) -> Document:
        doc = make_doc(nlp, line.rstrip("\r\n"))
        key = f"{name_file(path)}-{number}"
        return mark_doc(doc, key, line=number, has_clusters=False)

    return parse_lines(path, read, "a text")


def dump_resolved(document: Document) -> bytes:
    """Write the resolved text of a document."""
    return f"{resolve_text(document.doc)}\n".encode()
