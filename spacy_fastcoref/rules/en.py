"""English: what its pronouns, names and nouns can be."""

from functools import lru_cache
from typing import Dict, FrozenSet, Iterable, Tuple

import numpy as np
from spacy.attrs import MORPH
from spacy.tokens import Doc

from ..decoding.judgements import DOUBTFUL
from ..registry import registry
from ..tokens.lexicon import get_lexicon
from ..tokens.words import list_words
from . import en_pairs, pairs
from .agreement import (
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
from .base import PairRule, Rules
from .empty_it import find_empty_it
from .facts import SECOND, Facts
from .mentions import find_mention_heads
from .parse import Parse
from .speech import Speech
from .words import WordIndex, read_table, read_words

_LANG = "en"
_NOUN_LISTS = (
    "male_words",
    "female_words",
    "group_nouns",
    "person_words",
    "animal_words",
)
_CLASSES = {"org": 1, "place": 2, "person": 4}
# What a name's label says of it. Taggers take many a person for a place or a firm, so
# only that of people rules anything out.
_LABELS = {
    "PERSON": (ONE_PERSON, _CLASSES["person"]),
    "ORG": (ANYTHING, _CLASSES["org"]),
    "GPE": (ANYTHING, _CLASSES["place"] | _CLASSES["org"]),
    "LOC": (ANYTHING, _CLASSES["place"]),
    "FAC": (ANYTHING, _CLASSES["place"]),
}

# Rules that grammar knows and that lower the scores of the corpora; see
# benchmarks/RESULTS.md.
DISABLED = ("cataphora", "entity", "generic", "indefinite", "named_self", "quoted")


class EnglishRules(Rules):
    """Say what English grammar knows of links; see Coreferee, sections 1.4.1 and 3."""

    pair_rules = (
        PairRule("within", pairs.is_within, is_lasting=True),
        PairRule("coordination", pairs.is_coordinated, is_lasting=True),
        PairRule("person", pairs.are_other_persons, is_lasting=True),
        PairRule("speaker", pairs.are_other_speakers),
        PairRule("quoted", pairs.is_quoted_speaker, is_lasting=True),
        PairRule("named_self", pairs.is_self_named, DOUBTFUL),
        PairRule("reflexive", pairs.is_unbound, needs=("dep",)),
        PairRule("binding", pairs.are_arguments, is_lasting=True, needs=("dep",)),
        PairRule("oblique", pairs.are_oblique_arguments, DOUBTFUL, needs=("dep",)),
        PairRule("cataphora", pairs.is_under_pronoun, needs=("dep",)),
        PairRule("pleonastic", pairs.is_empty),
        PairRule("generic", en_pairs.is_generic, DOUBTFUL),
        PairRule("lifeless", en_pairs.is_lifeless, DOUBTFUL),
        PairRule("indefinite", pairs.is_new, DOUBTFUL),
        PairRule("other", en_pairs.is_another),
        PairRule("given_name", en_pairs.are_other_names, DOUBTFUL),
        PairRule("entity", pairs.are_other_classes, needs=("entities",)),
    )

    def read(self, doc: Doc, mentions: np.ndarray) -> Facts:
        """Describe mentions; see Rules.read.

        doc (Doc): The document.
        mentions (numpy.ndarray): Shape (n_mentions, 2), token offsets.
        RETURNS (Facts): What is known of them.
        """
        parse, words = Parse(doc, read_words(_LANG, "prepositions")), WordIndex(doc)
        speech = Speech(doc, read_words(_LANG, "saying_verbs"))
        heads, is_joined = find_mention_heads(mentions, parse, words, _LANG)
        starts, ends = mentions[:, 0].astype(np.int64), mentions[:, 1].astype(np.int64)
        pronouns = _Pronouns(words)
        is_alone = ends - starts == 1
        # "her" is no pronoun where it heads nothing: "her mother".
        person = np.where(is_alone, pronouns.person[heads], 0)
        is_pronoun = person > 0
        is_name = find_names(parse, words)[heads] & ~is_pronoun & ~is_joined
        names, classes = _read_names(parse, words, starts, heads)
        nouns, is_lifeless = _read_nouns(parse, words, starts, heads)
        agreement = np.where(is_name, names, nouns)
        joined = _read_joined(parse, words, starts, ends, heads)
        agreement = np.where(is_joined, joined, agreement)
        agreement = np.where(is_pronoun, pronouns.agreement[heads], agreement)
        of_noun = words.map(_read_classes())[heads]
        is_noun = ~is_name & ~is_pronoun & ~is_joined
        is_indefinite = words.find(read_words(_LANG, "indefinite"))[starts]
        quotes, speakers = speech.quotes[starts], speech.speakers[starts]
        return Facts(
            parse=parse,
            words=words,
            speech=speech,
            starts=starts,
            ends=ends,
            heads=heads,
            is_joined=is_joined,
            agreement=agreement,
            person=person,
            is_reflexive=is_pronoun & pronouns.is_reflexive[heads],
            is_possessive=is_pronoun & pronouns.is_possessive[heads],
            is_name=is_name,
            is_empty=is_alone & find_empty_it(doc, words)[heads],
            is_indefinite=is_indefinite & is_noun & (ends - starts > 1),
            is_lifeless=is_lifeless & is_noun,
            is_generic=(person == SECOND) & (quotes == 0) & (speakers == 0),
            classes=np.where(is_name, classes, np.where(is_noun, of_noun, 0)),
        )


@lru_cache(maxsize=None)
def _read_classes() -> Dict[str, int]:
    return {
        noun: sum(_CLASSES[name] for name in row[0].split(","))
        for noun, row in read_table(_LANG, "entity_nouns").items()
    }


class _Pronouns:
    """Look up the pronouns of a Doc: arrays of shape (n_tokens,)."""

    def __init__(self, words: WordIndex) -> None:
        table = read_table(_LANG, "pronouns")
        self.agreement = words.map(_read_masks("pronouns"), ANYTHING)
        self.person = words.map({word: int(row[1]) for word, row in table.items()})
        kinds = {word: row[2] for word, row in table.items()}
        self.is_reflexive = words.find(_select(kinds, "r"))
        self.is_possessive = words.find(_select(kinds, "p"))


@lru_cache(maxsize=None)
def _read_masks(table: str) -> Dict[str, int]:
    rows = read_table(_LANG, table)
    return {word: read_letters(row[0]) for word, row in rows.items()}


def _select(kinds: Dict[str, str], kind: str) -> frozenset:
    return frozenset(word for word in kinds if kinds[word] == kind)


def find_names(parse: Parse, words: WordIndex) -> np.ndarray:
    """Find the words of proper names.

    parse (Parse): The document's annotation.
    words (WordIndex): Its words.
    RETURNS (numpy.ndarray): Shape (n_tokens,), bool: by the tag, or by the capital
        letter where there is none.
    """
    if parse.has_pos:
        return parse.is_pos("PROPN")
    lexicon = get_lexicon(_LANG)
    is_closed = words.find(
        lexicon.pronouns | lexicon.possessives | lexicon.determiners | lexicon.cutters
    )
    is_title = np.array([w[:1].isupper() for w in list_words(parse.doc)], dtype=bool)
    return is_title & ~is_closed


def _read_joined(
    parse: Parse,
    words: WordIndex,
    starts: np.ndarray,
    ends: np.ndarray,
    heads: np.ndarray,
) -> np.ndarray:
    """Tell what "Peter and his wife" can be, and "his friend and helper"."""
    given = read_words("common", "male_names") | read_words("common", "female_names")
    is_name = find_names(parse, words)
    is_determined = words.find(
        read_words(_LANG, "definite")
        | read_words(_LANG, "indefinite")
        | get_lexicon(_LANG).possessives
    )
    is_joint = words.find(get_lexicon(_LANG).coordinators)
    # The second one is a person of its own if it has a name or a determiner.
    starts_anew = np.append((is_name | is_determined)[1:], False) & is_joint
    counts = np.append(0, np.cumsum(starts_anew))
    are_two = counts[ends] > counts[starts]
    is_firm = is_name[heads] & ~words.find(given)[heads]
    is_firm &= parse.is_entity("ORG")[heads] if parse.has_entities else True
    several = np.where(is_firm, SEVERAL | GROUP | THING, SEVERAL)
    return np.where(are_two, several, ANYTHING)


def _read_names(
    parse: Parse, words: WordIndex, starts: np.ndarray, heads: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """Tell what names can be, and their classes; of other mentions nothing useful."""
    title = words.map(_read_masks("titles"))
    is_part = find_names(parse, words) & (title == 0)
    tokens = np.arange(len(is_part))
    is_start = is_part & ~np.append(False, is_part[:-1])
    run_starts = np.maximum.accumulate(np.where(is_start, tokens, 0))
    given = np.maximum(run_starts[heads], starts)
    by_name = words.map(read_given_names())
    # What is somebody's family name here does not tell a gender.
    is_family = np.zeros(len(words.forms), dtype=bool)
    is_family[words.index[is_part & ~is_start]] = True
    is_one_word = given == heads
    by_given = np.where(is_family[words.index[given]] & is_one_word, 0, by_name[given])
    # A title stands at the start of the mention or before the name.
    before = np.maximum(given - 1, starts)
    by_title = np.where(title[before] > 0, title[before], title[starts])
    agreement = np.full(len(heads), ANYTHING)
    classes = np.zeros(len(heads), dtype=np.int64)
    for label, (mask, bit) in _LABELS.items():
        is_label = parse.is_entity(label)[heads]
        agreement = np.where(is_label, mask, agreement)
        classes = np.where(is_label, bit, classes)
    is_person = parse.is_entity("PERSON")[heads] | (by_title > 0)
    # A ship or a town may have a woman's name, but not be a man.
    gender = np.where(by_given > 0, by_given | np.where(is_person, 0, THING | GROUP), 0)
    is_told = (by_title == MALE) | (by_title == FEMALE)
    gender = np.where(is_told, by_title, gender)
    gender = np.where((by_title > 0) & (gender == 0), ONE_PERSON, gender)
    agreement = np.where(gender > 0, gender, agreement)
    # "the Bennets"
    is_family_name = words.find(frozenset(("the",)))[starts] & (starts + 1 == heads)
    is_plural = np.array([w.endswith("s") for w in words.forms])[words.index]
    agreement = np.where(is_family_name & is_plural[heads], ANYTHING, agreement)
    return agreement, np.where(by_title > 0, _CLASSES["person"], classes)


@lru_cache(maxsize=None)
def read_given_names() -> Dict[str, int]:
    """Read what given names tell.

    RETURNS (Dict[str, int]): By name in lower case MALE, FEMALE, or ONE_PERSON for what
        is both.
    """
    male = read_words("common", "male_names")
    female = read_words("common", "female_names")
    return {
        **dict.fromkeys(male, MALE),
        **dict.fromkeys(female, FEMALE),
        **dict.fromkeys(male & female, ONE_PERSON),
    }


def _read_nouns(
    parse: Parse, words: WordIndex, starts: np.ndarray, heads: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """Tell what common nouns can be, and which are known for nothing alive."""
    irregular = {w: row[0] for w, row in read_table(_LANG, "irregular_plurals").items()}
    is_singular = read_words(_LANG, "singular_nouns")
    is_plural = read_words(_LANG, "plural_nouns")
    singulars = [irregular.get(form) or _strip_plural(form) for form in words.forms]
    known = _read_known()
    by_form: Dict[str, int] = {}
    lifeless = set()
    for form, singular in zip(words.forms, singulars, strict=True):
        if form in is_plural or form in irregular:
            by_form[form] = SEVERAL
        elif form in known or form in is_singular:
            by_form[form] = _read_noun(form)
        elif singular and (singular in known or not parse.has_pos):
            by_form[form] = SEVERAL
        if form not in known and singular not in known:
            lifeless.add(form)
    agreement = words.map(by_form, ANYTHING)[heads]
    is_noun = parse.is_pos("NOUN")[heads] if parse.has_pos else agreement >= 0
    number = _read_numbers(parse, words, starts, heads, is_plural)
    plain = agreement == ANYTHING
    singular = np.where(plain, ONE, np.where(agreement == SEVERAL, ONE, agreement))
    agreement = np.where(number == 1, singular, agreement)
    agreement = np.where(number == 2, SEVERAL, agreement)
    # Only "they" can be what may be several.
    is_one = (agreement & SEVERAL) == 0
    is_lifeless = words.find(frozenset(lifeless))[heads] & (is_one | (number != 2))
    return np.where(is_noun, agreement, ANYTHING), is_lifeless & is_noun


@lru_cache(maxsize=None)
def _read_known() -> FrozenSet[str]:
    """Read all nouns for people, animals and groups."""
    return frozenset().union(*(read_words(_LANG, name) for name in _NOUN_LISTS))


def _read_noun(form: str) -> int:
    if form in read_words(_LANG, "male_words"):
        return MALE
    if form in read_words(_LANG, "female_words"):
        return FEMALE
    if form in read_words(_LANG, "group_nouns"):
        return GROUP | THING
    is_animal = form in read_words(_LANG, "animal_words")
    if is_animal or form in ("child", "baby", "infant"):
        return ONE_PERSON | THING
    if form in read_words(_LANG, "only_person_words"):
        return ONE_PERSON
    return ONE


def _strip_plural(form: str) -> str:
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
    is_plural: Iterable[str],
) -> np.ndarray:
    """Tell each head's number: 1, 2 for several, 0 where nothing tells."""
    singular = words.find(read_words(_LANG, "singular_determiners"))[starts]
    plural = words.find(read_words(_LANG, "plural_determiners"))[starts]
    number = np.where(plural & (starts < heads), 2, 0)
    number = np.where(singular & (starts < heads), 1, number)
    morphs, index = np.unique(parse.doc.to_array([MORPH]), return_inverse=True)
    strings = [parse.doc.vocab.strings[int(morph)] for morph in morphs]
    by_tag = [
        1 if "Number=Sing" in s else 2 if "Number=Plur" in s else 0 for s in strings
    ]
    tagged = np.array(by_tag)[index.reshape(-1)][heads]
    number = np.where(number == 0, tagged, number)
    return np.where(words.find(frozenset(is_plural))[heads], 2, number)


@registry.coref_rules("spacy_fastcoref.en.v1")
def make_english_rules(
    disabled: Iterable[str] = DISABLED,
    doubtful: float = 2.0,
    alone: float = 1.0,
    warns: bool = True,
) -> EnglishRules:
    """Make English rules.

    disabled (Iterable[str]): The names of rules that are switched off; () for none.
    doubtful (float): What a doubtful link costs, in log-odds.
    alone (float): What an anaphor pays for staying alone where the model had an
        antecedent for it.
    warns (bool): Whether it is said, once, that annotation is missing.
    RETURNS (EnglishRules): The rules.
    """
    return EnglishRules(disabled, doubtful, alone, warns)
