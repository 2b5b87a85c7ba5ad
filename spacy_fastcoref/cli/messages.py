"""Print messages of the commands, each on one line."""

import contextlib
import sys
from typing import Iterator, Optional, TextIO

from wasabi import msg
from wasabi.util import color

# The icons for encodings without characters such as ✔.
_ASCII_ICONS = {"good": "[+]", "warn": "[!]", "fail": "[x]"}


def print_message(kind: str, message: object, file: Optional[TextIO] = None) -> None:
    """Print a message on one line, in colour on a terminal.

    wasabi's own functions would wrap the message after 80 columns.

    kind (str): The kind of message, which sets icon and colour: "good", "warn" or
        "fail".
    message (object): The message.
    file (Optional[TextIO]): The file to print to; None for standard output if `kind`
        is "good", else standard error.
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
def redirect_messages() -> Iterator[None]:
    """Redirect standard output to standard error, and print colour only on a terminal.

    spaCy prints its errors to standard output, and in colour even if that is a file.

    YIELDS (None): Nothing; within the context spaCy prints to standard error.
    """
    before = msg.show_color
    msg.show_color = before and sys.stderr.isatty()
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        msg.show_color = before
