"""Which pairs of mentions lie in or beside one another, in any language."""

from typing import Optional, Tuple

import numpy as np

from ..languages.lexicon import get_lexicon
from .facts import Facts

# What may stand between a noun and a mention that says more of the same thing.
_CLAUSES = ("relcl", "acl", "acl:relcl", "appos", "advcl", "ccomp", "rc", "app")


def is_within(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find mentions that contain the other: "the owner of it".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool. A relative clause may mention its
        own noun: "the man who lost his hat". "Zach Kennedy" and "the bassist Zach
        Kennedy" have one head, and so are one.
    """
    is_nested = find_nested(facts, later, earlier)
    is_nested &= facts.heads[later] != facts.heads[earlier]
    # Other pairs are not looked at: there are many.
    found = np.zeros(len(later), dtype=bool)
    pairs = np.flatnonzero(is_nested)
    if len(pairs):
        outer, inner = _sort_nested(facts, later[pairs], earlier[pairs])
        found[pairs] = ~facts.is_joined[outer] & ~_says_more(facts, outer, inner)
        # "a man with a ring in his ear", other than "a friend of his"
        is_later = facts.starts[inner] > facts.starts[outer]
        is_later &= facts.ends[inner] < facts.ends[outer]
        is_own = facts.is_owner[facts.starts] & facts.is_pronoun
        is_own |= facts.is_possessive
        found[pairs] &= ~(is_own[inner] & is_later)
        # "A man arrested after he fled": a clause of its own.
        if facts.is_subject is not None:
            found[pairs] &= ~(facts.is_subject[inner] & is_later)
    return found


def is_name_part(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find mentions that are a part of a longer name: "Ann" in "Ann Lee".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    return _is_either(facts.is_part, later, earlier)


def is_crossing(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find mentions that cross a more likely one, or the end of a sentence.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    return _is_either(facts.is_crossed, later, earlier)


def is_coordinated(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find members of one coordination, and a member and the whole.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    is_nested = find_nested(facts, later, earlier)
    found = np.zeros(len(later), dtype=bool)
    pairs = np.flatnonzero(is_nested)
    if len(pairs):
        outer, inner = _sort_nested(facts, later[pairs], earlier[pairs])
        found[pairs] = facts.is_joined[outer] & ~facts.is_joined[inner]
        found[pairs] &= ~_says_more(facts, outer, inner)
    heads = facts.heads[later], facts.heads[earlier]
    if facts.parse.has_dep:
        first = facts.parse.first_conjunct
        are_joined = (first[heads[0]] == first[heads[1]]) & (heads[0] != heads[1])
        are_joined &= (
            facts.parse.is_nominal[heads[0]] & facts.parse.is_nominal[heads[1]]
        )
    else:
        joints = get_lexicon(facts.parse.doc.lang_).coordinators
        is_joint = np.append(facts.words.find(joints), False)
        are_joined = facts.starts[later] == facts.ends[earlier] + 1
        are_joined &= is_joint[facts.ends[earlier]]
        # In "he saw Ann and she waved" it joins clauses.
        are_joined &= ~facts.is_pronoun[later]
    (pairs,) = np.nonzero(are_joined & ~is_nested)
    # In "he saw Ann and Ann waved", too, but not in "friend and friend".
    later, earlier = later[pairs], earlier[pairs]
    is_one = facts.are_alike(later, earlier)
    is_one &= facts.is_name[later] | (facts.starts < facts.heads)[later]
    # "They asked Elon Musk and Musk said"
    forms, starts = facts.words.index, facts.starts
    word = forms[starts[later]]
    is_part = word == forms[starts[earlier]]
    is_part |= word == forms[facts.heads[earlier]]
    is_part &= facts.is_name[later] & (facts.ends - starts == 1)[later]
    found[pairs] |= ~(is_one | (is_part & facts.is_name[earlier]))
    return found


def find_nested(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find pairs of which one lies within the other, or where it is.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    starts, ends = facts.starts, facts.ends
    later_in = (starts[earlier] <= starts[later]) & (ends[later] <= ends[earlier])
    earlier_in = (starts[later] <= starts[earlier]) & (ends[earlier] <= ends[later])
    return later_in | earlier_in


def _is_either(
    flags: Optional[np.ndarray], later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    if flags is None:
        return np.zeros(len(later), dtype=bool)
    return flags[later] | flags[earlier]


def _sort_nested(
    facts: Facts, left: np.ndarray, right: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    sizes = facts.ends - facts.starts
    is_outer = sizes[left] >= sizes[right]
    return np.where(is_outer, left, right), np.where(is_outer, right, left)


def _says_more(facts: Facts, outer: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """Tell whether the inner mention is in a clause or apposition of the outer one."""
    lexicon = get_lexicon(facts.parse.doc.lang_)
    is_comma = np.append(facts.words.find(frozenset((",", "(", ":"))), False)
    is_apposed = (facts.ends[inner] < facts.ends[outer]) & is_comma[facts.ends[inner]]
    is_apposed &= facts.starts[inner] == facts.starts[outer]
    is_apposed &= ~facts.is_joined[outer]
    if facts.parse.has_dep:
        marks = facts.parse.is_dep(*_CLAUSES)
        heads = facts.heads[inner], facts.heads[outer]
        return is_apposed | facts.parse.passes(*heads, marks)
    relatives = np.append(0, np.cumsum(facts.words.find(lexicon.relatives)))
    return is_apposed | (
        relatives[facts.starts[inner]] > relatives[facts.starts[outer]]
    )
