"""English: who is greeted, and so is not who writes."""

import numpy as np

from ...rules.agreement import SEVERAL
from ...rules.facts import FIRST, Facts
from ..word_index import is_sign

_GREETINGS = frozenset(("dear", "hello", "hey", "hi"))
_COMMA = frozenset((",",))


def are_writer_and_reader(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find "I" after the greeting of a name: "Hi Anna, I am writing because".

    Up to the next greeting, after which another one may write, and in the same
    quotation.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    words, starts = facts.words, facts.starts
    is_mark = words.map(is_sign) > 0
    # Not "my dear Anna".
    is_greeting = words.find(_GREETINGS) & np.append(True, is_mark[:-1])
    found = np.zeros(len(later), dtype=bool)
    if not is_greeting.any():
        return found
    is_reader = np.append(False, is_greeting)[starts]
    # "Hello, Anna!", other than "Hi, Anna here".
    is_comma = words.find(_COMMA) & np.append(False, is_greeting[:-1])
    is_reader |= (
        np.append(False, is_comma)[starts] & np.append(is_mark, True)[facts.ends]
    )
    is_reader &= facts.is_name
    is_writer = (facts.person == FIRST) & ((facts.agreement & SEVERAL) == 0)
    letters = np.cumsum(is_greeting)[starts]
    quotes, speakers = facts.speech.quotes[starts], facts.speech.speakers[starts]
    for one, other in ((later, earlier), (earlier, later)):
        found |= is_reader[one] & is_writer[other]
    for field in (letters, quotes, speakers):
        found &= field[later] == field[earlier]
    return found
