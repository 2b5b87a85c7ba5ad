"""The word lists of a language that training needs, all asked for here."""

from functools import lru_cache
from typing import Dict, FrozenSet, Tuple

from ..errors import Errors
from ..languages.features import list_pronouns
from ..languages.lexicon import Lexicon, get_lexicon
from ..languages.resources import (
    COMMON,
    find_folder,
    has_words,
    list_languages,
    read_table,
    read_words,
)


def read_required(lang: str, name: str, feature: str) -> Dict[str, Tuple[str, ...]]:
    """Read a table that a feature can't do without.

    lang (str): The language's code.
    name (str): The table's name, without ".txt".
    feature (str): What needs it, for the message: a registered name.
    RETURNS (Dict[str, Tuple[str, ...]]): The columns by word.
    RAISES (ValueError): The language has no such table.
    """
    if not has_words(lang, name):
        known = (one for one in list_languages() if has_words(one, name))
        available = ", ".join(known)
        raise ValueError(
            Errors.FC094.format(
                feature=feature, name=name, lang=lang, available=available
            )
        )
    return read_table(lang, name)


def read_personal_pronouns(lang: str, feature: str) -> Dict[str, Tuple[str, int]]:
    """Read the personal pronouns of a language.

    lang (str): The language's code.
    feature (str): What needs them, for the message: a registered name.
    RETURNS (Dict[str, Tuple[str, int]]): What each form can refer to, such as "m" for a
        man, and its person, from 1 to 3.
    RAISES (ValueError): The language has no list of pronouns.
    """
    pronouns = list_pronouns(_get_words(lang))
    if not pronouns:
        known = (one for one in list_languages() if get_lexicon(one).features)
        raise ValueError(
            Errors.FC094.format(
                feature=feature, name="pronouns", lang=lang, available=", ".join(known)
            )
        )
    return pronouns


@lru_cache(maxsize=None)
def read_titles(lang: str) -> FrozenSet[str]:
    """Read the titles of a language.

    lang (str): The language's code.
    RETURNS (FrozenSet[str]): The titles in lower case; none for a language without a
        list, as names are found without titles, too.
    """
    return frozenset().union(*_get_words(lang).titles.values())


def _get_words(lang: str) -> Lexicon:
    """Get a lexicon, an empty one for a language without any."""
    return Lexicon() if find_folder(lang) is None else get_lexicon(lang)


def read_given_names(*genders: str) -> FrozenSet[str]:
    """Read given names, which are shared by all languages.

    *genders (str): "male", "female" or "unisex".
    RETURNS (FrozenSet[str]): The names of all these lists, in lower case.
    """
    return read_words(COMMON, *(f"{gender}_names" for gender in genders))
