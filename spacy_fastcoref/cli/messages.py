"""Print messages of one line each; wasabi breaks its own after 80 columns."""

import sys
from typing import Optional, TextIO

from wasabi import msg
from wasabi.util import color, locale_escape


def print_message(kind: str, message: object, file: Optional[TextIO] = None) -> None:
    """Print a message as one line, in colour on a terminal.

    kind (str): Whose icon and colour it gets: "good", "warn" or "fail".
    message (object): The message.
    file (Optional[TextIO]): Where to print it; None for standard output if it is good,
        else standard error.
    """
    if file is None:
        file = sys.stdout if kind == "good" else sys.stderr
    text = " ".join(str(message).splitlines())
    line = locale_escape(f"{msg.icons[kind]} {text}")
    if msg.show_color and file.isatty():
        line = color(line, fg=msg.colors[kind])
    print(line, file=file)
