"""Read the agreement of French nouns from determiners and a list of people."""

from functools import lru_cache
from typing import Dict

import numpy as np

from ...rules.facts import Facts
from ...rules.name_runs import make_title_reader
from ..determiners import read_determiners
from ..features import (
    ANYTHING,
    FEM_SEVERAL,
    FEMALE,
    GROUP,
    MALE,
    MASC_SEVERAL,
    ONE,
    ONE_PERSON,
    SEVERAL,
    THING,
    read_letters,
)
from ..resources import read_table

# The bits of people, one or several.
_MASCULINE, _FEMININE = MALE | MASC_SEVERAL, FEMALE | FEM_SEVERAL
_PEOPLE = _MASCULINE | _FEMININE | ONE_PERSON
# Endings of nouns for people, and the masculine endings of feminine ones: "actrice" is
# the feminine of "acteur".
_EITHER = ("iste", "logue", "thérapeute")
_ENDINGS = (
    ("trice", "teur"),
    ("euse", "eur"),
    ("eresse", "eur"),
    ("esse", "e"),
    ("enne", "en"),
    ("onne", "on"),
    ("ère", "er"),
    ("elle", "el"),
    ("ve", "f"),
    ("se", "x"),
    ("e", ""),
)
_PERSON_LABELS, _PLACE_LABELS = ("PER", "PERSON", "persName"), ("LOC", "GPE")


def read_nouns(facts: Facts) -> np.ndarray:
    """Read the agreement bits of nouns and names, and find nouns that may be things.

    Determiners take precedence over the tagger's gender and number. Nouns for people
    such as "élève" have the gender of their determiner, and some can be a woman after a
    masculine determiner ("le ministre … elle"). The gender of a name without one is not
    known from the tagger.

    facts (Facts): The features of the mentions that have been read so far. Sets
        `is_lifeless`.
    RETURNS (numpy.ndarray): Shape (n_mentions,), int64, the bits of features.py.
    """
    words, heads, annotation = facts.words, facts.heads, facts.annotation
    determined = read_determiners(annotation, words, facts.lexicon)[heads]
    tagged = facts.features.as_noun[heads]
    is_person = annotation.is_entity(*_PERSON_LABELS)[heads]
    is_place = annotation.is_entity(*_PLACE_LABELS)[heads]
    known = words.map(find_noun_mask)[heads]
    title = words.map(make_title_reader(facts.lexicon))[heads]
    is_titled = ((title == MALE) | (title == FEMALE)) & ~facts.is_name
    known = np.where(is_titled, np.where(title == MALE, _MASCULINE, _FEMININE), known)
    # Taggers guess the gender of names, and of nouns with one form for both.
    is_open = facts.is_name | ((known & MALE > 0) & (known & FEMALE > 0))
    number = np.where(tagged & ONE, np.where(tagged & SEVERAL, ANYTHING, ONE), SEVERAL)
    tagged = np.where(is_open, np.where(facts.is_name, ANYTHING, number), tagged)
    # "Le ministre" can be a woman, but "la ministre" not a man; a "victime" can be both.
    is_fixed = words.map(_is_fixed)[heads] > 0
    can_be_woman = words.map(_can_be_woman)[heads] & ((determined & MALE) > 0)
    loose = np.where((determined & ONE) > 0, determined | ONE_PERSON, determined)
    loose = np.where((determined & SEVERAL) > 0, loose | SEVERAL, loose)
    determined = np.where(is_fixed | can_be_woman, loose, determined)
    found = np.where((tagged & determined) > 0, tagged & determined, determined)
    found = np.where(is_place & ((found & (THING | SEVERAL)) > 0), found & ~ONE_PERSON, found)
    found = np.where(is_person & facts.is_name, found & (ONE_PERSON | SEVERAL), found)
    is_group = (known & GROUP) > 0
    is_someone = (known != ANYTHING) & ~is_group & ((found & known) > 0)
    found = np.where(is_someone, found & known, found)
    found = np.where(is_group & ((found & ONE) > 0), found | GROUP, found)
    facts.is_lifeless = (known == ANYTHING) & ~is_person & ~facts.is_name
    facts.is_lifeless &= (facts.person == 0) & annotation.is_pos("NOUN")[heads]
    return np.where(found > 0, found, ANYTHING)


@lru_cache(maxsize=None)
def _read_letters() -> Dict[str, str]:
    return {noun: letters for noun, (letters,) in read_table("fr", "nouns").items()}


def find_noun_mask(form: str) -> int:
    """Find what a noun can be.

    form (str): The noun in lower case, in the singular or plural.
    RETURNS (int): The bits of features.py, of one and of several people; ANYTHING for a
        noun that is not known.
    """
    letters = _find_letters(form)
    if not letters:
        return ANYTHING
    if "g" in letters:
        return read_letters(letters)
    is_either = letters not in ("m", "f")
    return _PEOPLE if is_either else {"m": _MASCULINE, "f": _FEMININE}[letters]


def _find_letters(form: str) -> str:
    known = _read_letters()
    for noun in (form, form[:-1] if form.endswith(("s", "x")) else ""):
        if noun in known:
            return known[noun]
        if noun.endswith(_EITHER):
            return "p"
        for ending, masculine in _ENDINGS:
            if noun.endswith(ending):
                if known.get(noun[: -len(ending)] + masculine) == "m":
                    return "f"
    return ""


def _is_fixed(form: str) -> bool:
    return _find_letters(form) == "mfp"


def _can_be_woman(form: str) -> bool:
    return _find_letters(form) == "mf"
