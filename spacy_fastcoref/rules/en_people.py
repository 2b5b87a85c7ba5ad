"""English: which names can be one person's."""

from typing import NamedTuple

import numpy as np

from ..decoding.components import find_components
from .agreement import ANY_NAME, find_initial, number_names
from .en_names import NameRuns
from .words import GIVEN_NAMES, WordIndex, read_table, read_words

_LANG = "en"
_AS, _KNOWN = frozenset(("as",)), frozenset(("known", "billed", "credited"))
_BRACKETS = frozenset("([")
_NOUNS = ("person_words", "male_words", "female_words", "group_nouns")


class People(NamedTuple):
    """Hold what tells people apart by their names; each of shape (n_mentions,).

    initials (numpy.ndarray): What the given name may begin with, see agreement.py.
    families (numpy.ndarray): What the family name may be, likewise.
    """

    initials: np.ndarray
    families: np.ndarray


def find_people(
    words: WordIndex, runs: NameRuns, starts: np.ndarray, heads: np.ndarray
) -> People:
    """Tell people apart by their names.

    Words that stand in one name somewhere in the document may be one person's, "Emma",
    "Woodhouse" and "Henry", and so may what hangs together by them. What somebody is
    called, too, tells nothing, wherever it stands: "Elton John (Reg Dwight)".

    words (WordIndex): The document's words.
    runs (NameRuns): Its names.
    starts, heads (numpy.ndarray): Shape (n_mentions,), the mentions' first tokens and
        their heads.
    RETURNS (People): What is told; of mentions that are no names nothing useful.
    """
    firsts = np.maximum(runs.firsts[heads], starts)
    is_full = firsts < heads
    is_given = words.find(read_words("common", *GIVEN_NAMES))
    is_noun = words.find(read_words(_LANG, *_NOUNS))
    is_later = np.isin(words.index, words.index[runs.is_later])
    is_later |= words.find(read_words("common", "family_names"))
    is_told = ~words.find(frozenset(("the",)))[starts]
    is_other = np.isin(words.index, words.index[_find_other_names(words, runs)])
    is_told &= ~is_other[firsts] & ~is_other[heads]
    # "Miss Brooke" has another name that is given, and so has "Brooke" after "Ann
    # Brooke".
    has_given = is_told & (is_full | ((starts == firsts) & ~is_later[heads]))
    initials = words.map(_find_initials)[firsts]
    is_after = runs.is_later & (runs.is_titled | is_given[runs.firsts])
    is_family = np.isin(words.index, words.index[is_after]) | ~(is_noun | is_given)
    has_family = is_told & np.where(is_full, is_given[firsts], is_family[heads])
    families = number_names(_find_groups(words, runs)[heads])
    return People(
        np.where(has_given, initials, ANY_NAME),
        np.where(has_family, families, ANY_NAME),
    )


def _find_initials(word: str) -> int:
    """Tell what a given name and those it is short for begin with, if it is one."""
    # "Son" is one, too.
    is_noun = word in read_words(_LANG, "male_words", "female_words")
    if is_noun or word not in read_words("common", *GIVEN_NAMES):
        return ANY_NAME
    (names,) = read_table(_LANG, "nicknames").get(word, ("",))
    initials = 0
    for name in filter(None, (word, *names.split(","))):
        initials |= find_initial(name)
    return initials


def _find_other_names(words: WordIndex, runs: NameRuns) -> np.ndarray:
    """Find words of names that somebody has beside another one."""
    is_mark = words.find(read_words(_LANG, "other_name_words"))
    is_mark |= words.find(_AS) & _follow(words.find(_KNOWN))
    is_mark |= words.find(_BRACKETS) & _follow(runs.is_part)
    return runs.is_part & _follow(is_mark)[runs.firsts]


def _follow(marks: np.ndarray) -> np.ndarray:
    """Find the tokens after those that are marked."""
    return np.append(False, marks[:-1])


def _find_groups(words: WordIndex, runs: NameRuns) -> np.ndarray:
    """Number the forms that hang together by names, for each token."""
    # "Catherine de Bourgh" is one name.
    is_part, is_run = runs.is_part, runs.is_part.copy()
    is_joint = words.find(read_words(_LANG, "name_particles"))
    is_run[1:-1] |= is_joint[1:-1] & is_part[:-2] & is_part[2:]
    (inner,) = np.nonzero(is_run[1:] & is_run[:-1])
    forms, index = np.unique(words.index, return_inverse=True)
    return find_components(len(forms), (index[inner], index[inner + 1]))[index]
