"""English: which pairs of nouns and names cannot be one, or hardly."""

import numpy as np

from .agreement import THING
from .facts import THIRD, Facts
from .words import GIVEN_NAMES, read_words

_LANG = "en"


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
