"""Which pairs of mentions what they are rules out, in any language."""

import numpy as np

from .facts import Facts


def are_other_names(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find two people with different given names.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool: names that begin with different
        letters, since "Liz" may be "Lizzy", and are no nicknames of names that begin
        with the same: "Bill" may be "William".
    """
    if facts.initials is None:
        return np.zeros(len(later), dtype=bool)
    return (facts.initials[later] & facts.initials[earlier]) == 0


def is_empty(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find pronouns that refer to nothing: "it rains".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    return facts.is_empty[later] | facts.is_empty[earlier]


def is_new(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find indefinite noun phrases after another noun or name: "a dog".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    return facts.is_indefinite[later] & ~facts.is_pronoun[earlier]


def are_other_classes(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find names and nouns of different classes: "Siemens" and "the country".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    left, right = facts.classes[later], facts.classes[earlier]
    return (left > 0) & (right > 0) & (left & right == 0)
