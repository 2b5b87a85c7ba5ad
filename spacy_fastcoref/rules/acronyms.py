"""What is short for a name: "US", "U.N.", "WHO"."""

import re

import numpy as np

from ..languages.lexicon import get_lexicon
from ..languages.parse import Parse
from ..languages.word_index import WordIndex

_ABBREVIATION = re.compile(r"(?:[A-Z]\.?){2,5}")


def find_abbreviations(words: WordIndex) -> np.ndarray:
    """Find words that are capitals alone, other than in a line of capitals.

    words (WordIndex): The document's words.
    RETURNS (numpy.ndarray): Shape (n_tokens,), int64, the same number for the same two
        letters at the start, 0 for what is none.
    """
    is_loud = words.cased.map(_is_loud) > 0
    is_beside = np.append(False, is_loud[:-1]) | np.append(is_loud[1:], False)
    return np.where(is_beside, 0, words.cased.map(_number_abbreviation))


def find_acronyms(parse: Parse, words: WordIndex, lang: str) -> np.ndarray:
    """Find what is short for a name and looks like a pronoun: "the US".

    parse (Parse): The document's annotation.
    words (WordIndex): Its words.
    lang (str): The language's code.
    RETURNS (numpy.ndarray): Shape (n_tokens,), bool: by the tag, or by capitals where
        there is none.
    """
    found = words.find(get_lexicon(lang).acronyms)
    if parse.has_pos:
        return found & parse.is_pos("PROPN")
    found &= words.cased.map(_is_loud) > 0
    # Most documents have none.
    return found & (find_abbreviations(words) > 0) if found.any() else found


def _number_abbreviation(word: str) -> int:
    if not _ABBREVIATION.fullmatch(word):
        return 0
    one, other = word.replace(".", "")[:2]
    return ord(one) << 8 | ord(other)


def _is_loud(word: str) -> bool:
    return len(word) > 1 and word.isupper()
