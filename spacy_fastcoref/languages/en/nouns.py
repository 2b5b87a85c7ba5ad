"""English: what common nouns can be."""

from typing import Tuple

import numpy as np
from spacy.attrs import MORPH

from ...rules.agreement import (
    ANYTHING,
    FEMALE,
    GROUP,
    MALE,
    ONE,
    ONE_PERSON,
    SEVERAL,
    THING,
)
from ..lexicon import get_lexicon
from ..parse import Parse
from ..word_index import GIVEN_NAMES, WordIndex, ends_in_s, read_table, read_words

_LANG = "en"
_NOUN_LISTS = (
    "male_words",
    "female_words",
    "group_nouns",
    "person_words",
    "animal_words",
)
# Pronouns in a form that only subjects have.
SUBJECTS = frozenset(("i", "he", "she", "we", "they"))
_FELT = frozenset(("feel", "feels", "felt"))
_VOWELS = frozenset("aeiouy")
_ENDINGS = (("children", "child"), ("women", "woman"), ("men", "man"))


def read_nouns(
    parse: Parse, words: WordIndex, starts: np.ndarray, heads: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """Tell what common nouns can be, and which are known for nothing alive.

    parse (Parse): The document's annotation.
    words (WordIndex): Its words.
    starts, heads (numpy.ndarray): Shape (n_mentions,), the mentions' first tokens and
        their heads.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_mentions,): what
        they can be (agreement.py), and bool, whether no list knows them as a person, an
        animal or a group; of mentions that are no nouns nothing useful.
    """
    find_mask = _find_noun_mask if parse.has_pos else _guess_noun_mask
    agreement = words.map(find_mask)[heads]
    is_noun = parse.is_pos("NOUN")[heads] if parse.has_pos else agreement >= 0
    number = _read_numbers(parse, words, starts, heads)
    plain = agreement == ANYTHING
    singular = np.where(plain, ONE, np.where(agreement == SEVERAL, ONE, agreement))
    agreement = np.where(number == 1, singular, agreement)
    agreement = np.where(number == 2, SEVERAL, agreement)
    # "d'Artagnan" is no noun, though it begins with a small letter.
    is_lifeless = (words.map(_is_lifeless) & words.cased.map(str.islower))[heads] > 0
    is_lifeless &= ~np.isin(words.index, words.index[_find_alive(words)])[heads]
    # "They" may be several things, and "alice" a name.
    is_lifeless &= is_noun & (agreement != SEVERAL)
    is_lifeless &= (starts < heads) | ~words.find(read_words("common", *GIVEN_NAMES))[
        heads
    ]
    # "iTunes"
    is_noun &= ~(words.cased.map(_has_inner_capital) > 0)[heads]
    return np.where(is_noun, agreement, ANYTHING), is_lifeless


def _find_alive(words: WordIndex) -> np.ndarray:
    """Find words for what a story has alive: "the moon smiled", "the car was sad"."""
    is_verb = words.find(read_words(_LANG, "animate_verbs"))
    is_be = words.find(read_words(_LANG, "be") | _FELT)
    is_degree = words.find(get_lexicon(_LANG).degrees)
    feels = words.find(read_words(_LANG, "feelings"))
    feels |= is_degree & np.append(feels[1:], False)
    does = is_verb | (is_be & np.append(feels[1:], False))
    return np.append(does, False)[1:]


def _has_inner_capital(form: str) -> bool:
    return form[:1].islower() and not form.islower()


def find_clauses(words: WordIndex) -> np.ndarray:
    """Find where a clause without a word of its own for it begins within a phrase.

    words (WordIndex): The document's words.
    RETURNS (numpy.ndarray): Shape (n_tokens,), bool: "the car he drives", "the house
        Ann owns", "the phone my son uses", "the woman wearing glasses", "a man armed
        with a knife".
    """
    lexicon = get_lexicon(_LANG)
    is_participle = (words.map(_is_participle) > 0) & _follows_known(words)
    is_small = words.cased.map(str.islower) > 0
    # "All the men", "such a man", "both my sisters"
    is_before = lexicon.determiners | lexicon.possessives
    is_before |= read_words(_LANG, "quantity_words", "predeterminers")
    follows_word = np.append(False, (is_small & ~words.find(is_before))[:-1])
    starts_noun = words.find(read_words(_LANG, "definite") | lexicon.possessives)
    is_given = words.find(read_words("common", *GIVEN_NAMES)) & ~is_small
    is_verb = is_small & (words.map(_is_finite) > 0)
    starts_noun |= is_given & np.append(is_verb[1:], False)
    return words.find(SUBJECTS) | is_participle | (starts_noun & follows_word)


def find_additions(words: WordIndex) -> np.ndarray:
    """Find words after a noun that say more of it.

    words (WordIndex): The document's words.
    RETURNS (numpy.ndarray): Shape (n_tokens,), bool: "the woman upstairs", "a boy
        hurt".
    """
    return words.find(read_words(_LANG, "after_nouns")) & _follows_known(words)


def _follows_known(words: WordIndex) -> np.ndarray:
    return np.append(False, (words.map(_is_known) > 0)[:-1])


def _is_finite(form: str) -> bool:
    is_past = form in read_words(_LANG, "past_forms")
    return is_past or form.endswith("ed") or ends_in_s(form)


def _is_known(form: str) -> bool:
    known = read_words(_LANG, *_NOUN_LISTS)
    return form in known or _find_singular(form) in known


def _is_participle(form: str) -> bool:
    return form.endswith(("ing", "ed"))


def _is_lifeless(form: str) -> bool:
    known = read_words(_LANG, *_NOUN_LISTS)
    if form in read_words(_LANG, "quantity_words", "she_things"):
        return False
    # "singer-songwriter", "stuntwoman"
    parts = {form, *form.split("-")}
    parts.add(_find_singular(form))
    return parts.isdisjoint(known) and not form.endswith(("man", "person"))


def _find_noun_mask(form: str) -> int:
    """Tell what a noun can be."""
    known = read_words(_LANG, *_NOUN_LISTS)
    is_irregular = form in read_table(_LANG, "irregular_plurals")
    if is_irregular or form in read_words(_LANG, "plural_nouns"):
        return SEVERAL
    if form in known or form in read_words(_LANG, "singular_nouns"):
        return _find_singular_mask(form)
    return SEVERAL if _find_singular(form) in known else ANYTHING


def _guess_noun_mask(form: str) -> int:
    """Tell what a word can be that nothing but its ending shows to be a noun."""
    mask = _find_noun_mask(form)
    # "thomas", "astrophysics", "ironworks", "gps", "nhs"
    is_one = form in read_words("common", *GIVEN_NAMES, "family_names")
    is_one |= form.endswith(("ics", "works")) or len(form) < 4
    is_one |= _VOWELS.isdisjoint(form)
    is_plural = bool(_find_singular(form)) and not is_one
    return SEVERAL if mask == ANYTHING and is_plural else mask


def _find_singular_mask(form: str) -> int:
    # "Wizard", "queen", which is a program, a piece of chess
    other = THING if form in read_words(_LANG, "thing_or_person") else 0
    if form in read_words(_LANG, "male_words"):
        return MALE | other
    if form in read_words(_LANG, "female_words"):
        return FEMALE | other
    if form in read_words(_LANG, "group_nouns"):
        # "enemy"
        is_person = form in read_words(_LANG, "person_words")
        return GROUP | THING | (ONE_PERSON if is_person else 0)
    is_animal = form in read_words(_LANG, "animal_words")
    if is_animal or form in read_words(_LANG, "infants"):
        return ONE_PERSON | THING
    if form in read_words(_LANG, "only_person_words"):
        return ONE_PERSON | other
    return ONE


def _find_singular(form: str) -> str:
    irregular = read_table(_LANG, "irregular_plurals").get(form)
    if irregular:
        return irregular[0]
    # "grandchildren", "policewomen", "gunmen"
    for plural, singular in _ENDINGS:
        if form.endswith(plural):
            return form[: -len(plural)] + singular
    if form.endswith("ies") and len(form) > 4:
        return form[:-3] + "y"
    if form.endswith(("ches", "shes", "sses", "xes")):
        return form[:-2]
    if form.endswith("s") and not form.endswith(("ss", "us", "is")):
        return form[:-1]
    return ""


def _read_numbers(
    parse: Parse,
    words: WordIndex,
    starts: np.ndarray,
    heads: np.ndarray,
) -> np.ndarray:
    """Tell each head's number: 1, 2 for several, 0 where nothing tells."""
    number = _read_determiners(words, starts, heads)
    morphs, index = np.unique(parse.doc.to_array([MORPH]), return_inverse=True)
    strings = [parse.doc.vocab.strings[int(morph)] for morph in morphs]
    by_tag = [
        1 if "Number=Sing" in s else 2 if "Number=Plur" in s else 0 for s in strings
    ]
    tagged = np.array(by_tag)[index.reshape(-1)][heads]
    # Of names ("Mr. Wiggins") and of "species" a tagger's number tells nothing.
    is_told = words.cased.map(str.islower)[heads] > 0
    is_told &= ~words.find(read_words(_LANG, "singular_nouns"))[heads]
    number = np.where((number == 0) & is_told, tagged, number)
    return np.where(words.find(read_words(_LANG, "plural_nouns"))[heads], 2, number)


def _read_determiners(
    words: WordIndex, starts: np.ndarray, heads: np.ndarray
) -> np.ndarray:
    """Tell the number that determiners tell, in the same way."""
    # "All the money", "most men", "all these men": the next word tells.
    is_open = words.find(frozenset(("all",)))[starts] & (starts + 1 < heads)
    first = starts + is_open
    second = first + (first + 1 < heads)
    singular = words.find(read_words(_LANG, "singular_determiners"))
    plural = words.find(read_words(_LANG, "plural_determiners"))
    number = np.where(singular, 1, np.where(plural, 2, 0))
    found = number[first]
    # "A few soldiers", "many a soldier"
    is_few = words.find(frozenset(("few", "many")))
    found = np.where(is_few[second] & singular[first], 2, found)
    found = np.where(is_few[first] & singular[second], 1, found)
    # "A dozen soldiers", but "another two year old boy": the noun tells.
    is_counted = words.find(read_words(_LANG, "numerals"))[second]
    found = np.where(is_counted & singular[first], 0, found)
    # "Three-year-old boy"
    found = np.where(words.find(frozenset("-"))[second], 0, found)
    return np.where(first < heads, found, 0)
