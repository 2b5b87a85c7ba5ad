"""Mentions that cross a likelier one, or the end of a sentence."""

from typing import Tuple

import numpy as np
from spacy.attrs import IS_LOWER

from .facts import Facts

_ENDS = frozenset(".?!")
# So many pairs of mentions are compared at once.
_MAX_PAIRS = 1 << 20


def find_running_on(facts: Facts) -> np.ndarray:
    """Find mentions that run on into the next sentence: "Ann. Miss Lee".

    A full stop after what the language shortens is none, nor after one letter: "Sgt.
    Lee", "J. Lee". No sentence ends before a small letter: "Panic! at the Disco".

    facts (Facts): What is known of the mentions.
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

    An event is the mention of its verb alone.

    facts (Facts): What is known of the mentions.
    RETURNS (numpy.ndarray): Shape (n_mentions,), bool.
    """
    annotation = facts.annotation
    if not annotation.has_dep:
        return np.zeros(len(facts), dtype=bool)
    subjects = annotation.subject[facts.heads]
    is_inside = (subjects >= facts.starts) & (subjects < facts.ends)
    return annotation.is_verb[facts.heads] & is_inside


def find_crossed(
    starts: np.ndarray, ends: np.ndarray, scores: np.ndarray
) -> np.ndarray:
    """Find mentions that cross one that the model finds more likely.

    Phrases contain each other or stand apart: of "Ann told Ben" and "Ben of Eve" in
    "Ann told Ben of Eve" one at most is a mention. From the most likely to the least,
    those are kept that cross none that is kept; see Lee et al. (2017), section 5.

    starts, ends (numpy.ndarray): Shape (n_mentions,), token offsets in text order.
    scores (numpy.ndarray): Shape (n_mentions,), how likely each is a mention.
    RETURNS (numpy.ndarray): Shape (n_mentions,), bool.
    """
    likely, other = _find_crossing(starts, ends, scores)
    is_crossed = np.zeros(len(starts), dtype=bool)
    # Each round is sure of one more in a row of mentions that cross the next, and rows
    # are short.
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
    """Pair mentions that cross, the more likely one first."""
    index = np.arange(len(starts))
    # As many begin after each one in the list, and before it ends.
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
