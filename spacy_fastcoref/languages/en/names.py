"""English: which words are names, and what a name can be."""

from functools import lru_cache
from typing import FrozenSet, NamedTuple, Tuple

import numpy as np
from spacy.attrs import SPACY

from ...rules.acronyms import find_acronyms
from ...rules.agreement import (
    ANYTHING,
    FEMALE,
    GROUP,
    MALE,
    ONE,
    ONE_PERSON,
    SEVERAL,
    THING,
    read_letters,
)
from ..lexicon import get_lexicon
from ..parse import Parse
from ..word_index import (
    GIVEN_NAMES,
    WordIndex,
    ends_in_s,
    is_sign,
    read_table,
    read_words,
)

_LANG = "en"
_HYPHENS = frozenset("-‐‑")
_COMMA = frozenset((",",))
# So many words after a name what it is called may stand.
_REACH = 5
# Kinds of things that have names, a bit for each.
CLASSES = {"org": 1, "place": 2, "person": 4}
# What a name's label says of it. Taggers take many a person for a place or a firm, and
# towns for people, so all that is ruled out is that a person is several.
_LABELS = {
    "PERSON": (ONE, CLASSES["person"]),
    "ORG": (ANYTHING, CLASSES["org"]),
    "GPE": (ANYTHING, CLASSES["place"] | CLASSES["org"]),
    "LOC": (ANYTHING, CLASSES["place"]),
    "FAC": (ANYTHING, CLASSES["place"]),
}


def find_names(parse: Parse, words: WordIndex) -> np.ndarray:
    """Find the words of proper names.

    parse (Parse): The document's annotation.
    words (WordIndex): Its words.
    RETURNS (numpy.ndarray): Shape (n_tokens,), bool: by the tag, or by the capital
        letter where there is none.
    """
    if parse.has_pos:
        return parse.is_pos("PROPN")
    is_name = (words.cased.map(_is_capital) > 0) & ~words.find(_read_closed())
    return is_name | find_acronyms(parse, words, _LANG)


def find_name_hyphens(words: WordIndex, is_name: np.ndarray) -> np.ndarray:
    """Find hyphens within names.

    words (WordIndex): The document's words.
    is_name (numpy.ndarray): Shape (n_tokens,), bool: see find_names.
    RETURNS (numpy.ndarray): Shape (n_tokens,), bool: without blanks around them.
    """
    is_spaced = words.doc.to_array(SPACY) > 0
    is_inside = words.find(_HYPHENS) & ~is_spaced & np.append(is_name[1:], False)
    return is_inside & np.append(False, (is_name & ~is_spaced)[:-1])


def _is_capital(word: str) -> bool:
    return word[:1].isupper()


@lru_cache(maxsize=None)
def _read_closed() -> FrozenSet[str]:
    lexicon = get_lexicon(_LANG)
    return (
        lexicon.pronouns | lexicon.possessives | lexicon.determiners | lexicon.cutters
    )


class NameRuns(NamedTuple):
    """Hold the names of a document, as runs of words; each of shape (n_tokens,).

    title (numpy.ndarray): What a word tells as a title, 0 for what is none.
    is_part (numpy.ndarray): bool, words of names, without titles.
    firsts (numpy.ndarray): The first word of each word's run.
    is_titled (numpy.ndarray): bool, what follows a title of a family, as "Mr." is.
    is_later (numpy.ndarray): bool, words of names that are not their first, or stand
        after such a title.
    """

    title: np.ndarray
    is_part: np.ndarray
    firsts: np.ndarray
    is_titled: np.ndarray
    is_later: np.ndarray


def find_runs(words: WordIndex, is_name: np.ndarray) -> NameRuns:
    """Find runs of words of names.

    words (WordIndex): The document's words.
    is_name (numpy.ndarray): Shape (n_tokens,), bool: see find_names.
    RETURNS (NameRuns): The runs.
    """
    title = words.map(find_title_mask)
    title = np.where(_find_family_names(words, is_name, title), 0, title)
    is_part = is_name & (title == 0)
    is_part &= ~_find_openers(words, is_part)
    is_start = is_part & ~np.append(False, is_part[:-1])
    firsts = np.maximum.accumulate(np.where(is_start, np.arange(len(is_part)), 0))
    is_titled = np.append(False, words.find(read_titles_of("family"))[:-1])
    return NameRuns(
        title, is_part, firsts, is_titled, is_part & (~is_start | is_titled)
    )


