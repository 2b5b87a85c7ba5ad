"""Judge pairs by what French pronouns and verbs say about people and things."""

import numpy as np

from ...rules.facts import Facts
from ..features import GROUP, ONE_PERSON, OTHER_PRONOUN, SEVERAL, THIRD
from ..resources import read_words
from ..schemes import SUBJECT

_ON, _OF_THAT = frozenset("on -on -t-on".split()), frozenset(("en", "-en"))


def are_on_and_other(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find "on" and somebody else: only "nous", "soi" and possessives can be the same.

    facts (Facts): The features of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    is_on = facts.words.find(_ON)[facts.heads] & facts.is_pronoun
    is_other = (facts.person == THIRD) | (facts.person == 0)
    is_other |= (facts.person == OTHER_PRONOUN) & ~is_on
    is_other &= ~facts.is_reflexive & ~facts.is_possessive
    found = np.zeros(len(later), dtype=bool)
    for one, other in ((later, earlier), (earlier, later)):
        found |= is_on[one] & is_other[other]
    return found


def is_of_person(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find "en" after a single person, to which "de lui" refers instead.

    facts (Facts): The features of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    is_adverbial = facts.words.find(_OF_THAT)[facts.heads] & facts.is_pronoun
    return is_adverbial[later] & _is_single_person(facts)[earlier]


def is_thinking_thing(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find a thing, and the pronoun that is the subject of a verb for people: "dire".

    facts (Facts): The features of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    annotation = facts.annotation
    verbs = annotation.lemmas.find(read_words(facts.lexicon.lang, "person_verbs"))
    is_subject = annotation.has_role(SUBJECT) & ~annotation.has_label("nsubj:pass")
    is_thinking = (is_subject & verbs[annotation.heads])[facts.heads]
    is_thinking &= facts.person == THIRD
    is_thing = facts.is_lifeless | ((facts.agreement & ONE_PERSON) == 0)
    is_thing &= (facts.agreement & (SEVERAL | GROUP)) == 0
    found = np.zeros(len(later), dtype=bool)
    for one, other in ((later, earlier), (earlier, later)):
        found |= is_thinking[one] & is_thing[other]
    return found


def _is_single_person(facts: Facts) -> np.ndarray:
    return (facts.agreement & ~ONE_PERSON) == 0
