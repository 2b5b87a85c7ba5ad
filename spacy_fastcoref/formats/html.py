"""Write documents as a page that shows their clusters."""

from ..visualizer import render
from .base import Document, Format

_END = "</main>"
# The key of a Doc's user data that the visualizer shows above a text.
_TITLE = "title"


def make_html_format() -> Format:
    """Make the format of pages for a browser."""
    begin, end, rest = str(render([], page=True, jupyter=False)).partition(_END)
    return Format(
        name="html",
        description="a page that shows the clusters of all documents",
        endings=(".html", ".htm"),
        dump=dump,
        header=begin.encode(),
        footer=f"{end}{rest}".encode(),
    )


def dump(document: Document) -> bytes:
    """Write the picture of a document, with its name above it."""
    doc = document.doc
    before = doc.user_data
    doc.user_data = {**before, _TITLE: before.get(_TITLE, document.key)}
    try:
        picture = str(render(doc, jupyter=False))
    finally:
        doc.user_data = before
    # The page has the style sheet once.
    style = str(render([], jupyter=False))
    return f"{picture.removeprefix(style)}\n".encode()
