"""Read the gender of Polish names in all cases, for texts without morphology."""

from functools import lru_cache
from typing import Dict, List

from ...grammar.features import FEM_THING, FEMALE, MALE, MASC_THING
from ...grammar.resources import read_words

_MALE, _FEMALE = MALE | MASC_THING, FEMALE | FEM_THING
_BITS = {"m": _MALE, "f": _FEMALE}
# The endings of surnames that are adjectives, with the letters before them: "-ski".
_STEMS = ("sk", "ck", "dzk")
_MALE_ENDINGS = ("i", "iego", "iemu", "im")
_FEMALE_ENDINGS = ("a", "iej", "ą")
_SURNAME = 5


def find_name(word: str) -> int:
    """Read the agreement bits of a given name or of a surname that is an adjective.

    word (str): The name in lower case, in any case of the singular.
    RETURNS (int): The bits of features.py; 0 for other words.
    """
    found = _read_forms().get(word, 0)
    if found or len(word) < _SURNAME:
        return found
    for endings, bits in ((_MALE_ENDINGS, _MALE), (_FEMALE_ENDINGS, _FEMALE)):
        for ending in endings:
            if word.endswith(tuple(stem + ending for stem in _STEMS)):
                return bits
    return 0


@lru_cache(maxsize=None)
def _read_forms() -> Dict[str, int]:
    forms: Dict[str, int] = {}
    for names, gender in (("male_names", "m"), ("female_names", "f")):
        for name in read_words("pl", names):
            for form in inflect(name, gender):
                forms[form] = forms.get(form, 0) | _BITS[gender]
    return forms


def list_forms(name: str, gender: str) -> List[str]:
    """List the forms of a given name, or of a surname in any of its forms.

    name (str): The name in lower case.
    gender (str): "m", "f", or "" if it is not known.
    RETURNS (List[str]): The forms of the singular; those of both genders for a surname
        that is an adjective.
    """
    for ending in (*_MALE_ENDINGS, *_FEMALE_ENDINGS):
        if name.endswith(tuple(stem + ending for stem in _STEMS)):
            stem = name[: -len(ending)]
            return [stem + other for other in (*_MALE_ENDINGS, *_FEMALE_ENDINGS)]
    return inflect(name, gender or ("f" if name.endswith("a") else "m"))


def inflect(name: str, gender: str) -> List[str]:
    """List the forms of a given name that its declension makes; see Nagórko (2007).

    name (str): The name in lower case.
    gender (str): "m" or "f".
    RETURNS (List[str]): The forms of the singular, without those with rare changes of
        the stem.
    """
    stem = name[:-1]
    if name.endswith("a"):
        plain = stem + ("i" if stem.endswith(("k", "g", "l", "j", "i")) else "y")
        if stem.endswith("i"):
            # "Kasia, Kasi", but "Maria, Marii".
            plain = stem if stem[-2:-1] in "śszńnćcb" else stem + "i"
        return [name, plain, stem + "ę", stem + "ą", stem + "o", _soften(stem)]
    if gender == "f":
        return [name]
    if name.endswith(("y", "i")):
        stem = stem if name.endswith("y") else name
        return [name, stem + "ego", stem + "emu", name + "m"]
    if name.endswith("o"):
        return [name, stem + "a", stem + "owi", stem + "em"]
    if name.endswith("ek") or name.endswith("eł"):
        # The vowel is only in the nominative: "Marek, Marka", "Paweł, Pawła".
        stem = name[:-2] + name[-1]
    else:
        stem = _open(name)
    instrumental = stem + ("iem" if stem.endswith(("k", "g")) else "em")
    return [name, stem + "a", stem + "owi", instrumental, _soften(stem), stem + "u"]


def _open(name: str) -> str:
    """Write a soft consonant before a vowel: "Jaś, Jasia"."""
    for letter, before in (("ś", "si"), ("ń", "ni"), ("ć", "ci"), ("ź", "zi")):
        if name.endswith(letter):
            return name[:-1] + before
    return name


def _soften(stem: str) -> str:
    """Form the locative: "Anna, Annie", "Piotr, Piotrze"."""
    for end, soft in (
        ("sł", "śle"),
        ("st", "ście"),
        ("ch", "sze"),
        ("k", "ce"),
        ("g", "dze"),
        ("r", "rze"),
        ("ł", "le"),
        ("t", "cie"),
        ("d", "dzie"),
        ("i", "i"),
        ("j", "i"),
        ("l", "li"),
    ):
        if stem.endswith(end):
            return stem[: -len(end)] + soft
    return stem + "ie"
