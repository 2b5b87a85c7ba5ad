"""Read plain text, and write resolved text."""

from functools import partial
from typing import Iterator

from spacy.language import Language

from ..resolution.resolve import resolve_text
from .base import Document, Entry, Format, name_file
from .docs import make_doc, mark_doc
from .parsing import Lines, parse_lines, read_records


def read_text(path: str, nlp: Language) -> Iterator[Entry]:
    """Read a file as one document."""

    def make(lines: Lines) -> Document:
        doc = make_doc(nlp, "".join(lines))
        return mark_doc(doc, name_file(path), has_clusters=False)

    return read_records(path, make)


def read_lines(path: str, nlp: Language) -> Iterator[Entry]:
    """Read each line of a file as a document, except empty ones."""

    def make(line: str, number: int) -> Document:
        doc, key = make_doc(nlp, line.rstrip("\r\n")), f"{name_file(path)}-{number}"
        return mark_doc(doc, key, line=number, has_clusters=False)

    return parse_lines(path, make, "a text")


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
