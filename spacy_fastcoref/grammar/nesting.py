"""Judge mentions that contain or cross one another."""

from typing import Tuple

import numpy as np

from .facts import Facts
from .schemes import APPOSITION, CLAUSE, COMPLEMENT, RELATIVE

# The roles between a noun and a mention of the same entity in a clause or apposition.
_CLAUSES = (APPOSITION, CLAUSE, COMPLEMENT, RELATIVE)


def is_within(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find pairs of which one mention contains the other: "the owner of it".

    facts (Facts): The features of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool; False for mentions with the same
        head ("the bassist Zach Kennedy", "Zach Kennedy"), and in relative clauses,
        which can mention their noun ("the man who lost his hat").
    """
    is_nested = find_nested(facts, later, earlier)
    is_nested &= facts.heads[later] != facts.heads[earlier]
    # The other checks are slow, and few pairs are nested.
    found = np.zeros(len(later), dtype=bool)
    pairs = np.flatnonzero(is_nested)
    if len(pairs):
        outer, inner = sort_nested(facts, later[pairs], earlier[pairs])
        found[pairs] = ~facts.is_joined[outer] & ~says_more(facts, outer, inner)
        # A possessive before its noun can refer to the outer mention ("a man with a
        # ring in his ear"), but not one at the end ("a friend of his").
        is_later = facts.starts[inner] > facts.starts[outer]
        is_later &= facts.ends[inner] < facts.ends[outer]
        found[pairs] &= ~(facts.is_possessive[inner] & is_later)
    return found


def is_name_part(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find mentions that are a part of a longer name: "Ann" in "Ann Lee".

    facts (Facts): The features of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    return facts.is_part[later] | facts.is_part[earlier]


def is_crossing(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find mentions that cross a more likely one, or the end of a sentence.

    facts (Facts): The features of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    return facts.is_crossed[later] | facts.is_crossed[earlier]


def find_nested(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find pairs of which one mention is inside the other, or has the same tokens.

    facts (Facts): The features of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    starts, ends = facts.starts, facts.ends
    later_in = (starts[earlier] <= starts[later]) & (ends[later] <= ends[earlier])
    earlier_in = (starts[later] <= starts[earlier]) & (ends[earlier] <= ends[later])
    return later_in | earlier_in


def sort_nested(
    facts: Facts, left: np.ndarray, right: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """Sort pairs of mentions that contain each other by their length.

    facts (Facts): The features of the mentions.
    left, right (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): The outer and the inner ones.
    """
    sizes = facts.ends - facts.starts
    is_outer = sizes[left] >= sizes[right]
    return np.where(is_outer, left, right), np.where(is_outer, right, left)


def says_more(facts: Facts, outer: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """Check whether a mention is in a clause or an apposition of one that contains it.

    facts (Facts): The features of the mentions.
    outer, inner (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    is_comma = np.append(facts.words.find(frozenset((",", "(", ":"))), False)
    is_apposed = (facts.ends[inner] < facts.ends[outer]) & is_comma[facts.ends[inner]]
    is_apposed &= facts.starts[inner] == facts.starts[outer]
    is_apposed &= ~facts.is_joined[outer]
    if facts.annotation.has_dep:
        marks = facts.annotation.has_role(*_CLAUSES)
        heads = facts.heads[inner], facts.heads[outer]
        return is_apposed | facts.annotation.passes(*heads, marks)
    relatives = np.append(0, np.cumsum(facts.words.find(facts.lexicon.relatives)))
    return is_apposed | (
        relatives[facts.starts[inner]] > relatives[facts.starts[outer]]
    )
