"""Which pairs of mentions the theory of binding keeps apart, in any language."""

import numpy as np

from .facts import THIRD, Facts
from .nesting import find_nested

_SUBJECTS = ("nsubj", "nsubjpass", "nsubj:pass", "sb")


def is_unbound(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find reflexives whose clause has another subject: "Ann said Ruth hurt herself".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    found = np.zeros(len(later), dtype=bool)
    parse = facts.parse
    is_relative = parse.is_dep("relcl", "acl:relcl", "rc")
    is_mentioned = np.zeros(len(parse.heads), dtype=bool)
    is_mentioned[parse.first_conjunct[facts.heads]] = True
    for one, other in ((later, earlier), (earlier, later)):
        pairs = np.flatnonzero(facts.is_reflexive[one] & ~facts.is_reflexive[other])
        verbs = parse.verb[facts.heads[one[pairs]]]
        heads = parse.first_conjunct[facts.heads[other[pairs]]]
        subjects = np.where(verbs < 0, -1, parse.subject[verbs])
        is_subject = subjects == heads
        is_object = parse.verb[facts.heads[other[pairs]]] == verbs
        is_noun_of_clause = is_relative[verbs] & (parse.heads[verbs] == heads)
        is_known = (verbs >= 0) & (subjects >= 0) & is_mentioned[subjects]
        found[pairs] |= is_known & ~is_subject & ~is_object & ~is_noun_of_clause
    return found


def are_arguments(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find the subject and the object of one verb, without a reflexive.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    return _are_arguments(facts, later, earlier, facts.parse.is_direct)


def are_oblique_arguments(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find the subject of a verb and the object of its preposition: "talked to him".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool. A place is none ("behind him"), and
        neither is what comes with another object ("took the dog with him").
    """
    return _are_arguments(facts, later, earlier, facts.parse.is_oblique)


def is_under_pronoun(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find a name inside what is said of an earlier pronoun: "he said that Tom".

    Principle C of the theory of binding (Chomsky 1981): such a name is free.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    found = np.zeros(len(later), dtype=bool)
    parse = facts.parse
    heads = facts.heads[earlier]
    is_pair = (facts.person[earlier] == THIRD) & facts.is_name[later]
    is_pair &= parse.is_dep(*_SUBJECTS)[heads]
    is_pair &= parse.sentences[heads] == parse.sentences[facts.heads[later]]
    quotes = facts.speech.quotes
    is_pair &= quotes[facts.starts[later]] == quotes[facts.starts[earlier]]
    pairs = np.flatnonzero(is_pair)
    verbs = parse.heads[heads[pairs]]
    found[pairs] = parse.is_below(facts.heads[later[pairs]], verbs)
    return found


def _are_arguments(
    facts: Facts, later: np.ndarray, earlier: np.ndarray, is_kind: np.ndarray
) -> np.ndarray:
    found = np.zeros(len(later), dtype=bool)
    parse = facts.parse
    for one, other in ((later, earlier), (earlier, later)):
        heads = facts.heads[one]
        verbs = np.where(is_kind[heads], parse.verb[heads], -1)
        subjects = np.where(verbs < 0, -1, parse.subject[verbs])
        holds = (subjects >= 0) & (subjects == facts.heads[other])
        # Of nouns a tree has them wrong too often: "you have, girls".
        is_told = (facts.person[one] == THIRD) & ~facts.is_possessive[one]
        is_told |= facts.is_name[one] & (facts.is_name | facts.is_pronoun)[other]
        holds &= is_told & ~facts.is_possessive[other]
        found |= holds & ~facts.is_reflexive[one]
    return found & ~find_nested(facts, later, earlier)
