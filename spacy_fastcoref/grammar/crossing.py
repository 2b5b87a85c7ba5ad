"""Find mentions that cross a more likely mention, or the end of a sentence."""

from typing import Tuple

import numpy as np
from spacy.attrs import IS_LOWER

from .facts import Facts

_ENDS = frozenset(".?!")
# So many pairs of mentions are compared at once.
_MAX_PAIRS = 1 << 20


def find_running_on(facts: Facts) -> np.ndarray:
    """Find mentions that extend into the next sentence: "Ann. Miss Lee".

    A full stop after an abbreviation ("Sgt. Lee") or a single letter ("J. Lee") doesn't
    end a sentence, nor does a sign before a word in lower case ("Panic! at the Disco").

    facts (Facts): The features of the mentions.
    RETURNS (numpy.ndarray): Shape (n_mentions,), bool.
    """
    words = facts.words
    is_short = words.find(facts.lexicon.abbreviations)
    is_short |= words.map(_is_letter) > 0
    is_end = words.find(_ENDS) & ~np.append(False, is_short[:-1])
    is_end &= ~np.append(words.doc.to_array(IS_LOWER)[1:] > 0, False)
    n_ends = np.append(0, np.cumsum(is_end))
    return n_ends[facts.ends - 1] > n_ends[facts.starts]


def _is_letter(form: str) -> bool:
    return len(form) == 1 and form.isalpha()


def find_clauses(facts: Facts) -> np.ndarray:
    """Find mentions that are a whole clause by the parse: "the dog lost its bone".

    The mention of an event is only its verb.

    facts (Facts): The features of the mentions.
    RETURNS (numpy.ndarray): Shape (n_mentions,), bool.
    """
    annotation = facts.annotation
    if not annotation.has_dep:
        return np.zeros(len(facts), dtype=bool)
    subjects = annotation.subject[facts.heads]
    is_inside = (subjects >= facts.starts) & (subjects < facts.ends)
    # A verb that stands for its subject is no clause.
    is_inside &= ~annotation.is_zero_subject[facts.heads]
    return annotation.is_verb[facts.heads] & is_inside


def find_crossed(
    starts: np.ndarray, ends: np.ndarray, scores: np.ndarray
) -> np.ndarray:
    """Find mentions that cross a mention with a higher mention score.

    Two phrases are nested or disjoint: at most one of "Ann told Ben" and "Ben of Eve"
    in "Ann told Ben of Eve" is a mention. In the order of their scores, mentions are
    kept if they cross no mention that is kept; see Lee et al. (2017), section 5.

    starts, ends (numpy.ndarray): Shape (n_mentions,), token offsets in text order.
    scores (numpy.ndarray): Shape (n_mentions,), the mention scores.
    RETURNS (numpy.ndarray): Shape (n_mentions,), bool.
    """
    likely, other = _find_crossing(starts, ends, scores)
    is_crossed = np.zeros(len(starts), dtype=bool)
    # In a sequence of mentions of which each crosses the next, every iteration decides
    # at least one more mention. Such sequences are short.
    while True:
        is_open = np.zeros(len(starts), dtype=bool)
        is_open[other[~is_crossed[likely]]] = True
        found = np.zeros(len(starts), dtype=bool)
        found[other[~is_open[likely]]] = True
        if np.array_equal(found, is_crossed):
            return found
        is_crossed = found


def _find_crossing(
    starts: np.ndarray, ends: np.ndarray, scores: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """Pair mentions that cross, the one with the higher score first."""
    index = np.arange(len(starts))
    # The number of mentions that come later in the list and start before the mention
    # ends.
    counts = np.searchsorted(starts, ends) - index - 1
    # Many mentions may contain each other, and few cross: not all pairs at once.
    blocks = np.cumsum(counts) // _MAX_PAIRS
    pairs = [np.zeros((2, 0), dtype=np.int64)]
    for rows in np.split(index, np.flatnonzero(np.diff(blocks)) + 1):
        one = np.repeat(rows, counts[rows])
        firsts = np.repeat(np.cumsum(counts[rows]) - counts[rows], counts[rows])
        other = one + 1 + np.arange(len(one)) - firsts
        crosses = (starts[one] < starts[other]) & (ends[one] < ends[other])
        crosses &= scores[one] != scores[other]
        pairs.append(np.stack([one[crosses], other[crosses]]))
    one, other = np.concatenate(pairs, axis=1)
    is_likelier = scores[one] > scores[other]
    return np.where(is_likelier, one, other), np.where(is_likelier, other, one)
