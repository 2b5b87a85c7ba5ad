"""Names: what titles and given names tell of them."""

from typing import Tuple

import numpy as np

from ..languages.features import (
    ANYTHING,
    FEMALE,
    GROUP,
    MALE,
    ONE_PERSON,
    SEVERAL,
    THING,
)
from ..languages.resources import COMMON, read_words
from .facts import Facts

_PERSON_LABELS = ("PERSON", "PER", "persName")


def read_names(facts: Facts) -> np.ndarray:
    """Tell what names can be, by titles and given names.

    facts (Facts): What is known of the mentions so far.
    RETURNS (numpy.ndarray): Shape (n_mentions,), what they can be (features.py); of
        mentions that are no names nothing useful.
    """
    words, runs, lexicon = facts.words, facts.runs, facts.lexicon
    starts, heads = facts.starts, facts.heads
    given = np.maximum(runs.firsts[heads], starts)
    # What is somebody's family name does not tell a gender: here the later words of a
    # name and those after "Dr.", and anywhere those of a list.
    is_family = np.isin(words.index[given], words.index[runs.is_later])
    is_family |= words.find(read_words(COMMON, "family_names"))[given]
    by_name = words.map(find_given_name)[given]
    by_name = np.where(is_family & (given == heads), 0, by_name)
    by_title, is_person = _read_titles(facts, given)
    is_person |= facts.annotation.is_entity(*_PERSON_LABELS)[heads] & (given == heads)
    # A ship or a town may have a woman's name, but not be a man.
    gender = np.where(by_name > 0, by_name | np.where(is_person, 0, THING), 0)
    is_told = (by_title == MALE) | (by_title == FEMALE)
    gender = np.where(is_told | (gender == 0), by_title, gender)
    # "King Arthur", which is a film; "Queen", "they"
    named = np.where(starts == heads, THING | GROUP | SEVERAL, THING | GROUP)
    gender = np.where((by_title > 0) & ~is_person, gender | named, gender)
    # "the Bennets"
    is_plural = words.find(lexicon.definites)[starts] & (starts + 1 == heads)
    return np.where((gender > 0) & ~is_plural, gender, ANYTHING)


def _read_titles(facts: Facts, given: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Tell what titles tell of names, 0 where there is none, and if it surely is so."""
    words, runs, lexicon = facts.words, facts.runs, facts.lexicon
    starts, heads = facts.starts, facts.heads
    # A title stands at the start of the mention or before the name.
    before = np.maximum(given - 1, starts)
    # In "King Charles 's wife Camilla" it is another's.
    clitics = np.cumsum(words.find(lexicon.clitics))
    is_own = clitics[heads] == clitics[starts]
    first = np.where(runs.title[before] > 0, before, starts)
    found = np.where((first == before) | is_own, runs.title[first], 0)
    return found, (found > 0) & words.find(lexicon.family_titles)[first]


def find_given_name(word: str) -> int:
    """Tell what a given name tells.

    word (str): The name in lower case.
    RETURNS (int): MALE, FEMALE, ONE_PERSON for what is both, 0 for what is no name.
    """
    is_male = word in read_words(COMMON, "male_names")
    is_female = word in read_words(COMMON, "female_names")
    if word in read_words(COMMON, "unisex_names") or (is_male and is_female):
        return ONE_PERSON
    return MALE if is_male else FEMALE if is_female else 0
