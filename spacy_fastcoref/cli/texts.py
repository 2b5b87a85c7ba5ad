"""Read the text that a command gets as an argument, or by standard input."""

import sys
from typing import Optional

from ..errors import Errors
from ..formats.parsing import STDIN, check_text


def read_argument(text: Optional[str]) -> str:
    """Read a text.

    text (Optional[str]): The argument; None or "-" for standard input.
    RETURNS (str): The text.
    RAISES (ValueError): The text is not UTF-8.
    """
    is_stdin = text is None or text == STDIN
    name = "standard input" if is_stdin else "TEXT"
    try:
        text = sys.stdin.read() if text is None or is_stdin else text
        check_text(text)
    except ValueError as error:
        raise ValueError(Errors.FC080.format(path=name, reason=error)) from error
    return text
