"""Keep the members of a coordination apart."""

import numpy as np

from .facts import Facts
from .nesting import find_nested, says_more, sort_nested


def is_coordinated(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find two members of a coordination, or a member and the whole coordination.

    facts (Facts): The features of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    is_nested = find_nested(facts, later, earlier)
    found = np.zeros(len(later), dtype=bool)
    pairs = np.flatnonzero(is_nested)
    if len(pairs):
        outer, inner = sort_nested(facts, later[pairs], earlier[pairs])
        found[pairs] = facts.is_joined[outer] & ~facts.is_joined[inner]
        found[pairs] &= ~says_more(facts, outer, inner)
    annotation = facts.annotation
    if annotation.has_dep:
        heads = facts.heads[later], facts.heads[earlier]
        first, is_nominal = annotation.first_conjunct, annotation.is_nominal
        are_joined = (first[heads[0]] == first[heads[1]]) & (heads[0] != heads[1])
        are_joined &= is_nominal[heads[0]] & is_nominal[heads[1]]
    else:
        is_coordinator = np.append(facts.words.find(facts.lexicon.coordinators), False)
        are_joined = facts.starts[later] == facts.ends[earlier] + 1
        are_joined &= is_coordinator[facts.ends[earlier]]
        # Before a pronoun, the coordinator joins clauses: "he saw Ann and she waved".
        are_joined &= ~facts.is_pronoun[later]
    (pairs,) = np.nonzero(are_joined & ~is_nested)
    # The same holds for the same words twice, as in "he saw Ann and Ann waved", but not
    # for bare nouns, as in "friend and friend".
    later, earlier = later[pairs], earlier[pairs]
    is_repeated = facts.are_alike(later, earlier)
    is_repeated &= facts.is_name[later] | (facts.starts < facts.heads)[later]
    found[pairs] |= ~is_repeated
    return found
