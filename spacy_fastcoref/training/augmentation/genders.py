"""Texts in which women are men and men are women: what is usual is not learned from.

See Zhao et al. (2018), who trained a model on both.
"""

import random
from functools import lru_cache
from typing import Dict, FrozenSet, List, NamedTuple, Set, Tuple

from spacy.tokens import Doc, Token

from ...errors import Errors
from ...languages.word_index import DATA, read_table, read_words
from ...resolution.possessives import is_possessive, precedes_noun
from ...tokens.words import list_words
from ..pretraining.names import find_listed, read_titles

# New names are short ones: many of the lists' long ones are two, or very rare.
_MAX_LETTERS = 7
# A verb, unless it has a capital letter.
_TITLE_OR_VERB = "miss"


class GenderedWords(NamedTuple):
    """Hold a language's words and names by gender, all in lower case.

    other (Dict[str, str]): For a word of one gender that of the other.
    names (Tuple[FrozenSet[str], FrozenSet[str]]): Names of men, and of women.
    new_names (Tuple[List[str], List[str]]): Those that a text can be given.
    """

    other: Dict[str, str]
    names: Tuple[FrozenSet[str], FrozenSet[str]]
    new_names: Tuple[List[str], List[str]]


@lru_cache(maxsize=None)
def get_gendered_words(lang: str) -> GenderedWords:
    """Get the words that are swapped.

    lang (str): The language's code.
    RETURNS (GenderedWords): Its words.
    RAISES (ValueError): There are none for the language.
    """
    if not (lang.isalpha() and (DATA / lang / "data" / "gender_pairs.txt").is_file()):
        known = sorted(
            path.parent.parent.name for path in DATA.glob("*/data/gender_pairs.txt")
        )
        raise ValueError(Errors.FC094.format(lang=lang, available=known))
    table = read_table(lang, "gender_pairs")
    other = {female: male for male, females in table.items() for female in females}
    other.update((male, females[0]) for male, females in table.items())
    male, female = (
        read_words("common", name) for name in ("male_names", "female_names")
    )
    either = read_words("common", "unisex_names") | (male & female) | set(other)
    names = (male - either, female - either)
    new_names = tuple(
        sorted(
            n for n in found if n.isascii() and n.isalpha() and len(n) <= _MAX_LETTERS
        )
        for found in names
    )
    return GenderedWords(other, names, new_names)


def swap_words(doc: Doc, rng: random.Random) -> List[str]:
    """Write a text with women for men and men for women.

    Pronouns, nouns and titles are exchanged, and people of whose given name the lists
    know the gender get another name, the same wherever theirs stands.

    doc (Doc): The text.
    rng (random.Random): The source of chance, for new names.
    RETURNS (List[str]): A word for each token.
    RAISES (ValueError): The language has no list of such words.
    """
    gendered = get_gendered_words(doc.lang_)
    other = gendered.other
    words = list_words(doc)
    new = list(words)
    for i, word in enumerate(words):
        form = word.lower()
        if form in _POSSESSIVE:
            new[i] = _copy_case(word, _POSSESSIVE[form](doc[i]))
        elif form in other and (form != _TITLE_OR_VERB or word[0].isupper()):
            new[i] = _copy_case(word, other[form])
    named = _choose_names(gendered, _find_given(doc, words), set(words), rng)
    for i, word in enumerate(words):
        # In headings names are in capitals; in lower case the same may be a verb.
        if word[:1].isupper() and word.lower() in named:
            new[i] = _copy_case(word, named[word.lower()])
    return new


def _swap_her(token: Token) -> str:
    return "his" if is_possessive(token.doc[token.i : token.i + 1]) else "him"


def _swap_his(token: Token) -> str:
    return "her" if precedes_noun(token) else "hers"


def _swap_hers(token: Token) -> str:
    return "his"


# Only these are not one for one.
_POSSESSIVE = {"her": _swap_her, "his": _swap_his, "hers": _swap_hers}


def _find_given(doc: Doc, words: List[str]) -> List[str]:
    """Find given names: what stands alone, or before another name, and never last."""
    titles = read_titles(doc.lang_)
    given: List[str] = []
    family: Set[str] = set()
    for start, end in find_listed(doc):
        forms = [word.lower() for word in words[start:end]]
        own = [form for form in forms if form not in titles]
        if len(forms) == 1:
            given.extend(own)
        elif own:
            given.extend(own[:-1])
            family.add(own[-1])
    return [form for form in dict.fromkeys(given) if form not in family]


def _choose_names(
    gendered: GenderedWords, given: List[str], words: Set[str], rng: random.Random
) -> Dict[str, str]:
    taken = {word.lower() for word in words}
    chosen: Dict[str, str] = {}
    for names, others in zip(gendered.names, gendered.new_names[::-1], strict=True):
        old = (form for form in given if form in names)
        new = (name for name in rng.sample(others, len(others)) if name not in taken)
        # A text that has more names than the list keeps the rest.
        chosen.update(zip(old, new, strict=False))
    return chosen


def _copy_case(old: str, new: str) -> str:
    if old.isupper() and len(old) > 1:
        return new.upper()
    return new[0].upper() + new[1:] if old[:1].isupper() else new