def _find_family_names(
    words: WordIndex, is_name: np.ndarray, title: np.ndarray
) -> np.ndarray:
    """Find titles that are a family name: "Regina King", "Mrs. King", "King"."""
    is_noun = words.find(read_words(_LANG, "definite", "indefinite"))
    is_noun |= words.find(get_lexicon(_LANG).possessives)
    # Not "King Charles", nor "the King".
    is_last = is_name & (title > 0) & ~np.append(is_name[1:], False)
    is_last &= ~np.append(False, is_noun[:-1])
    is_named = words.find(read_words("common", *GIVEN_NAMES)) & is_name & (title == 0)
    is_named |= words.find(read_titles_of("family"))
    is_family = is_last & np.append(False, is_named[:-1])
    return is_last & np.isin(words.index, words.index[is_family])


def _find_openers(words: WordIndex, is_part: np.ndarray) -> np.ndarray:
    """Find what has a capital for it begins a sentence: "But Ann", "Knowing Sarah"."""
    is_given = words.find(read_words("common", *GIVEN_NAMES))
    is_first = np.append(True, words.map(is_sign)[:-1] > 0)
    found = is_part & is_first & ~is_given & np.append((is_part & is_given)[1:], False)
    if not found.any():
        return found
    # What the document writes small elsewhere is no name.
    is_small = words.cased.map(str.islower) > 0
    is_common = np.isin(words.index, words.index[is_small])
    is_common |= words.find(_read_openers()) | (words.map(_is_derived) > 0)
    return found & is_common


@lru_cache(maxsize=None)
def _read_openers() -> FrozenSet[str]:
    lexicon = get_lexicon(_LANG)
    lists = ("auxiliaries", "clause_verbs", "conjunctions", "sentence_openers")
    adverbs = lexicon.not_nouns | lexicon.modifiers | lexicon.degrees
    joints = lexicon.coordinators | lexicon.cutters | lexicon.relatives
    return read_words(_LANG, *lists) | adverbs | joints


def _is_derived(word: str) -> bool:
    """Find adverbs, and what verbs make."""
    return word.endswith(("ly", "ing"))


def read_names(
    parse: Parse,
    words: WordIndex,
    runs: NameRuns,
    starts: np.ndarray,
    heads: np.ndarray,
) -> Tuple[np.ndarray, np.ndarray]:
    """Tell what names can be.

    parse (Parse): The document's annotation.
    words (WordIndex): Its words.
    runs (NameRuns): Its names.
    starts, heads (numpy.ndarray): Shape (n_mentions,), the mentions' first tokens and
        their heads.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_mentions,): what
        they can be (agreement.py) and their classes, as bits of CLASSES; of mentions
        that are no names nothing useful.
    """
    given = np.maximum(runs.firsts[heads], starts)
    by_name = words.map(find_given_name)
    # What is somebody's family name does not tell a gender: here the later words of a
    # name and those after "Dr.", and anywhere those of a list.
    is_family = np.isin(words.index[given], words.index[runs.is_later])
    is_family |= words.find(read_words("common", "family_names"))[given]
    is_one_word = given == heads
    by_given = np.where(is_family & is_one_word, 0, by_name[given])
    # "The Dane", "a German"
    is_determined = words.find(read_words(_LANG, "definite", "indefinite"))[starts]
    is_noun = words.find(read_words(_LANG, "person_words"))[given]
    is_noun &= is_determined & (starts + 1 == given)
    by_given = np.where(is_noun, 0, by_given)
    is_pet = np.isin(words.index, words.index[_find_pets(words, by_name > 0)])
    by_given = np.where(is_pet[given], 0, by_given)
    by_given = np.where(_disagree(words, runs, by_name, given, heads), 0, by_given)
    by_title, is_surely = _read_titles(words, runs.title, given, starts, heads)
    agreement = np.full(len(heads), ANYTHING)
    classes = np.zeros(len(heads), dtype=np.int64)
    for label, (mask, bit) in _LABELS.items():
        is_label = parse.is_entity(label)[heads]
        agreement = np.where(is_label, mask, agreement)
        classes = np.where(is_label, bit, classes)
    has_article = words.find(frozenset(("the",)))[starts]
    # Taggers take "the George Floyd Act", and "Jane Eyre", a novel, for people.
    is_person = parse.is_entity("PERSON")[heads] & ~has_article & is_one_word
    is_person |= (by_title > 0) & (by_title & THING == 0)
    # A ship or a town may have a woman's name, but not be a man.
    gender = np.where(by_given > 0, by_given | np.where(is_person, 0, THING | GROUP), 0)
    is_told = (by_title == MALE) | (by_title == FEMALE)
    gender = np.where(is_told, by_title, gender)
    gender = np.where((by_title > 0) & (gender == 0), by_title, gender)
    # "Dr Pepper", "King Arthur", which is a film; "Queen", "they"
    named = np.where(starts == heads, THING | GROUP | SEVERAL, THING | GROUP)
    gender = np.where((by_title > 0) & ~is_surely, gender | named, gender)
    agreement = np.where(gender > 0, gender, agreement)
    # "the Bennets"
    is_family_name = has_article & (starts + 1 == heads)
    is_plural = (words.map(ends_in_s) > 0)[heads]
    agreement = np.where(is_family_name & is_plural, ANYTHING, agreement)
    return agreement, np.where(is_person & (by_title > 0), CLASSES["person"], classes)


