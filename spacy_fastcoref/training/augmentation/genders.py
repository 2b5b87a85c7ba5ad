"""Swap genders in a text, so that a model learns fewer stereotypes.

See Zhao et al. (2018), who train a model on the original and the swapped texts.
"""

import random
from functools import lru_cache
from typing import Dict, FrozenSet, List, NamedTuple, Set, Tuple

from spacy.tokens import Doc, Token

from ...grammar.lexicon import get_lexicon
from ...grammar.resources import read_words
from ...grammar.word_index import list_words
from ...resolution.forms import is_possessive, precedes_noun
from ..names import find_listed_names
from ..word_lists import (
    list_usual_names,
    read_given_names,
    read_required,
    read_titles,
)

_FEATURE = "swap_genders.v1"


class _GenderedWords(NamedTuple):
    """Hold a language's gendered words, all in lower case."""

    counterparts: Dict[str, str]
    pronouns: Dict[str, Tuple[str, str]]
    capitalised: FrozenSet[str]
    names: Tuple[FrozenSet[str], FrozenSet[str]]
    new_names: Tuple[List[str], List[str]]


@lru_cache(maxsize=None)
def get_gendered_words(lang: str) -> _GenderedWords:
    """Get the gendered words of a language."""
    table = read_required(lang, "gender_pairs", _FEATURE)
    counterparts = {
        female: male for male, females in table.items() for female in females
    }
    counterparts.update((male, females[0]) for male, females in table.items())
    forms = read_required(lang, "gender_forms", _FEATURE)
    male, female = read_given_names("male"), read_given_names("female")
    either = read_given_names("unisex") | (male & female) | set(counterparts)
    names = (male - either, female - either)
    return _GenderedWords(
        counterparts,
        {form: (before_noun, other) for form, (before_noun, other) in forms.items()},
        read_words(lang, "capitalised_titles"),
        names,
        (list_usual_names(names[0]), list_usual_names(names[1])),
    )


def swap_words(doc: Doc, rng: random.Random) -> List[str]:
    """Swap the gendered words of a text.

    Pronouns, nouns and titles are replaced by their counterparts. Given names that the
    lists have for one gender only are replaced, too, all occurrences of a name by the
    same name.
    """
    gendered = get_gendered_words(doc.lang_)
    words = list_words(doc)
    new = list(words)
    for i, word in enumerate(words):
        form = word.lower()
        if form in gendered.pronouns:
            before_noun, other = gendered.pronouns[form]
            swapped = before_noun if _is_before_noun(doc[i]) else other
            new[i] = _copy_case(word, swapped)
        elif form in gendered.counterparts and (
            form not in gendered.capitalised or word[0].isupper()
        ):
            new[i] = _copy_case(word, gendered.counterparts[form])
    new_names = _choose_names(gendered, _find_given(doc, words), set(words), rng)
    for i, word in enumerate(words):
        # Names are in capitals in headings. A word in lower case can be a verb.
        if word[:1].isupper() and word.lower() in new_names:
            new[i] = _copy_case(word, new_names[word.lower()])
    return new


def _is_before_noun(token: Token) -> bool:
    """Check whether a pronoun is a determiner ("his book") or a noun phrase ("his")."""
    # The annotation distinguishes objects from possessives ("her"), but not possessives
    # before a noun from others ("his").
    if token.lower_ in get_lexicon(token.doc.lang_).objects:
        return is_possessive(token.doc[token.i : token.i + 1])
    return precedes_noun(token)


def _find_given(doc: Doc, words: List[str]) -> List[str]:
    """Find given names, which are alone or followed by another name."""
    titles = read_titles(doc.lang_)
    given: List[str] = []
    family: Set[str] = set()
    for start, end in find_listed_names(doc):
        forms = [word.lower() for word in words[start:end]]
        parts = [form for form in forms if form not in titles]
        if len(forms) == 1:
            given.extend(parts)
        elif parts:
            given.extend(parts[:-1])
            family.add(parts[-1])
    return [form for form in dict.fromkeys(given) if form not in family]


def _choose_names(
    gendered: _GenderedWords, given: List[str], words: Set[str], rng: random.Random
) -> Dict[str, str]:
    taken = {word.lower() for word in words}
    chosen: Dict[str, str] = {}
    for names, others in zip(gendered.names, gendered.new_names[::-1], strict=True):
        old = (form for form in given if form in names)
        new = (name for name in rng.sample(others, len(others)) if name not in taken)
        # If there are not enough new names, the remaining names are kept.
        chosen.update(zip(old, new, strict=False))
    return chosen


def _copy_case(old: str, new: str) -> str:
    if old.isupper() and len(old) > 1:
        return new.upper()
    return new[0].upper() + new[1:] if old[:1].isupper() else new
