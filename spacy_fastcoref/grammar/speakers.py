"""Judge first and second persons by who speaks, in quotations and around them."""

import numpy as np

from .features import FIRST, NEUT_PERSON, ONE_PERSON, SECOND, SEVERAL, THIRD
from .mention_features import MentionFeatures, either_way
from .word_index import Marks, Rows


def are_other_persons(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find pronouns of different persons used by the same speaker: "I" and "he"."""
    left, right = facts.person[later], facts.person[earlier]
    are_personal = (left >= FIRST) & (left <= THIRD) & (right >= FIRST)
    are_personal &= right <= THIRD
    # "We" and "they" can be the same people.
    is_singular = ((facts.agreement[later] | facts.agreement[earlier]) & SEVERAL) == 0
    is_singular |= (left == SECOND) ^ (right == SECOND)
    found = are_personal & (left != right) & is_singular
    for spoken in (facts.speech.speakers, facts.speech.stretches):
        found &= spoken[facts.starts[later]] == spoken[facts.starts[earlier]]
    return found


def are_other_speakers(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find first persons of two known speakers outside of quotations: "I" and "I"."""
    speaker = facts.speech.speakers[facts.starts]
    is_known = (facts.person == FIRST) & (speaker > 0)
    is_known &= facts.speech.quotes[facts.starts] == 0
    agree = (facts.agreement[later] & facts.agreement[earlier]) != 0
    differ = speaker[later] != speaker[earlier]
    return is_known[later] & is_known[earlier] & differ & agree


def are_inside_and_outside(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find pairs of the narrator's "I" and the "I" of somebody in a quotation."""
    is_quoted = facts.speech.quotes[facts.starts] > 0
    is_known = (facts.spoken_by >= 0) & (facts.person[facts.spoken_by] != FIRST)
    is_speaker = facts.is_speaker & is_quoted & is_known
    is_narrator = facts.is_speaker & ~is_quoted & facts.speech.is_narrated[facts.starts]
    return facts.find_pairs(is_speaker, is_narrator, later, earlier)


@either_way
def is_about_speaker(facts: MentionFeatures, one: Rows, other: Rows) -> Marks:
    """Find a second or third person in a quotation and its speaker, who says "I"."""
    is_other = (facts.person == SECOND) | (facts.person == THIRD)
    return is_other[one] & (facts.spoken_by[one] == other)


def find_speakers(facts: MentionFeatures, scores: np.ndarray) -> Rows:
    """Find the mention of the speaker of each mention in a quotation; -1 for none."""
    begins, ends = facts.speech.attributions
    quotes = facts.speech.quotes[facts.starts]
    # A possessive is not the speaker: "his" in "said his wife".
    lexicon = facts.lexicon
    is_possessive = facts.words.find(lexicon.objects)[facts.starts]
    is_possessive |= facts.is_possessive
    can_speak = (facts.agreement & (ONE_PERSON | NEUT_PERSON)) > 0
    can_speak &= (quotes == 0) & ~(is_possessive & facts.is_pronoun)
    # Neither "Emily" in "said Emily's husband" nor "Tom" in "the wife of Tom said".
    is_clitic = np.append(facts.words.find(lexicon.clitics), False)
    is_owner = is_clitic[facts.ends] | is_clitic[facts.ends - 1]
    is_within = np.append(False, facts.words.find(lexicon.argument_prepositions))
    is_last = can_speak & ~is_within[facts.starts]
    by_start = facts.find_best(facts.starts, can_speak & ~is_owner, scores)
    by_end = facts.find_best(facts.ends, is_last, scores)
    speakers = np.where(begins >= 0, by_start[begins], by_end[ends])
    return speakers[quotes]


def find_narrators(facts: MentionFeatures) -> Rows:
    """Find who "I" refers to: the speaker or the first "I" of a quotation, or the first
    "I" of a text with a narrator; -1 for all other mentions."""
    quotes = facts.speech.quotes[facts.starts]
    # The model has to consider it a mention, unlike the "I" of "Chapter I".
    is_narrated = facts.is_likely & facts.speech.is_narrated[facts.starts]
    rows = np.flatnonzero(facts.is_speaker & ((quotes > 0) | is_narrated))
    # What is in no quotation is one text in each document.
    texts = np.where(quotes > 0, quotes, -facts.words.documents[facts.starts])[rows]
    _, firsts, places = np.unique(texts, return_index=True, return_inverse=True)
    narrators = np.where(facts.is_speaker, facts.spoken_by, -1)
    first = rows[firsts][places]
    # The first "I" has no link to itself.
    is_open = (narrators[rows] < 0) & (rows != first)
    narrators[rows] = np.where(is_open, first, narrators[rows])
    return narrators
