"""The word lists of a language that training needs, all asked for here."""

from functools import lru_cache
from typing import Dict, FrozenSet, List, Tuple

from ..errors import Errors
from ..languages.word_index import DATA, read_table, read_words

_FILES = "{lang}/data/{name}.txt"
# Kinds of personal pronouns: subjects and objects, possessives, reflexives.
_PERSONAL = frozenset("spr")
_PERSONS = frozenset("123")


def has_words(lang: str, name: str) -> bool:
    """Tell whether a language has a word list.

    lang (str): The language's code.
    name (str): The list's name, without ".txt".
    RETURNS (bool): Whether there is one.
    """
    return lang.isalpha() and (DATA / _FILES.format(lang=lang, name=name)).is_file()


def list_languages(name: str) -> List[str]:
    """List the languages that have a word list.

    name (str): The list's name, without ".txt".
    RETURNS (List[str]): The languages' codes.
    """
    paths = DATA.glob(_FILES.format(lang="*", name=name))
    return sorted(path.parent.parent.name for path in paths)


def read_required(lang: str, name: str, feature: str) -> Dict[str, Tuple[str, ...]]:
    """Read a table that a feature can't do without.

    lang (str): The language's code.
    name (str): The table's name, without ".txt".
    feature (str): What needs it, for the message: a registered name.
    RETURNS (Dict[str, Tuple[str, ...]]): The columns by word.
    RAISES (ValueError): The language has no such table.
    """
    if not has_words(lang, name):
        available = ", ".join(list_languages(name))
        raise ValueError(
            Errors.FC094.format(
                feature=feature, name=name, lang=lang, available=available
            )
        )
    return read_table(lang, name)


def read_personal_pronouns(lang: str, feature: str) -> Dict[str, Tuple[str, str]]:
    """Read the personal pronouns of a language.

    lang (str): The language's code.
    feature (str): What needs them, for the message: a registered name.
    RETURNS (Dict[str, Tuple[str, str]]): What each form can refer to, such as "m" for a
        man, and its person, "1", "2" or "3".
    RAISES (ValueError): The language has no list of pronouns.
    """
    table = read_required(lang, "pronouns", feature)
    return {
        form: (genders, person)
        for form, (genders, person, kind) in table.items()
        if person in _PERSONS and kind in _PERSONAL
    }


@lru_cache(maxsize=None)
def read_titles(lang: str) -> FrozenSet[str]:
    """Read the titles of a language.

    lang (str): The language's code.
    RETURNS (FrozenSet[str]): The titles in lower case; none for a language without a
        list, as names are found without titles, too.
    """
    if not has_words(lang, "titles"):
        return frozenset()
    return frozenset(read_table(lang, "titles"))


def read_given_names(*genders: str) -> FrozenSet[str]:
    """Read given names, which are shared by all languages.

    *genders (str): "male", "female" or "unisex".
    RETURNS (FrozenSet[str]): The names of all these lists, in lower case.
    """
    return read_words("common", *(f"{gender}_names" for gender in genders))
