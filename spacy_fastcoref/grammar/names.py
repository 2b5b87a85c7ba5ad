"""Read the agreement of names from titles and given names."""

from typing import Tuple

import numpy as np

from .facts import Facts
from .features import (
    ANYTHING,
    FEM_THING,
    FEMALE,
    GROUP,
    MALE,
    MASC_THING,
    PERSON_LABELS,
    SEVERAL,
    THING,
)
from .given_names import make_name_reader
from .resources import COMMON, read_words

# What a thing with the name of a man, and with that of a woman, can be.
_THINGS = (THING & ~FEM_THING, THING & ~MASC_THING)


def read_names(facts: Facts) -> np.ndarray:
    """Read the agreement bits of names from titles and given names.

    facts (Facts): The features of the mentions that have been read so far.
    RETURNS (numpy.ndarray): Shape (n_mentions,), int64, the bits of features.py. The
        values for mentions that are not names are not used.
    """
    words, runs, lexicon = facts.words, facts.runs, facts.lexicon
    starts, heads = facts.starts, facts.heads
    given = np.maximum(runs.firsts[heads], starts)
    # A family name has no gender. A word is a family name if it is in the list, or if
    # it is a later word of a name or follows a title such as "Dr." in this document.
    is_family = np.isin(words.index[given], words.index[runs.is_later])
    is_family |= words.find(read_words(COMMON, "family_names"))[given]
    by_name = words.map(make_name_reader(lexicon.lang))[given]
    by_name = np.where(is_family & (given == heads), 0, by_name)
    by_title, is_person = _read_titles(facts, given)
    is_labelled = facts.annotation.is_entity(*PERSON_LABELS)
    is_person |= is_labelled[heads] & is_labelled[given]
    # A ship or a town can have a woman's name, but it doesn't agree with "he".
    things = np.select([by_name == MALE, by_name == FEMALE], _THINGS, THING)
    gender = np.where(by_name > 0, by_name | np.where(is_person, 0, things), 0)
    has_gender = (by_title == MALE) | (by_title == FEMALE)
    gender = np.where(has_gender | (gender == 0), by_title, gender)
    # A name with a title can be a thing or a group: the film "King Arthur", the band
    # "Queen".
    things = np.select([by_title == MALE, by_title == FEMALE], _THINGS, THING)
    named = things | np.where(starts == heads, GROUP | SEVERAL, GROUP)
    gender = np.where((by_title > 0) & ~is_person, gender | named, gender)
    # A definite determiner before a name: "the Bennets".
    is_plural = words.find(lexicon.definites)[starts] & (starts + 1 == heads)
    return np.where((gender > 0) & ~is_plural, gender, ANYTHING)


def _read_titles(facts: Facts, given: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Read the agreement bits of titles, 0 without a title, and whether they have to
    belong to a person."""
    words, runs, lexicon = facts.words, facts.runs, facts.lexicon
    starts, heads = facts.starts, facts.heads
    # A title is the first word of the mention, or the word before the name.
    before = np.maximum(given - 1, starts)
    # In "King Charles 's wife Camilla", the title is that of the possessor.
    clitics = np.cumsum(words.find(lexicon.clitics))
    is_own = clitics[heads] == clitics[starts]
    first = np.where(runs.title[before] > 0, before, starts)
    found = np.where((first == before) | is_own, runs.title[first], 0)
    return found, (found > 0) & words.find(lexicon.family_titles)[first]
