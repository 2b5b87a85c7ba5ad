"""Look up given names and their genders, in a language's lists and the shared ones."""

from functools import lru_cache
from typing import Callable, FrozenSet

from .features import FEMALE, MALE, ONE_PERSON
from .resources import COMMON, read_words

_GENDERS = {"male_names": MALE, "female_names": FEMALE, "unisex_names": ONE_PERSON}
_LISTS = (*_GENDERS, "more_names")


@lru_cache(maxsize=None)
def list_given_names(lang: str) -> FrozenSet[str]:
    """List the given names of a language, with those that all languages share.

    lang (str): The language's code.
    RETURNS (FrozenSet[str]): The names in lower case.
    """
    return read_words(COMMON, *_LISTS) | read_words(lang, *_LISTS)


@lru_cache(maxsize=None)
def make_name_reader(lang: str) -> Callable[[str], int]:
    """Make a function that reads the agreement bits of a given name.

    The lists of the language take precedence over the shared ones: "Jean" is a man in
    French. The first part of a compound decides: "Jean-Marie".

    lang (str): The language's code.
    RETURNS (Callable[[str], int]): Takes a name in lower case; returns MALE, FEMALE, or
        ONE_PERSON for names of both genders; 0 for words that are not given names.
    """

    def read(word: str) -> int:
        for name in (word, word.partition("-")[0]):
            for folder in (lang, COMMON):
                mask = 0
                for names, bits in _GENDERS.items():
                    if name in read_words(folder, names):
                        mask |= bits
                if mask:
                    return mask if mask in (MALE, FEMALE) else ONE_PERSON
        return 0

    return read
