"""Fill the templates of pictures. All text in them is escaped."""

import re
from pathlib import Path
from typing import Any

import markupsafe
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from .palette import get_classes

# What XML does not allow even as a reference, and HTML replaces or drops.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def escape(value: Any) -> Any:
    """Escape a text so that it is shown as it is, in an element or an attribute, with
    U+FFFD for characters that no document may have; leave markup and numbers."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    shown = markupsafe.escape(_FORBIDDEN.sub("\ufffd", value))
    # Parsers turn a carriage return into a line feed, but not a reference to one.
    return shown.replace("\r", Markup("&#13;")) if "\r" in shown else shown


_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    undefined=StrictUndefined,
    autoescape=True,
    finalize=escape,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.globals.update(get_classes=get_classes)


def fill(name: str, **values: Any) -> str:
    """Fill a template of this folder."""
    return _TEMPLATES.get_template(name).render(values)
