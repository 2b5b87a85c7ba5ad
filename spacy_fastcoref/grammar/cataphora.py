"""Find pronouns that can't refer to a noun after them, by syntax."""

import numpy as np

from .annotation import Annotation
from .facts import Facts
from .schemes import AUXILIARY, CLAUSAL_SUBJECT, CLAUSE, RELATIVE

# The number of steps from a pronoun to its ancestors.
_MAX_DEPTH = 24


def is_no_cataphora(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find an anaphor and a noun after it that it can't refer to: "he said that Tom".

    The noun has to be in the same sentence, and not below the word that the pronoun
    depends on: this is principle C of binding theory (Chomsky 1981).

    facts (Facts): The features of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    found = _are_cataphora(facts, later, earlier)
    (pairs,) = np.nonzero(found)
    annotation = facts.annotation
    pronouns, nouns = facts.heads[earlier[pairs]], facts.heads[later[pairs]]
    is_near = annotation.sentences[pronouns] == annotation.sentences[nouns]
    governors = find_governors(annotation)[pronouns]
    found[pairs] = ~is_near | _dominates(annotation, governors, nouns)
    return found


def is_crossover(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find an anaphor inside a phrase before its noun: "his mother loves Tom".

    This is weak crossover; see Postal (1971). A pronoun in a clause before the main
    clause is no such case: "when he came, Tom sat down".

    facts (Facts): The features of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    found = _are_cataphora(facts, later, earlier)
    (pairs,) = np.nonzero(found)
    annotation = facts.annotation
    nouns = facts.heads[later[pairs]]
    is_clause = annotation.has_role(CLAUSE, CLAUSAL_SUBJECT, RELATIVE)
    is_clause &= annotation.is_verb | annotation.has_child(
        annotation.has_role(AUXILIARY)
    )
    tokens = facts.heads[earlier[pairs]]
    in_clause = np.zeros(len(pairs), dtype=bool)
    for _ in range(_MAX_DEPTH):
        is_below = ~_dominates(annotation, tokens, nouns)
        in_clause |= is_below & is_clause[tokens]
        tokens = np.where(is_below, annotation.heads[tokens], tokens)
    found[pairs] = ~in_clause
    return found


def find_governors(annotation: Annotation) -> np.ndarray:
    """Find the word that each word is an argument or a modifier of.

    annotation (Annotation): The document's annotation.
    RETURNS (numpy.ndarray): Shape (n_tokens,), int64: the head, skipping prepositions;
        for a verb that stands for its subject, the predicate of its clause.
    """
    above = annotation.governors
    is_helper = annotation.has_role(AUXILIARY)
    of_verb = np.where(is_helper, above, np.arange(len(above)))
    return np.where(annotation.is_zero_subject, of_verb, above)


def _are_cataphora(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    return facts.is_anaphor[earlier] & (facts.person[later] == 0)


def _dominates(
    annotation: Annotation, tops: np.ndarray, tokens: np.ndarray
) -> np.ndarray:
    first, last = annotation.edges
    return (first[tops] <= tokens) & (tokens <= last[tops])
