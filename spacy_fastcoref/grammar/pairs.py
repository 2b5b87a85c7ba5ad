"""Judge pairs by pleonastic pronouns, animacy, determiners and given names."""

import numpy as np

from .facts import Facts
from .features import FEMALE, MALE, SEVERAL, THING, THIRD


def are_other_names(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find two people with different given names.

    facts (Facts): The features of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool. Only initials are compared, since
        "Liz" can be "Lizzy". The initials of a nickname include those of its long
        forms, since "Bill" can be "William".
    """
    return (facts.given_names[later] & facts.given_names[earlier]) == 0


def is_pleonastic(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find pronouns that refer to nothing: "it rains".

    facts (Facts): The features of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    return facts.is_pleonastic[later] | facts.is_pleonastic[earlier]


def is_new(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find indefinite noun phrases after another noun or name: "a dog".

    facts (Facts): The features of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    return facts.is_indefinite[later] & ~facts.is_pronoun[earlier]


def is_lifeless(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find pairs of a pronoun for people and a noun that is probably a thing.

    facts (Facts): The features of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    found = np.zeros(len(later), dtype=bool)
    is_person = (facts.person == THIRD) & ((facts.agreement & THING) == 0)
    for one, other in ((later, earlier), (earlier, later)):
        found |= is_person[one] & facts.is_lifeless[other]
    return found


def is_collective(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find pairs of a plural pronoun and a singular noun: "the team … they".

    facts (Facts): The features of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    agreement = facts.agreement
    is_plural = (facts.person == THIRD) & ((agreement & SEVERAL) > 0)
    is_plural &= (agreement & (MALE | FEMALE | THING)) == 0
    # By morphology, since a group agrees with the pronoun.
    is_singular = (facts.features.as_noun[facts.heads] & SEVERAL) == 0
    is_singular &= (facts.person == 0) & ~facts.is_joined
    is_singular &= (agreement & SEVERAL) == 0
    found = np.zeros(len(later), dtype=bool)
    for one, other in ((later, earlier), (earlier, later)):
        found |= is_plural[one] & is_singular[other]
    return found


def is_one_thing(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find pairs of a plural pronoun and a thing in the singular: "the house … they".

    facts (Facts): The features of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    is_thing = facts.is_lifeless[later] | facts.is_lifeless[earlier]
    return is_collective(facts, later, earlier) & is_thing
