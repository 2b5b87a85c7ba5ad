"""Find names and titles, and look up given names and their genders."""

from functools import lru_cache
from typing import Callable, FrozenSet, NamedTuple

import numpy as np

from .features import FEMALE, MALE, ONE_PERSON
from .resources import COMMON, read_words
from .tokens import Tokens
from .word_index import Marks, Rows, is_sign

_NAME_GENDERS = {"male_names": MALE, "female_names": FEMALE, "unisex_names": ONE_PERSON}
_LISTS = (*_NAME_GENDERS, "more_names")


@lru_cache(maxsize=None)
def list_given_names(lang: str) -> FrozenSet[str]:
    """List the given names of a language, with those that all languages share."""
    return read_words(COMMON, *_LISTS) | read_words(lang, *_LISTS)


@lru_cache(maxsize=None)
def make_name_reader(lang: str) -> Callable[[str], int]:
    """Make a function that reads the agreement bits of a given name, 0 for other words.

    The lists of the language take precedence over the shared ones, and the first part
    of a compound decides: "Jean-Marie". A name of both genders has ONE_PERSON.
    """

    def read(word: str) -> int:
        for name in (word, word.partition("-")[0]):
            for folder in (lang, COMMON):
                genders = _NAME_GENDERS.items()
                found = {b for names, b in genders if name in read_words(folder, names)}
                if found:
                    return found.pop() if len(found) == 1 else ONE_PERSON
        return 0

    return read


class NameRuns(NamedTuple):
    """Hold the names of a document as runs of words; arrays have an entry a token."""

    title: Rows  # The agreement bits of titles; 0 for other words.
    is_part: Marks  # Words of names, without titles.
    firsts: Rows  # The first word of the run that contains each word.
    is_given: Marks  # Given names.
    # Listed family names, and words that, somewhere in the document, are not the first
    # word of their name or follow a title such as "Mrs.".
    is_family: Marks


def find_runs(tokens: Tokens) -> NameRuns:
    """Find runs of words of names."""
    words, lexicon, is_name = tokens.words, tokens.lexicon, tokens.is_name
    # Most languages write titles in lower case: "monsieur Dupont".
    is_before_name = tokens.is_pos("NOUN") & np.append(is_name[1:], False)
    title = words.map(lexicon.read_title) * (is_name | is_before_name)
    is_given = words.find(list_given_names(lexicon.lang)) & is_name
    is_part = is_name & (title == 0)
    # Words that are capitalised because they begin a sentence: "But Ann".
    is_first = np.append(True, words.map(is_sign)[:-1] > 0)
    opens = is_part & is_first & ~is_given & np.append((is_part & is_given)[1:], False)
    # A word that is in lower case elsewhere in the document is not a name.
    is_lower = words.cased.map(str.islower) > 0
    closed = lexicon.cutters | lexicon.coordinators | lexicon.relatives
    is_common = np.isin(words.index, words.index[is_lower])
    is_part &= ~(opens & (is_common | words.find(closed | lexicon.auxiliaries)))
    is_start = is_part & ~np.append(False, is_part[:-1])
    firsts = np.maximum.accumulate(np.where(is_start, np.arange(len(is_part)), 0))
    is_titled = np.append(False, words.find(lexicon.family_titles)[:-1])
    is_later = is_part & (~is_start | is_titled)
    is_family = np.isin(words.index, words.index[is_later])
    is_family |= words.find(read_words(COMMON, "family_names"))
    return NameRuns(title, is_part, firsts, is_given, is_family)
