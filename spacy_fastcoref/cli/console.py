"""Read what a command gets and print what it says, each message on one line."""

import contextlib
import errno
import os
import sys
import warnings
from pathlib import Path
from typing import Any, Iterator, Optional, TextIO

from wasabi import msg
from wasabi.util import color

from ..errors import Errors, is_ours
from ..formats.parsing import STDIN, check_text

# The icons for encodings without characters such as ✔.
_ASCII_ICONS = {"good": "[+]", "warn": "[!]", "fail": "[x]"}
# spaCy's errors for a missing component (E001), language (E048), pipeline (E050; E941
# for a language's code), file in a pipeline's folder (E053) or setting (E1015).
_SPACY = ("[E001]", "[E048]", "[E050]", "[E053]", "[E941]", "[E1015]")
# The errors of a system that refuses to write, or whose disk is full.
_SYSTEM = frozenset(
    (errno.EACCES, errno.EDQUOT, errno.ENOSPC, errno.EPERM, errno.EROFS)
)
USAGE = 2
_MAX_NAME = 255


def print_message(kind: str, message: object, file: Optional[TextIO] = None) -> None:
    """Print a message ("good", "warn", "fail") on one line, in colour on a terminal.

    wasabi's own functions would wrap the message after 80 columns.
    """
    if file is None:
        file = sys.stdout if kind == "good" else sys.stderr
    encoding = file.encoding or "utf8"
    icon = msg.icons[kind]
    if icon.encode(encoding, "ignore").decode(encoding) != icon:
        icon = _ASCII_ICONS[kind]
    line = f"{icon} {' '.join(str(message).splitlines())}"
    # A path may have characters that the encoding lacks. Escape them, since an error
    # here would end a command after all its work.
    line = line.encode(encoding, "backslashreplace").decode(encoding)
    if msg.show_color and file.isatty():
        line = color(line, fg=msg.colors[kind])
    print(line, file=file)


@contextlib.contextmanager
def show_warnings() -> Iterator[None]:
    """Print this package's warnings within the context on one line each."""
    with warnings.catch_warnings():
        show = warnings.showwarning

        def print_warning(message: Any, *args: Any, **kwargs: Any) -> None:
            if is_ours(message):
                print_message("warn", message)
            else:
                show(message, *args, **kwargs)

        warnings.showwarning = print_warning
        yield


@contextlib.contextmanager
def redirect_messages() -> Iterator[None]:
    """Redirect standard output to standard error, and print colour only on a terminal.

    spaCy prints its errors to standard output, and in colour even if that is a file.
    """
    before = msg.show_color
    msg.show_color = before and sys.stderr.isatty()
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        msg.show_color = before


@contextlib.contextmanager
def show_usage_errors() -> Iterator[None]:
    """Print an error in the arguments of a command, and exit with code 2."""
    try:
        yield
    except ValueError as error:
        print_message("fail", error)
        sys.exit(USAGE)


def read_argument(text: Optional[str]) -> str:
    """Read a text, or a file of that name; None or "-" is standard input."""
    name = "TEXT"
    try:
        if text is None or text == STDIN:
            name = "standard input"
            text = sys.stdin.read()
        # A text may be no name of a file.
        elif len(text) < _MAX_NAME and "\0" not in text and os.path.isfile(text):
            name = text
            print_message("warn", f"Reading the file {name}")
            text = Path(name).read_text(encoding="utf-8-sig")
        check_text(text)
    except ValueError as error:
        raise ValueError(Errors.FC052.format(path=name, reason=error)) from error
    return text


def describe_user_error(error: Exception) -> Optional[str]:
    """Get the message of an error that users can fix."""
    # str() of a KeyError returns the message as a Python literal, in quotes.
    is_quoted = isinstance(error, KeyError) and error.args
    message = str(error.args[0]) if is_quoted else str(error)
    if is_ours(error) or message.startswith(_SPACY):
        return message
    is_refused = isinstance(error, OSError) and error.errno in _SYSTEM
    return message if is_refused else None
