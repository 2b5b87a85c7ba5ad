"""Define the features in which mentions agree, and read them from morphology.

The agreement of a mention is a set of possible readings, with a bit for each: one man,
one woman, several things, and so on. Two mentions agree if they have a common bit, and
the mentions of a cluster have to have a common bit, too. If a feature is unknown, the
bits of all its values are set."""

from functools import lru_cache, reduce
from operator import or_
from typing import Dict, FrozenSet

import numpy as np

# A man, a woman, a person of unknown gender; a thing or an animal by grammatical
# gender; a group of people in the singular; several people or things by grammatical
# gender.
MALE, FEMALE, PERSON = 1, 2, 4
MASC_THING, FEM_THING, NEUT_THING = 8, 16, 32
GROUP = 64
MASC_SEVERAL, FEM_SEVERAL, NEUT_SEVERAL = 128, 256, 512
# A man and a woman referred to by a neuter noun ("das Mädchen", "het meisje"), which
# agree with neuter pronouns and, by meaning, with those of their own gender.
NEUT_MALE, NEUT_FEMALE = 1024, 2048
NEUT_PERSON = NEUT_MALE | NEUT_FEMALE
# A man and a woman known by name, who agree with pronouns of open gender, too: "Jenny …
# they", "Jenny … xe".
OPEN_MALE, OPEN_FEMALE = 4096 * MALE, 4096 * FEMALE
OPEN_PERSON = OPEN_MALE | OPEN_FEMALE
ANYTHING = 16383
ONE_PERSON = MALE | FEMALE | PERSON | OPEN_PERSON
THING = MASC_THING | FEM_THING | NEUT_THING
SEVERAL = MASC_SEVERAL | FEM_SEVERAL | NEUT_SEVERAL
ONE = ONE_PERSON | NEUT_PERSON | THING | GROUP
NO_PERSON = THING | GROUP | SEVERAL
# The letters of the bits in word lists.
LETTERS = {"m": MALE, "f": FEMALE, "p": PERSON, "t": THING, "g": GROUP, "s": SEVERAL}
# What a first or second person, or somebody who is addressed, can be.
PERSONS = ONE_PERSON | NEUT_PERSON | GROUP | SEVERAL
# The bits of the entity types that a model predicts; other types leave all bits open.
_THINGS = ("object", "place", "event", "time", "abstract", "plant", "substance")
_TYPES = {"person": PERSONS, **dict.fromkeys(_THINGS, NO_PERSON)}
# The person of pronouns, and of verbs whose form includes the subject.
FIRST, SECOND, THIRD, OTHER_PRONOUN = 1, 2, 3, 4

_GENDERS = {
    "Masc": MALE | NEUT_MALE | MASC_THING | MASC_SEVERAL,
    "Fem": FEMALE | NEUT_FEMALE | FEM_THING | FEM_SEVERAL,
    "Neut": NEUT_PERSON | NEUT_THING | NEUT_SEVERAL,
    "Com": PERSON | OPEN_PERSON | MASC_THING | FEM_THING | SEVERAL,
}
_ANIMATE = ONE_PERSON | NEUT_PERSON | SEVERAL
_ANIMACIES = {
    "Anim": _ANIMATE,
    "Hum": _ANIMATE,
    "Nhum": THING | SEVERAL,
    "Inan": THING | GROUP | SEVERAL,
}
_NUMBERS = {"Sing": ONE, "Plur": SEVERAL, "Dual": SEVERAL, "Ptan": SEVERAL}
# The labels of entities that are people.
PERSON_LABELS = ("PERSON", "PER", "persName")
# The flags of pronouns, and their features in Universal Dependencies.
REFLEXIVE, POSSESSIVE, DEMONSTRATIVE, RECIPROCAL = 1, 2, 4, 8
NOMINATIVE, ACCUSATIVE, DATIVE = 16, 32, 64
_FLAGS = "Reflex=Yes Poss=Yes PronType=Dem PronType=Rcp Case=Nom Case=Acc Case=Dat"
FLAGS = _FLAGS.split()


@lru_cache(maxsize=None)
def read_morph(feats: str) -> int:
    """Read the agreement bits of an analysis such as "Gender=Fem|Number=Sing".

    They are ANYTHING if the features are unknown or contradictory.
    """
    found = split_feats(feats)
    mask = ANYTHING
    tables = {"Gender": _GENDERS, "Animacy": _ANIMACIES, "Number": _NUMBERS}
    for name, table in tables.items():
        values = found.get(name, "").split(",")
        mask &= reduce(or_, (table.get(value, 0) for value in values)) or ANYTHING
    if found.get("Gender") == "Masc" and found.get("Animacy") in ("Nhum", "Inan"):
        # In Slavonic languages, only the plural of people is masculine: "psy"
        # (dogs) agrees with "one", and "chłopcy" (boys) with "oni".
        is_several = bool(mask & MASC_SEVERAL)
        mask = mask & ~MASC_SEVERAL | (FEM_SEVERAL | NEUT_SEVERAL) * is_several
    return mask or ANYTHING


def split_feats(feats: str) -> Dict[str, str]:
    """Split a morphological analysis into the value of each feature."""
    return dict(part.split("=", 1) for part in feats.split("|") if "=" in part)


def split_values(feats: str) -> Dict[str, FrozenSet[str]]:
    """Split a morphological analysis into the values of each feature."""
    pairs = split_feats(feats).items()
    return {name: frozenset(values.split(",")) for name, values in pairs}


@lru_cache(maxsize=None)
def list_feats(feats: str) -> FrozenSet[str]:
    """List the features of an analysis: "Gender=Fem,Masc" is two."""
    pairs = split_values(feats).items()
    return frozenset(f"{name}={one}" for name, all in pairs for one in all)


def read_types(types: np.ndarray) -> np.ndarray:
    """Read what the entity types that a model predicts let mentions be; see Links."""
    masks = [_TYPES.get(name, ANYTHING) for name in types.tolist()]
    return np.array(masks, dtype=np.int64)


def read_letters(letters: str) -> int:
    """Convert some of the letters m, f, p, t, g and s to agreement bits."""
    return sum(LETTERS[letter] for letter in letters)


def write_letters(mask: int) -> str:
    """Convert agreement bits to letters, in the order of LETTERS."""
    return "".join(letter for letter, bits in LETTERS.items() if mask & bits)


def find_clash(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Find the feature in which the agreement bits of pairs of mentions disagree:
    "number", "gender" or "animacy"; "" if they agree."""
    clash = np.where(left & right, "", "animacy")
    is_plural = [(side & (ONE_PERSON | THING)) == 0 for side in (left, right)]
    is_singular = [(side & (SEVERAL | GROUP)) == 0 for side in (left, right)]
    number = (is_plural[0] & is_singular[1]) | (is_singular[0] & is_plural[1])
    are_people = ((left & ONE_PERSON) > 0) & ((right & ONE_PERSON) > 0)
    clash = np.where((clash != "") & are_people, "gender", clash)
    return np.where((clash != "") & number, "number", clash)
