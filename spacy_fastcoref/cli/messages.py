"""Print messages: one line each, on standard error unless they are good."""

import contextlib
import sys
from typing import Iterator, Optional, TextIO

from wasabi import msg
from wasabi.util import color

# For encodings that have no such characters as ✔.
_ASCII_ICONS = {"good": "[+]", "warn": "[!]", "fail": "[x]"}


def print_message(kind: str, message: object, file: Optional[TextIO] = None) -> None:
    """Print a message as one line, in colour if it is printed to a terminal.

    wasabi's own messages are wrapped after 80 columns.

    kind (str): The icon and the colour: "good", "warn" or "fail".
    message (object): The message.
    file (Optional[TextIO]): Where to print it; None for standard output if it is good,
        else standard error.
    """
    if file is None:
        file = sys.stdout if kind == "good" else sys.stderr
    encoding = file.encoding or "utf8"
    icon = msg.icons[kind]
    if icon.encode(encoding, "ignore").decode(encoding) != icon:
        icon = _ASCII_ICONS[kind]
    line = f"{icon} {' '.join(str(message).splitlines())}"
    # What was computed is worth more than how a path is written.
    line = line.encode(encoding, "backslashreplace").decode(encoding)
    if msg.show_color and file.isatty():
        line = color(line, fg=msg.colors[kind])
    print(line, file=file)


@contextlib.contextmanager
def redirect_messages() -> Iterator[None]:
    """Redirect what spaCy prints to standard error, without colour in a file.

    spaCy prints errors on standard output, and in colour even if that is a file.

    YIELDS (None): spaCy prints on standard error within the context.
    """
    before = msg.show_color
    msg.show_color = before and sys.stderr.isatty()
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        msg.show_color = before
