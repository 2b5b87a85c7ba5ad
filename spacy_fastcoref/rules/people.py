"""People: which names can be one person's."""

from functools import lru_cache
from typing import Callable, Optional, Tuple

import numpy as np

from ..graph import find_components
from ..languages.features import NO_PERSON, ONE_PERSON
from ..languages.lexicon import Lexicon
from ..languages.resources import COMMON, read_table, read_words
from ..languages.word_index import WordIndex
from .facts import ANY_NAME, Facts
from .name_runs import GIVEN_NAMES, NameRuns

_BRACKETS = frozenset("([")
# Letters that given names begin with, those as one that spellings of one name share:
# "Carl" and "Karl".
_INITIALS = ("a", "b", "ckq", "d", "e", "f", "g", "h", "iy", "j", "l", "m", "n", "ou")
_INITIALS += ("p", "r", "sxz", "t", "vw")
_N_NAMES = 63
# Both sides of what belongs together.
Pairs = Tuple[np.ndarray, np.ndarray]


def find_given_names(facts: Facts, is_noun: Optional[np.ndarray] = None) -> np.ndarray:
    """Tell people apart by what their given names begin with.

    Another name of somebody tells nothing, wherever it stands: "Elton John (Reg
    Dwight)".

    facts (Facts): What is known of the mentions so far.
    is_noun (Optional[numpy.ndarray]): Shape (n_tokens,), bool: nouns for people, which
        may be addressed by them ("Mother"); None where that is not known.
    RETURNS (numpy.ndarray): Shape (n_mentions,), bits of what the given name may begin
        with, ANY_NAME where nothing tells; of mentions that are no names nothing
        useful.
    """
    words, runs, lexicon = facts.words, facts.runs, facts.lexicon
    starts, heads = facts.starts, facts.heads
    firsts = np.maximum(runs.firsts[heads], starts)
    is_alias = _find_alias_words(words, lexicon, runs)
    is_alias = np.isin(words.index, words.index[is_alias])
    is_told = ~words.find(lexicon.determiners)[starts]
    is_told &= ~is_alias[firsts] & ~is_alias[heads]
    # "Miss Brooke" has another name that is given, and so has "Brooke" after "Ann
    # Brooke".
    is_told &= (firsts < heads) | (
        (starts == firsts) & ~_find_later(words, runs)[heads]
    )
    if is_noun is not None:
        is_told &= ~is_noun[firsts]
    return np.where(is_told, words.map(_make_reader(lexicon.lang))[firsts], ANY_NAME)


def find_people(
    facts: Facts, links: Pairs, is_noun: Optional[np.ndarray] = None
) -> np.ndarray:
    """Tell people apart by all of their names.

    Words that stand in one name somewhere in the document may be one person's, "Emma",
    "Woodhouse" and "Henry", and so may what hangs together by them, by another name of
    somebody, and by a model that takes one name for another. A given name alone may be
    that of anybody with a family name, "Winnie", "Mrs. Verloc", and so may what is a
    noun, too, "Mother".

    facts (Facts): What is known of the mentions so far.
    links (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_links,), names that
        the model links, as indexes of mentions.
    is_noun (Optional[numpy.ndarray]): See find_given_names.
    RETURNS (numpy.ndarray): Shape (n_mentions,), bits of whose name each may be,
        ANY_NAME where nothing tells; of mentions that are no names nothing useful.
    """
    words, runs, lexicon = facts.words, facts.runs, facts.lexicon
    starts, heads = facts.starts, facts.heads
    one, other = (
        np.concatenate(parts)
        for parts in zip(
            _find_neighbours(words, lexicon, runs),
            _find_aliases(words, lexicon, runs),
            (heads[links[0]], heads[links[1]]),
            strict=True,
        )
    )
    forms, index = np.unique(words.index, return_inverse=True)
    people = find_components(len(forms), (index[one], index[other]))[index[heads]]
    is_open = words.find(read_words(COMMON, *GIVEN_NAMES))
    if is_noun is not None:
        is_open = is_open | is_noun
    is_open = is_open & ~_find_later(words, runs)
    is_alone = np.maximum(runs.firsts[heads], starts) == heads
    is_told = runs.is_part[heads] & ~words.find(lexicon.determiners)[starts]
    is_told &= ~(is_alone & is_open[heads])
    # One bit for each person; few share one, and these may be confused.
    return np.where(is_told, np.int64(1) << people % _N_NAMES, ANY_NAME)


