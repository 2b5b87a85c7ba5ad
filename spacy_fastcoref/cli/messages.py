"""Messages of one line each: wasabi breaks its own after 80 columns."""

from wasabi import msg
from wasabi.util import color, locale_escape


def print_message(kind: str, message: object) -> None:
    """Print a message as one line, however long, so that it can be searched for.

    kind (str): Whose icon and colour it gets: "fail" or "warn".
    message (object): The message.
    """
    text = " ".join(str(message).splitlines())
    line = locale_escape(f"{msg.icons[kind]} {text}")
    print(color(line, fg=msg.colors[kind]) if msg.show_color else line)
