"""Escape text for HTML and SVG."""

import html
import re

# What XML does not allow even as a reference, and HTML replaces or drops.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def escape(text: object) -> str:
    """Escape a text so that it is shown as it is, in an element or an attribute.

    Characters that no document may have are replaced with U+FFFD.
    """
    shown = _FORBIDDEN.sub("\ufffd", str(text))
    # Parsers turn a carriage return into a line feed, but not a reference to one.
    return html.escape(shown).replace("\r", "&#13;")


def shorten(text: str, length: int = 60) -> str:
    """Shorten a text to one line."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"
