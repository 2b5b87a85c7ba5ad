"""Find quotations by a language's quotation marks."""

from typing import List, NamedTuple

import numpy as np

from .lexicon import Lexicon

# The default marks, for a lexicon without quotation marks.
_OPEN, _CLOSE, _BOTH = "“ « ``", "” » ''", '"'


class QuotationMarks(NamedTuple):
    """Hold the quotation marks of a language.

    opening, closing (FrozenSet[str]): The marks that open and close a quotation. A mark
        in both, such as the straight mark, opens and closes quotations in turn.
    """

    opening: frozenset
    closing: frozenset


def get_marks(lexicon: Lexicon) -> QuotationMarks:
    """Get the quotation marks of a language.

    lexicon (Lexicon): The lexicon of the language.
    RETURNS (QuotationMarks): The marks of the lexicon, or the default marks.
    """
    marks = lexicon.quotes or {"open": _OPEN, "close": _CLOSE, "both": _BOTH}
    both = frozenset(marks.get("both", "").split())
    return QuotationMarks(
        frozenset(marks.get("open", "").split()) | both,
        frozenset(marks.get("close", "").split()) | both,
    )


def find_quotes(
    words: List[str], is_spaced: List[bool], marks: QuotationMarks
) -> np.ndarray:
    """Number the quotations of a text.

    The end of a paragraph closes a quotation without a closing mark.

    words (List[str]): The tokens.
    is_spaced (List[bool]): Whether a space follows each token. A straight mark directly
        after a digit means inches: 55".
    marks (QuotationMarks): The quotation marks of the language.
    RETURNS (numpy.ndarray): Shape (n_tokens,), int64, the number of the quotation,
        starting from 1; 0 outside of quotations.
    """
    if marks.opening.isdisjoint(words):
        return np.zeros(len(words), dtype=np.int64)
    quotes = []
    n_quotes = inside = 0
    last = ""
    for word, has_space in zip(words, is_spaced, strict=True):
        quotes.append(0)
        follows_digit, last = last[-1:].isdigit(), "" if has_space else word
        opens, closes = word in marks.opening, word in marks.closing
        if opens and closes:
            opens, closes = not inside and not follows_digit, bool(inside)
        closes |= bool(inside) and word.isspace() and word.count("\n") > 1
        if opens:
            n_quotes += 1
            inside = n_quotes
        elif closes:
            inside = 0
        else:
            quotes[-1] = inside
    return np.array(quotes, dtype=np.int64)
