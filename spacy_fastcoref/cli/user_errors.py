"""Distinguish errors that users can fix from bugs, which need a traceback."""

import errno
from typing import Optional

from ..errors import is_ours

# spaCy's errors for a missing component (E001), language (E048), pipeline (E050), file
# in a pipeline's folder (E053) or setting (E1015).
_SPACY = ("[E001]", "[E048]", "[E050]", "[E053]", "[E1015]")
# The errors of a system that refuses to write, or whose disk is full.
_SYSTEM = frozenset(
    (errno.EACCES, errno.EDQUOT, errno.ENOSPC, errno.EPERM, errno.EROFS)
)


def describe_user_error(error: Exception) -> Optional[str]:
    """Get the message of an error that users can fix.

    error (Exception): The error.
    RETURNS (Optional[str]): The message; None for an error that may be a bug.
    """
    # str() of a KeyError returns the message as a Python literal, in quotes.
    is_quoted = isinstance(error, KeyError) and error.args
    message = str(error.args[0]) if is_quoted else str(error)
    if is_ours(error) or message.startswith(_SPACY):
        return message
    is_refused = isinstance(error, OSError) and error.errno in _SYSTEM
    return message if is_refused else None
