"""Errors that tell a user what is wrong, and are no bugs: they need no traceback."""

import errno
from typing import Optional

from ..errors import is_ours

# What spaCy says of a name that was typed: there is no such component (E001), language
# (E048) or pipeline (E050), or none in the folder (E053).
_SPACY = ("[E001]", "[E048]", "[E050]", "[E053]")
# What the machine refuses: to write there, or any more.
_MACHINE = frozenset(
    (errno.EACCES, errno.EDQUOT, errno.ENOSPC, errno.EPERM, errno.EROFS)
)


def describe_mistake(error: Exception) -> Optional[str]:
    """Get the message of an error that says by itself what is wrong and what to do.

    error (Exception): The error.
    RETURNS (Optional[str]): Its message; None for others, which may be bugs.
    """
    # str() would give a KeyError's message as Python source.
    is_quoted = isinstance(error, KeyError) and error.args
    message = str(error.args[0]) if is_quoted else str(error)
    if is_ours(error) or message.startswith(_SPACY):
        return message
    is_refused = isinstance(error, OSError) and error.errno in _MACHINE
    return message if is_refused else None
