"""English: which names can be one person's."""

from typing import Tuple

import numpy as np

from ...decoding.components import find_components
from ...rules.agreement import ANY_NAME, find_initial, number_names
from ..word_index import GIVEN_NAMES, WordIndex, read_table, read_words
from .names import NameRuns

_LANG = "en"
_AS, _KNOWN = frozenset(("as",)), frozenset(("known", "billed", "credited"))
_BRACKETS = frozenset("([")
_ARTICLE = frozenset(("the",))
_NOUNS = ("person_words", "male_words", "female_words", "group_nouns")
# Both sides of what belongs together.
Pairs = Tuple[np.ndarray, np.ndarray]


def find_initials(
    words: WordIndex, runs: NameRuns, starts: np.ndarray, heads: np.ndarray
) -> np.ndarray:
    """Tell people apart by their given names.

    What somebody is called, too, tells nothing, wherever it stands: "Elton John (Reg
    Dwight)".

    words (WordIndex): The document's words.
    runs (NameRuns): Its names.
    starts, heads (numpy.ndarray): Shape (n_mentions,), the mentions' first tokens and
        their heads.
    RETURNS (numpy.ndarray): Shape (n_mentions,), what the given name may begin with,
        see agreement.py; of mentions that are no names nothing useful.
    """
    firsts = np.maximum(runs.firsts[heads], starts)
    is_other = np.isin(words.index, words.index[_find_other_names(words, runs)])
    is_told = ~words.find(_ARTICLE)[starts] & ~is_other[firsts] & ~is_other[heads]
    # "Miss Brooke" has another name that is given, and so has "Brooke" after "Ann
    # Brooke".
    is_later = _find_later(words, runs)[heads]
    is_told &= (firsts < heads) | ((starts == firsts) & ~is_later)
    return np.where(is_told, words.map(_read_initials)[firsts], ANY_NAME)


def find_people(
    words: WordIndex,
    runs: NameRuns,
    starts: np.ndarray,
    heads: np.ndarray,
    links: Pairs,
) -> np.ndarray:
    """Tell people apart by all of their names.

    Words that stand in one name somewhere in the document may be one person's, "Emma",
    "Woodhouse" and "Henry", and so may what hangs together by them, by what somebody is
    called, too, and by a model that takes one name for another. A given name alone may
    be that of anybody with a family name, "Winnie", "Mrs. Verloc", and so may what is a
    noun, too, "Mother".

    words (WordIndex): The document's words.
    runs (NameRuns): Its names.
    starts, heads (numpy.ndarray): Shape (n_mentions,), the mentions' first tokens and
        their heads.
    links (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_links,), names that
        the model links, as indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_mentions,), whose name each may be, see
        agreement.py; of mentions that are no names nothing useful.
    """
    index = words.index
    one, other = (
        np.concatenate(parts)
        for parts in zip(
            _find_neighbours(words, runs),
            _find_aliases(words, runs),
            (heads[links[0]], heads[links[1]]),
            strict=True,
        )
    )
    forms, index = np.unique(index, return_inverse=True)
    people = find_components(len(forms), (index[one], index[other]))[index[heads]]
    is_open = words.find(read_words("common", *GIVEN_NAMES))
    is_open |= words.find(read_words(_LANG, *_NOUNS))
    is_open &= ~_find_later(words, runs)
    is_alone = np.maximum(runs.firsts[heads], starts) == heads
    is_told = runs.is_part[heads] & ~words.find(_ARTICLE)[starts]
    is_told &= ~(is_alone & is_open[heads])
    return np.where(is_told, number_names(people), ANY_NAME)


def _find_later(words: WordIndex, runs: NameRuns) -> np.ndarray:
    """Find words that are somewhere a later part of a name, or known as such."""
    is_later = np.isin(words.index, words.index[runs.is_later])
    return is_later | words.find(read_words("common", "family_names"))


def _read_initials(word: str) -> int:
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


def _find_neighbours(words: WordIndex, runs: NameRuns) -> Pairs:
    """Find the words of one name that stand side by side, as pairs of tokens."""
    # "Catherine de Bourgh" is one name.
    is_part, is_run = runs.is_part, runs.is_part.copy()
    is_joint = words.find(read_words(_LANG, "name_particles"))
    is_run[1:-1] |= is_joint[1:-1] & is_part[:-2] & is_part[2:]
    (inner,) = np.nonzero(is_run[1:] & is_run[:-1])
    return inner, inner + 1


def _find_aliases(words: WordIndex, runs: NameRuns) -> Pairs:
    """Find other names and the last ones before them, as pairs of tokens."""
    tokens = np.arange(len(words.index))
    is_first = _find_other_names(words, runs) & (runs.firsts == tokens)
    last = np.maximum.accumulate(np.where(runs.is_part, tokens, -1))
    (later,) = np.nonzero(is_first)
    earlier = np.append(-1, last)[later]
    return earlier[earlier >= 0], later[earlier >= 0]
