"""Read plain text, and write resolved text."""

from functools import partial

from spacy.language import Language

from ..resolution.resolve import resolve_text
from .base import Document, Format, reader
from .docs import make_doc, mark_doc
from .parsing import Lines, parse_lines, read_records


@reader(read_records)
def read_text(lines: Lines, *, nlp: Language, name: str) -> Document:
    """Read a file as one document."""
    return mark_doc(make_doc(nlp, "".join(lines)), name, has_clusters=False)


@reader(parse_lines, "a text")
def read_lines(line: str, number: int, *, nlp: Language, name: str) -> Document:
    """Read each line of a file as a document, except empty ones."""
    doc, key = make_doc(nlp, line.rstrip("\r\n")), f"{name}-{number}"
    return mark_doc(doc, key, line=number, has_clusters=False)


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
