"""Find out which names can belong to the same person."""

from functools import lru_cache
from typing import Callable, Optional, Tuple

import numpy as np

from ..graph import number_components
from .facts import ANY_NAME, Facts
from .features import NEUT_PERSON, ONE_PERSON
from .given_names import list_given_names
from .lexicon import Lexicon
from .name_runs import NameRuns
from .resources import COMMON, read_table, read_words
from .word_index import WordIndex

_BRACKETS = frozenset("([")
# The initials of given names. Letters that are variants of each other in spellings of
# one name are a single initial, such as in "Carl" and "Karl".
_INITIALS = ("a", "b", "ckq", "d", "e", "f", "g", "h", "iy", "j", "l", "m", "n", "ou")
_INITIALS += ("p", "r", "sxz", "t", "vw")
_N_NAMES = 63
# Two arrays of the same shape, whose entries are pairs.
Pairs = Tuple[np.ndarray, np.ndarray]

# A single person, also one whose noun is neuter.
_PERSON = ONE_PERSON | NEUT_PERSON


def find_given_names(facts: Facts, is_noun: Optional[np.ndarray] = None) -> np.ndarray:
    """Find the possible initials of given names.

    An alias can have any initial everywhere in the document: "Elton John (Reg Dwight)".

    facts (Facts): The features of the mentions that have been read so far.
    is_noun (Optional[numpy.ndarray]): Shape (n_tokens,), bool, nouns for people, which
        can be used like names ("Mother"); None if they are not known.
    RETURNS (numpy.ndarray): Shape (n_mentions,), int64, a bit for each possible
        initial; ANY_NAME if nothing is known. The values for mentions that are not
        names are not used.
    """
    words, runs, lexicon = facts.words, facts.runs, facts.lexicon
    starts, heads = facts.starts, facts.heads
    firsts = np.maximum(runs.firsts[heads], starts)
    is_alias = _find_alias_words(words, lexicon, runs)
    is_alias = np.isin(words.index, words.index[is_alias])
    is_informative = ~words.find(lexicon.determiners)[starts]
    is_informative &= ~is_alias[firsts] & ~is_alias[heads]
    # A family name is not a given name: "Brooke" in "Miss Brooke", or after "Ann
    # Brooke".
    is_informative &= (firsts < heads) | (
        (starts == firsts) & ~_find_later(words, runs)[heads]
    )
    if is_noun is not None:
        is_informative &= ~is_noun[firsts]
    return np.where(
        is_informative, words.map(_make_reader(lexicon.lang))[firsts], ANY_NAME
    )


