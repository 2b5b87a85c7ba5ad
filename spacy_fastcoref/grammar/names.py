"""Find names and titles, and look up given names and their genders."""

from functools import lru_cache
from typing import Callable, FrozenSet, NamedTuple

import numpy as np

from .features import FEMALE, MALE, ONE_PERSON
from .lexicon import Lexicon
from .resources import COMMON, read_words
from .word_index import WordIndex, is_sign

_NAME_GENDERS = {"male_names": MALE, "female_names": FEMALE, "unisex_names": ONE_PERSON}
_LISTS = (*_NAME_GENDERS, "more_names")


@lru_cache(maxsize=None)
def list_given_names(lang: str) -> FrozenSet[str]:
    """List the given names of a language, with those that all languages share."""
    return read_words(COMMON, *_LISTS) | read_words(lang, *_LISTS)


@lru_cache(maxsize=None)
def make_name_reader(lang: str) -> Callable[[str], int]:
    """Make a function that reads the agreement bits of a given name.

    The lists of the language take precedence over the shared ones: "Jean" is a man in
    French. The first part of a compound decides: "Jean-Marie".

    RETURNS (Callable[[str], int]): Takes a name in lower case; returns MALE, FEMALE, or
        ONE_PERSON for names of both genders; 0 for words that are not given names.
    """

    def read(word: str) -> int:
        for name in (word, word.partition("-")[0]):
            for folder in (lang, COMMON):
                mask = 0
                for names, bits in _NAME_GENDERS.items():
                    if name in read_words(folder, names):
                        mask |= bits
                if mask:
                    return mask if mask in (MALE, FEMALE) else ONE_PERSON
        return 0

    return read


class NameRuns(NamedTuple):
    """Hold the names of a document as runs of words; each array is (n_tokens,).

    title (numpy.ndarray): int64, the agreement bits of titles; 0 for other words.
    is_part (numpy.ndarray): bool, words of names, without titles.
    firsts (numpy.ndarray): int64, the first word of the run that contains each word.
    is_later (numpy.ndarray): bool, words of names that are not the first word of their
        name, or that follow a title before family names, such as "Mrs.".
    is_given (numpy.ndarray): bool, given names.
    """

    title: np.ndarray
    is_part: np.ndarray
    firsts: np.ndarray
    is_later: np.ndarray
    is_given: np.ndarray


def find_runs(
    words: WordIndex, lexicon: Lexicon, is_name: np.ndarray, is_noun: np.ndarray
) -> NameRuns:
    """Find runs of words of names."""
    # Most languages write titles in lower case: "monsieur Dupont".
    can_be_title = is_name | (is_noun & np.append(is_name[1:], False))
    title = np.where(can_be_title, words.map(lexicon.read_title), 0)
    is_given = words.find(list_given_names(lexicon.lang)) & is_name
    is_part = is_name & (title == 0)
    is_part &= ~_find_openers(words, lexicon, is_part, is_given)
    is_start = is_part & ~np.append(False, is_part[:-1])
    firsts = np.maximum.accumulate(np.where(is_start, np.arange(len(is_part)), 0))
    is_titled = np.append(False, words.find(lexicon.family_titles)[:-1])
    is_later = is_part & (~is_start | is_titled)
    return NameRuns(title, is_part, firsts, is_later, is_given)


def _find_openers(
    words: WordIndex, lexicon: Lexicon, is_part: np.ndarray, is_given: np.ndarray
) -> np.ndarray:
    """Find words that are capitalised because they begin a sentence: "But Ann"."""
    is_first = np.append(True, words.map(is_sign)[:-1] > 0)
    found = is_part & is_first & ~is_given & np.append((is_part & is_given)[1:], False)
    if not found.any():
        return found
    # A word that is in lower case elsewhere in the document is not a name.
    is_lower = words.cased.map(str.islower) > 0
    is_common = np.isin(words.index, words.index[is_lower])
    closed = lexicon.cutters | lexicon.coordinators | lexicon.relatives
    return found & (is_common | words.find(closed | lexicon.auxiliaries))
