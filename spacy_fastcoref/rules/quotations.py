"""Who speaks: in a quotation, and in the text around it."""

import numpy as np

from ..languages.lexicon import get_lexicon
from .agreement import ONE_PERSON, SEVERAL
from .facts import FIRST, Facts


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
    lexicon = get_lexicon(facts.parse.doc.lang_)
    is_own = facts.is_possessive | facts.words.find(lexicon.objects)[facts.starts]
    can_speak = (facts.agreement & ONE_PERSON) > 0
    can_speak &= (quotes == 0) & ~(is_own & facts.is_pronoun)
    # Neither Emily in "said Emily's husband" nor Tom in "the wife of Tom said".
    is_clitic = np.append(facts.words.find(lexicon.clitics), False)
    is_owner = is_clitic[facts.ends] | is_clitic[facts.ends - 1]
    is_within = np.append(False, facts.words.find(facts.parse.prepositions))
    rows = np.argsort(scores, kind="stable")
    # The last one, and likeliest, stays; and -1 finds nothing.
    by_start, by_end = np.full((2, len(facts.parse.heads) + 2), -1)
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
    if facts.spoken_by is None:
        return np.full(len(facts), -1)
    quotes = facts.speech.quotes[facts.starts]
    is_one = (facts.person == FIRST) & ((facts.agreement & SEVERAL) == 0)
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
