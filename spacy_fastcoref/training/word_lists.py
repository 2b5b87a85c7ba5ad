"""Read the word lists of a language that training needs."""

from functools import lru_cache
from typing import Any, Callable, Dict, FrozenSet, Iterable, List, Tuple

from ..errors import check_known
from ..grammar.lexicon import Lexicon, get_lexicon
from ..grammar.pronouns import list_pronouns
from ..grammar.resources import (
    COMMON,
    find_folder,
    list_languages,
    read_table,
    read_words,
)


def read_required(lang: str, name: str, feature: str) -> Dict[str, Tuple[str, ...]]:
    """Read the other columns of a table that a feature requires, by the first one."""
    found = read_table(lang, name)
    return found or _refuse(lang, name, feature, lambda one: read_table(one, name))


def _refuse(lang: str, name: str, feature: str, has: Callable[[str], Any]) -> Any:
    kind = f"word list '{name}', which spacy_fastcoref.{feature} needs, of the language"
    check_known(kind, lang, [*filter(has, list_languages())])


def read_personal_pronouns(lang: str, feature: str) -> Dict[str, Tuple[str, int]]:
    """Read the genders, such as "m", and the person of a language's pronouns."""
    found = list_pronouns(_get_words(lang))
    return found or _refuse(
        lang, "pronouns", feature, lambda one: bool(get_lexicon(one).features)
    )


@lru_cache(maxsize=None)
def read_titles(lang: str) -> FrozenSet[str]:
    """Read the titles of a language, in lower case; none if it has no list."""
    return frozenset().union(*_get_words(lang).titles.values())


def _get_words(lang: str) -> Lexicon:
    """Get the lexicon of a language, or an empty lexicon if there is none."""
    return Lexicon() if find_folder(lang) is None else get_lexicon(lang)


def read_given_names(*genders: str) -> FrozenSet[str]:
    """Read lists of given names, which all languages share."""
    return read_words(COMMON, *(f"{gender}_names" for gender in genders))


def list_usual_names(names: Iterable[str]) -> List[str]:
    """List the names that can stand for others, sorted.

    Many longer names of the lists are compounds of two names, or very rare.
    """
    return sorted(n for n in names if n.isascii() and n.isalpha() and 2 < len(n) < 8)
