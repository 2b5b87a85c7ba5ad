"""Speakers: who says "I" and "you", in quotations and in the text around them."""

import numpy as np

from ..languages.features import FIRST, ONE_PERSON, SECOND, SEVERAL, THIRD
from .facts import Facts


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


def are_inside_and_outside(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find the "I" who tells a text beside that of somebody who speaks in it.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    found = np.zeros(len(later), dtype=bool)
    if not facts.speech.has_narrator:
        return found
    is_quoted = facts.speech.quotes[facts.starts] > 0
    is_one = facts.is_speaker
    is_known = (facts.spoken_by >= 0) & (facts.person[facts.spoken_by] != FIRST)
    for one, other in ((later, earlier), (earlier, later)):
        found |= (is_one & is_quoted & is_known)[one] & (is_one & ~is_quoted)[other]
    return found


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


def find_speakers(facts: Facts, scores: np.ndarray) -> np.ndarray:
    """Find the mentions that speak: "Tom" for all in "I go," said Tom.

    facts (Facts): What is known of the mentions.
    scores (numpy.ndarray): Shape (n_mentions,), how likely each is a mention; of
        several that may name the speaker the likeliest does.
    RETURNS (numpy.ndarray): Shape (n_mentions,), the mention that speaks the quotation
        that each is in, -1 for none.
    """
    begins, ends = facts.speech.attributions
    if max(begins.max(), ends.max()) < 0:
        return np.full(len(facts), -1)
    quotes = facts.speech.quotes[facts.starts]
    # The "his" of "said his wife" stands for somebody else.
    lexicon = facts.lexicon
    is_own = facts.is_possessive | facts.words.find(lexicon.objects)[facts.starts]
    can_speak = (facts.agreement & ONE_PERSON) > 0
    can_speak &= (quotes == 0) & ~(is_own & facts.is_pronoun)
    # Neither Emily in "said Emily's husband" nor Tom in "the wife of Tom said".
    is_clitic = np.append(facts.words.find(lexicon.clitics), False)
    is_owner = is_clitic[facts.ends] | is_clitic[facts.ends - 1]
    is_within = np.append(False, facts.words.find(lexicon.argument_prepositions))
    rows = np.argsort(scores, kind="stable")
    # The last one, and likeliest, stays; and -1 finds nothing.
    by_start, by_end = np.full((2, len(facts.words.index) + 2), -1)
    for found, places, are_asked in (
        (by_start, facts.starts, can_speak & ~is_owner),
        (by_end, facts.ends, can_speak & ~is_within[facts.starts]),
    ):
        asked = rows[are_asked[rows]]
        found[places[asked]] = asked
    speakers = np.where(begins >= 0, by_start[begins], by_end[ends])
    return speakers[quotes]


def find_narrators(facts: Facts) -> np.ndarray:
    """Find who is "I": in a quotation who speaks it, else the one who tells the text.

    facts (Facts): What is known of the mentions.
    RETURNS (numpy.ndarray): Shape (n_mentions,), for a first person the mention that
        speaks, or the first "I" of the quotation if that is not known; the first "I" of
        a text with one narrator, outside of quotations; -1 for all else.
    """
    quotes = facts.speech.quotes[facts.starts]
    is_one = facts.is_speaker
    # Not the "I" of "Chapter I".
    is_told = facts.is_likely & facts.speech.has_narrator
    rows = np.flatnonzero(is_one & ((quotes > 0) | is_told))
    _, firsts, places = np.unique(quotes[rows], return_index=True, return_inverse=True)
    narrators = np.where(is_one, facts.spoken_by, -1)
    first = rows[firsts][places]
    # The first one stands for itself.
    is_open = (narrators[rows] < 0) & (rows != first)
    narrators[rows] = np.where(is_open, first, narrators[rows])
    return narrators