def _find_pets(words: WordIndex, is_given: np.ndarray) -> np.ndarray:
    """Find given names that an animal has: "my dog Max", "Luna is a white cat"."""
    is_small = words.cased.map(str.islower) > 0
    is_animal = words.find(read_words(_LANG, "animal_words")) & is_small
    found = is_given & np.append(False, is_animal[:-1])
    # "Max, our dog", "Max the old dog", "Max was a dog"
    joints = read_words(_LANG, "be", "definite") | _COMMA
    opens = is_given & np.append(words.find(joints)[1:], False)
    nothing = np.zeros(_REACH, dtype=bool)
    for step in range(2, _REACH):
        found |= opens & np.append(is_animal, nothing)[step : step + len(found)]
        opens &= np.append(is_small, nothing)[step : step + len(found)]
    return found


def _disagree(
    words: WordIndex,
    runs: NameRuns,
    by_name: np.ndarray,
    given: np.ndarray,
    heads: np.ndarray,
) -> np.ndarray:
    """Find names of a woman and of a man in one: "Jean-Pierre", "Evan Rachel Wood".

    The last word does not count, as it may be a family's.
    """
    is_hyphen = find_name_hyphens(words, runs.is_part)
    is_run = runs.is_part | is_hyphen
    is_start = is_run & ~np.append(False, is_run[:-1])
    firsts = np.maximum.accumulate(np.where(is_start, np.arange(len(is_run)), 0))
    # The head of "Jean-Pierre" is the second.
    is_double = is_hyphen[heads - 1] & (heads > 0)
    begins, ends = np.where(is_double, firsts[heads], given), heads + is_double
    has_both = np.ones(len(heads), dtype=bool)
    for gender in (MALE, FEMALE):
        counts = np.append(0, np.cumsum((by_name == gender) & is_run))
        has_both &= counts[ends] > counts[begins]
    return has_both


def _read_titles(
    words: WordIndex,
    title: np.ndarray,
    given: np.ndarray,
    starts: np.ndarray,
    heads: np.ndarray,
) -> Tuple[np.ndarray, np.ndarray]:
    """Tell what titles make of names, 0 where there is none, and if it surely is so."""
    # A title stands at the start of the mention or before the name.
    before = np.maximum(given - 1, starts)
    # In "King Charles 's wife Camilla" it is another's.
    clitics = np.cumsum(words.find(get_lexicon(_LANG).clitics))
    is_own = clitics[heads] == clitics[starts]
    first = np.where(title[before] > 0, before, starts)
    # "The King"
    first = np.where((title[first] == 0) & (starts + 1 == heads), heads, first)
    found = np.where((first == before) | is_own, title[first], 0)
    # "General Motors", "Duke University"
    is_place = (words.map(find_classes)[heads] & ~CLASSES["person"]) > 0
    is_sure = words.find(read_titles_of("sure"))[first]
    is_place &= ~is_sure & (first < heads)
    is_sure &= ~words.find(read_titles_of("brand"))[first]
    return np.where(is_place, 0, found), is_sure


def find_given_name(word: str) -> int:
    """Tell what a given name tells.

    word (str): The name in lower case.
    RETURNS (int): MALE, FEMALE, ONE_PERSON for what is both, 0 for what is no name.
    """
    is_male = word in read_words("common", "male_names")
    is_female = word in read_words("common", "female_names")
    if word in read_words("common", "unisex_names") or (is_male and is_female):
        return ONE_PERSON
    return MALE if is_male else FEMALE if is_female else 0


def find_title_mask(word: str) -> int:
    """Tell what a title tells.

    word (str): The word in lower case.
    RETURNS (int): What a person with it can be, 0 for what is no title.
    """
    return read_letters(read_table(_LANG, "titles").get(word, [""])[0])


def find_classes(noun: str) -> int:
    """Tell what names a noun can stand for.

    noun (str): The noun in lower case.
    RETURNS (int): A bit of CLASSES for each, 0 if nothing is known.
    """
    names = read_table(_LANG, "entity_nouns").get(noun, [""])[0]
    return sum(CLASSES[name] for name in names.split(",") if name)


@lru_cache(maxsize=None)
def read_titles_of(kind: str) -> FrozenSet[str]:
    """List the titles of a kind.

    kind (str): "family", "sure", "wife" or "brand", see titles.txt.
    RETURNS (FrozenSet[str]): The titles in lower case.
    """
    rows = read_table(_LANG, "titles").items()
    return frozenset(title for title, (_, *kinds) in rows if kind in kinds)