def make_aspect(agreement: np.ndarray, names: np.ndarray) -> np.ndarray:
    """Make names another aspect in which the mentions of a cluster have to agree.

    agreement (numpy.ndarray): Shape (n_mentions,), what each can be.
    names (numpy.ndarray): Shape (n_mentions,), bits of what the name of each may be.
    RETURNS (numpy.ndarray): Shape (n_mentions,), uint64: a bit for one person of each
        name, and one for all that is no one person.
    """
    people = np.where(agreement & ONE_PERSON, names, 0).astype(np.uint64)
    others = np.where(agreement & NO_PERSON, np.uint64(ANY_NAME + 1), np.uint64(0))
    return people | others


def _find_later(words: WordIndex, runs: NameRuns) -> np.ndarray:
    """Find words that are somewhere a later part of a name, or known as such."""
    is_later = np.isin(words.index, words.index[runs.is_later])
    return is_later | words.find(read_words(COMMON, "family_names"))


@lru_cache(maxsize=None)
def _make_reader(lang: str) -> Callable[[str], int]:
    """Make the function that tells what a given name, or its long form, begins with."""
    nicknames = read_table(lang, "nicknames")

    def read(word: str) -> int:
        if word not in read_words(COMMON, *GIVEN_NAMES):
            return ANY_NAME
        (names,) = nicknames.get(word, ("",))
        mask = 0
        for name in filter(None, (word, *names.split(","))):
            mask |= find_initial(name)
        return mask

    return read


def find_initial(name: str) -> int:
    """Find what a given name begins with.

    name (str): The name in lower case.
    RETURNS (int): A bit; all of ANY_NAME for what is no letter from a to z.
    """
    bits = (1 << i for i, letters in enumerate(_INITIALS) if name[:1] in letters)
    return next(bits, ANY_NAME) if name else ANY_NAME


def _find_alias_words(words: WordIndex, lexicon: Lexicon, runs: NameRuns) -> np.ndarray:
    """Find the words of names that somebody has beside another one."""
    is_mark = words.find(lexicon.alias_words)
    is_mark |= words.find(_BRACKETS) & np.append(False, runs.is_part[:-1])
    return runs.is_part & np.append(False, is_mark[:-1])[runs.firsts]


def _find_neighbours(words: WordIndex, lexicon: Lexicon, runs: NameRuns) -> Pairs:
    """Find the words of one name that stand side by side, as pairs of tokens."""
    # "Catherine de Bourgh" is one name.
    is_part, is_run = runs.is_part, runs.is_part.copy()
    is_joint = words.find(lexicon.name_particles)
    is_run[1:-1] |= is_joint[1:-1] & is_part[:-2] & is_part[2:]
    (inner,) = np.nonzero(is_run[1:] & is_run[:-1])
    return inner, inner + 1


def _find_aliases(words: WordIndex, lexicon: Lexicon, runs: NameRuns) -> Pairs:
    """Find other names and the last ones before them, as pairs of tokens."""
    tokens = np.arange(len(words.index))
    is_first = _find_alias_words(words, lexicon, runs) & (runs.firsts == tokens)
    last = np.maximum.accumulate(np.where(runs.is_part, tokens, -1))
    (later,) = np.nonzero(is_first)
    earlier = np.append(-1, last)[later]
    return earlier[earlier >= 0], later[earlier >= 0]
