"""English: which pairs of nouns and names cannot be one, or hardly."""

from functools import lru_cache
from typing import FrozenSet

import numpy as np

from ..tokens.lexicon import get_lexicon
from . import pairs
from .agreement import THING
from .facts import THIRD, Facts
from .words import GIVEN_NAMES, is_sign, read_words

_LANG = "en"
_SUBJECTS = frozenset(("he", "she", "they"))
_OBJECTS = frozenset(("him", "her", "them"))
_HAVE = frozenset(("has", "have", "had"))


def is_generic(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find "you" for people in general, beside a noun or name.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    found = np.zeros(len(later), dtype=bool)
    for one, other in ((later, earlier), (earlier, later)):
        found |= facts.is_generic[one] & ~facts.is_pronoun[other]
    return found


def is_lifeless(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find "he", "she" and "they" for a noun that no list knows as alive or a group.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    found = np.zeros(len(later), dtype=bool)
    is_it = (facts.agreement & THING) > 0
    is_he_or_they = (facts.person == THIRD) & ~is_it
    for one, other in ((later, earlier), (earlier, later)):
        found |= is_he_or_they[one] & facts.is_lifeless[other]
    return found


def is_another(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find two things of a kind: "a soldier" and "another soldier".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    forms = facts.words.index
    same_head = forms[facts.heads[later]] == forms[facts.heads[earlier]]
    counts = np.cumsum(np.append(0, facts.words.find(read_words(_LANG, "others"))))
    n_others = counts[facts.heads] - counts[facts.starts]
    is_other = (n_others[later] > 0) & ~facts.is_pronoun[earlier]
    # "The second witness" may be named so twice.
    same_words = forms[facts.starts[later]] == forms[facts.starts[earlier]]
    return same_head & is_other & ~(same_words & (n_others[earlier] > 0))


def are_other_names(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find two people with different given names and nothing in common.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool: names of one word that begin with
        different letters, since "Liz" may be "Lizzy".
    """
    given = read_words("common", *GIVEN_NAMES)
    is_given = facts.is_name & facts.words.find(given)[facts.heads]
    is_given &= facts.ends - facts.starts == 1
    letters = facts.words.map(_find_letter)[facts.heads]
    return is_given[later] & is_given[earlier] & (letters[later] != letters[earlier])


def _find_letter(form: str) -> int:
    return ord(form[0]) if form else 0


def are_arguments(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find the subject and the object of one verb, without a reflexive.

    Where there is no tree, these are pronouns with nothing between them that could
    begin a clause or be another subject: "she stood up and greeted her".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    if facts.parse.has_dep:
        return pairs.are_arguments(facts, later, earlier)
    lexicon, words = get_lexicon(_LANG), facts.words
    is_mark = words.map(is_sign) > 0
    # What shows that "her" is not hers: "she saw her again", "she took her home".
    is_end = is_mark | words.find(lexicon.not_nouns) | words.find(lexicon.cutters)
    is_end |= words.find(lexicon.coordinators)
    is_object = words.find(_OBJECTS)
    is_object &= ~words.find(lexicon.objects) | np.append(is_end[1:], True)
    # In "she came in and saw her" it is an adverb.
    is_adverb = np.append(words.find(lexicon.coordinators)[1:], False)
    is_stop = is_mark | (words.find(_read_stops()) & ~is_adverb)
    n_stops = np.append(0, np.cumsum(is_stop))
    n_starts = np.cumsum(np.bincount(facts.starts, minlength=len(is_stop)) > 0)
    subjects, objects = facts.starts[earlier], facts.starts[later]
    holds = words.find(_SUBJECTS)[subjects] & is_object[objects]
    holds &= facts.is_pronoun[earlier] & facts.is_pronoun[later]
    holds &= n_stops[objects] == n_stops[np.minimum(subjects + 1, objects)]
    return holds & (n_starts[objects] == n_starts[subjects] + 1)


@lru_cache(maxsize=None)
def _read_stops() -> FrozenSet[str]:
    """Read the words after which the subject may be another, or the object oblique."""
    lexicon = get_lexicon(_LANG)
    return (lexicon.cutters | lexicon.relatives) - read_words(_LANG, "be") - _HAVE
