"""Which pairs of mentions differ by who speaks, in any language."""

import numpy as np

from .agreement import SEVERAL
from .facts import FIRST, SECOND, THIRD, Facts


def are_other_persons(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find pronouns of different persons said by the same speaker: "I" and "he".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    differ = _differ_in_person(facts, later, earlier)
    return differ & _is_same_speaker(facts, later, earlier)


def are_teller_and_told(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find "I" and "he" where nobody is quoted: "Tom lost his cat. I found it".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    speech = facts.speech
    is_told = (speech.speakers == 0) & (speech.quotes == 0)
    found = _differ_in_person(facts, later, earlier)
    for one in (later, earlier):
        found &= (facts.person[one] != SECOND) & is_told[facts.starts[one]]
    return found


def are_other_speakers(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find first persons, and second ones, of different speakers.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool: "I" said by two people whose names
        are known. "We" may be the same for both.
    """
    speakers = facts.speech.speakers
    left, right = speakers[facts.starts[later]], speakers[facts.starts[earlier]]
    if not speakers.any():
        return np.zeros(len(later), dtype=bool)
    quotes = facts.speech.quotes
    unquoted = (quotes[facts.starts[later]] == 0) & (quotes[facts.starts[earlier]] == 0)
    differ = (left > 0) & (right > 0) & (left != right) & unquoted
    person = facts.person[later]
    one = (facts.agreement[later] & facts.agreement[earlier]) != 0
    return differ & one & (person == facts.person[earlier]) & (person == FIRST)


def is_quoted_speaker(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find second and third persons beside who speaks: "you lie," said Tom.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    found = np.zeros(len(later), dtype=bool)
    if facts.spoken_by is not None:
        for one, other in ((later, earlier), (earlier, later)):
            is_other = (facts.person[one] == SECOND) | (facts.person[one] == THIRD)
            found |= is_other & (facts.spoken_by[one] == other)
    return found


def are_inside_and_outside(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find the "I" who tells a text beside that of somebody who speaks in it.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    found = np.zeros(len(later), dtype=bool)
    if facts.spoken_by is None or not facts.speech.has_narrator:
        return found
    is_quoted = facts.speech.quotes[facts.starts] > 0
    is_one = (facts.person == FIRST) & ((facts.agreement & SEVERAL) == 0)
    is_known = (facts.spoken_by >= 0) & (facts.person[facts.spoken_by] != FIRST)
    for one, other in ((later, earlier), (earlier, later)):
        found |= (is_one & is_quoted & is_known)[one] & (is_one & ~is_quoted)[other]
    return found


def is_self_named(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find first and second persons beside a noun or name that the same speaker uses.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    found = np.zeros(len(later), dtype=bool)
    for one, other in ((later, earlier), (earlier, later)):
        is_said = (facts.person[one] == FIRST) | (facts.person[one] == SECOND)
        found |= is_said & ~facts.is_pronoun[other]
    return found & _is_same_speaker(facts, later, earlier)


def _differ_in_person(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    left, right = facts.person[later], facts.person[earlier]
    are_personal = (
        (left >= FIRST) & (left <= THIRD) & (right >= FIRST) & (right <= THIRD)
    )
    # "We" may come to be "they".
    is_one = ((facts.agreement[later] | facts.agreement[earlier]) & SEVERAL) == 0
    is_one |= (left == SECOND) ^ (right == SECOND)
    return are_personal & (left != right) & is_one


def _is_same_speaker(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    speech = facts.speech
    left, right = facts.starts[later], facts.starts[earlier]
    same = speech.speakers[left] == speech.speakers[right]
    return same & (speech.stretches[left] == speech.stretches[right])