def find_people(
    facts: Facts, links: Pairs, is_noun: Optional[np.ndarray] = None
) -> np.ndarray:
    """Find the people that can have each name, by all words of names.

    Words that occur in the same name anywhere in the document can belong to one person,
    and so can all words that such names, aliases or the model's links connect: "Emma",
    "Woodhouse" and "Henry" after "Emma Woodhouse" and "Henry Woodhouse". A given name
    alone can belong to anybody with a family name ("Winnie", "Mrs. Verloc"), and so can
    a noun that is used like a name ("Mother").

    facts (Facts): The features of the mentions that have been read so far.
    links (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_links,), indexes of
        the mentions of names that the model links.
    is_noun (Optional[numpy.ndarray]): See find_given_names.
    RETURNS (numpy.ndarray): Shape (n_mentions,), int64, a bit for each person; ANY_NAME
        if nothing is known. The values for mentions that are not names are not used.
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
    people = number_components(len(forms), (index[one], index[other]))[index]
    # They are numbered in the order of the documents.
    firsts = np.full(words.documents.max(initial=0) + 1, len(forms))
    np.minimum.at(firsts, words.documents, people)
    people = (people - firsts[words.documents])[heads]
    is_open = words.find(list_given_names(lexicon.lang))
    if is_noun is not None:
        is_open = is_open | is_noun
    is_open = is_open & ~_find_later(words, runs)
    is_alone = np.maximum(runs.firsts[heads], starts) == heads
    is_informative = runs.is_part[heads] & ~words.find(lexicon.determiners)[starts]
    is_informative &= ~(is_alone & is_open[heads])
    # Two people share a bit only if a document has more than 63. They are then not kept
    # apart.
    return np.where(is_informative, np.int64(1) << people % _N_NAMES, ANY_NAME)


def make_aspect(agreement: np.ndarray, names: np.ndarray) -> np.ndarray:
    """Make an aspect of agreement of names, in which the mentions of a cluster agree.

    agreement (numpy.ndarray): Shape (n_mentions,), the agreement bits.
    names (numpy.ndarray): Shape (n_mentions,), the bits of possible names.
    RETURNS (numpy.ndarray): Shape (n_mentions,), uint64: a bit for a single person of
        each name, and one for everything that is not a single person.
    """
    people = np.where(agreement & _PERSON, names, 0).astype(np.uint64)
    others = np.where(agreement & ~_PERSON, np.uint64(ANY_NAME + 1), np.uint64(0))
    return people | others


def _find_later(words: WordIndex, runs: NameRuns) -> np.ndarray:
    """Find words that are a later part of a name anywhere, or in the list of family
    names."""
    is_later = np.isin(words.index, words.index[runs.is_later])
    return is_later | words.find(read_words(COMMON, "family_names"))


@lru_cache(maxsize=None)
def _make_reader(lang: str) -> Callable[[str], int]:
    """Make a function that finds the initials of a given name and of its long forms."""
    nicknames = read_table(lang, "nicknames")

    def read(word: str) -> int:
        if word not in list_given_names(lang):
            return ANY_NAME
        (names,) = nicknames.get(word, ("",))
        mask = 0
        for name in filter(None, (word, *names.split(","))):
            mask |= find_initial(name)
        return mask

    return read


def find_initial(name: str) -> int:
    """Find the initial of a given name.

    name (str): The name in lower case.
    RETURNS (int): The bit of the initial; ANY_NAME if it is not a letter from a to z.
    """
    bits = (1 << i for i, letters in enumerate(_INITIALS) if name[:1] in letters)
    return next(bits, ANY_NAME) if name else ANY_NAME


def _find_alias_words(words: WordIndex, lexicon: Lexicon, runs: NameRuns) -> np.ndarray:
    """Find the words of aliases: names after a word such as "née", or in brackets."""
    is_mark = words.find(lexicon.alias_words)
    is_mark |= words.find(_BRACKETS) & np.append(False, runs.is_part[:-1])
    return runs.is_part & np.append(False, is_mark[:-1])[runs.firsts]


def _find_neighbours(words: WordIndex, lexicon: Lexicon, runs: NameRuns) -> Pairs:
    """Find adjacent words of one name, as pairs of tokens."""
    # A name can contain particles: "Catherine de Bourgh".
    is_part, is_run = runs.is_part, runs.is_part.copy()
    is_particle = words.find(lexicon.name_particles)
    is_run[1:-1] |= is_particle[1:-1] & is_part[:-2] & is_part[2:]
    (inner,) = np.nonzero(is_run[1:] & is_run[:-1])
    return inner, inner + 1


def _find_aliases(words: WordIndex, lexicon: Lexicon, runs: NameRuns) -> Pairs:
    """Find aliases and the last words of the names before them, as pairs of tokens."""
    tokens = np.arange(len(words.index))
    is_first = _find_alias_words(words, lexicon, runs) & (runs.firsts == tokens)
    last = np.maximum.accumulate(np.where(runs.is_part, tokens, -1))
    (later,) = np.nonzero(is_first)
    earlier = np.append(-1, last)[later]
    is_known = earlier >= words.edges[0][later]
    return earlier[is_known], later[is_known]
