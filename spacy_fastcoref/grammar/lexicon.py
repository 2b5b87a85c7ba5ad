"""Read the closed-class words of a language from its lexicon.json."""

import json
import warnings
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Tuple

from spacy.lang.xx import MultiLanguage

from ..errors import Warnings, check_known
from .features import NEUT_FEMALE, NEUT_MALE, NEUT_PERSON, read_letters
from .resources import find_folder, list_languages

Words = FrozenSet[str]
_NONE: Words = frozenset()
# All features that pronominal adverbs have.
_OF_ADVERBS = frozenset(("Animacy", "Person", "PronType"))


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Hold the closed-class words of a language, all in lower case.

    lang (str): The language's code.
    head (str): "last" if the head of a noun phrase is its last noun ("police officer"),
        "first" if it is the first one.
    capitalises_nouns (bool): Whether all nouns are capitalised, rather than only names.
    drops_subjects (bool): Whether a pronoun as the subject is usually left out, so that
        a verb can be an anaphor.
    features (Dict[str, str]): The forms of pronouns by their features in Universal
        Dependencies. A form can be listed several times, for several readings.
    reciprocals (Tuple[Tuple[str, ...], ...]): Pronouns of several words ("each other").
    quotes (Dict[str, str]): Quotation marks that "open", "close" or do "both", and each
        "dash" that begins a turn of a dialogue.
    titles (Dict[str, FrozenSet[str]]): Titles before names by their agreement, in the
        letters of features.py: "Mr." for "m".
    family_titles (FrozenSet[str]): Titles before family names ("Mrs.").
    auxiliaries (FrozenSet[str]): Auxiliary verbs.
    reporting_verbs (FrozenSet[str]): Verbs that introduce direct speech ("said").
    addressing (FrozenSet[str]): Prepositions of who is spoken to ("said to Ann").
    argument_prepositions (FrozenSet[str]): Prepositions of verbs' arguments ("talk
        to").
    genitives (FrozenSet[str]): Prepositions of the objects of nouns ("love of her").
    place_prepositions (FrozenSet[str]): Prepositions of places ("in Lincoln").
    definites, indefinites (FrozenSet[str]): Definite and indefinite determiners.
    articles (Dict[str, str]): Determiners by the gender and number of their nouns, as
        in `features`; also prepositions that contain an article ("du").
    adjective_endings (Dict[str, str]): Endings of adjectives and of determiners by the
        gender and number of their nouns, as in `features`.
    word_endings (Dict[str, str]): Likewise, endings of nouns, and of verbs that stand
        for their subject. Longer endings take precedence; those under "" tell nothing.
    singular_determiners, plural_determiners (FrozenSet[str]): Determiners of singular
        and of plural nouns.
    quantities (FrozenSet[str]): Words for quantities that can be used without a noun
        ("two", "others").
    expletives (FrozenSet[str]): Pronouns that can be pleonastic ("it").
    weather_verbs (FrozenSet[str]): Verbs with a pleonastic subject ("rains").
    extraposing (FrozenSet[str]): Predicates whose subject can be an extraposed clause
        ("it is clear that").
    complementizers (FrozenSet[str]): Words that begin such a clause.
    formal (FrozenSet[str]): Pronouns of the third person that, with a capital letter,
        address somebody ("Sie").
    neuter_people (Dict[str, FrozenSet[str]]): Neuter nouns for people by their gender,
        "m", "f" or "mf" ("Mädchen" for "f").
    capitalised (FrozenSet[str]): Pronouns that are always capitalised ("I").
    name_particles (FrozenSet[str]): Words within names ("von").
    alias_words (FrozenSet[str]): Words before another name of a person ("née").
    pronouns, possessives, reflexives (FrozenSet[str]): Forms of pronouns by kind.
    objects (FrozenSet[str]): Possessive forms that can also be objects ("her").
    determiners (FrozenSet[str]): Words before a noun that can't be a head.
    quantifiers (FrozenSet[str]): First words of mentions that refer to nobody in
        particular ("no student", "every student", "nobody").
    cutters (FrozenSet[str]): Words that can't belong to a noun with the modifiers
        before it, so that the head comes before them.
    relatives (FrozenSet[str]): Words that begin a relative clause.
    coordinators (FrozenSet[str]): Words that join the members of a coordination.
    conjunction (str): The coordinator that makes a plural of its members ("and").
    alternatives (FrozenSet[str]): Coordinators of alternatives ("or").
    clitics (FrozenSet[str]): Possessive endings that are separate tokens ("'s").
    copulas (FrozenSet[str]): Forms of "to be" and similar verbs.
    not_nouns (FrozenSet[str]): Words that can't follow a possessive, so that a form in
        `objects` before them is an object ("saw her yesterday").
    modifiers (FrozenSet[str]): Words that can follow an object, or come between a
        possessive and a noun ("saw her first", "her first husband").
    degrees (FrozenSet[str]): Words that can follow an object, or come between a
        possessive and an adjective ("made her very happy", "her very old house").
    negations (FrozenSet[str]): Words that can come between a verb and its subject
        ("don't you?").
    stop_words (FrozenSet[str]): Words that are ignored when names are compared.
    abbreviations (FrozenSet[str]): Words whose full stop is a separate token and does
        not end a sentence.
    acronyms (FrozenSet[str]): Pronouns that are names in capitals ("the US").
    renames (FrozenSet[str]): Words, apart from copulas, between a mention and another
        name or description of it ("Hall, who was born Ann Lee").
    verbs (Dict[str, FrozenSet[str]]): For each pronoun, the verb forms that don't agree
        with a singular noun as the subject ("I am").
    plurals (FrozenSet[str]): Plural nouns without a plural ending.
    plural_endings, singular_endings (Tuple[str, ...]): Endings of plural nouns, and
        longer endings of singular nouns that end in the same way.
    possessive (Optional[Dict]): How possessives of names and nouns are formed; None if
        they are not formed by a suffix.
    definite_articles (Dict[str, Dict[str, str]]): For an article, the definite one that
        takes its noun up, by the pronoun in whose place it is ("ihm"), or "" for all.
    weak_endings (Dict[str, Any]): The endings of adjectives after each definite
        article; `adjectives`, the endings that they can have elsewhere;
        `uncertain_nouns`, the endings of nouns whose form may differ by case, in the
        place of the pronouns of `uncertain_places`.
    elisions (Dict[str, str]): The elided form of articles; the letters before which
        they are elided (`open`), and those before which some are (`unknown`).
    before_verbs (FrozenSet[str]): Pronouns in a place where no noun can stand ("le" in
        "je le vois").
    marks_clauses (bool): Whether each clause begins with a sign, a coordinator or a
        word in `complementizers` or `relatives`, unlike English "he said he saw him".
    declines_names (bool): Whether names have cases, so that a name fits only in a place
        of the same case.
    class_nouns (Dict[str, FrozenSet[str]]): For each entity label, the nouns for what
        it marks ("company" for "ORG").
    reasons (Dict[str, str]): Why the rules of the language object to a link, by their
        names.
    lists (Dict[str, FrozenSet[str]]): Further lists of words, by the names by which the
        rules of the language ask for them.
    groups (Dict[str, int]): The number, from 1 on, of the group of each pronoun; the
        pronouns of a group can refer to the same entity.
    """

    lang: str = ""
    head: str = "last"
    capitalises_nouns: bool = False
    drops_subjects: bool = False
    features: Dict[str, str] = field(default_factory=dict)
    reciprocals: Tuple[Tuple[str, ...], ...] = ()
    quotes: Dict[str, str] = field(default_factory=dict)
    titles: Dict[str, Words] = field(default_factory=dict)
    family_titles: Words = _NONE
    auxiliaries: Words = _NONE
    reporting_verbs: Words = _NONE
    addressing: Words = _NONE
    argument_prepositions: Words = _NONE
    genitives: Words = _NONE
    place_prepositions: Words = _NONE
    definites: Words = _NONE
    indefinites: Words = _NONE
    articles: Dict[str, str] = field(default_factory=dict)
    adjective_endings: Dict[str, str] = field(default_factory=dict)
    word_endings: Dict[str, str] = field(default_factory=dict)
    singular_determiners: Words = _NONE
    plural_determiners: Words = _NONE
    quantities: Words = _NONE
    expletives: Words = _NONE
    weather_verbs: Words = _NONE
    extraposing: Words = _NONE
    complementizers: Words = _NONE
    formal: Words = _NONE
    neuter_people: Dict[str, Words] = field(default_factory=dict)
    capitalised: Words = _NONE
    name_particles: Words = _NONE
    alias_words: Words = _NONE
    pronouns: Words = _NONE
    possessives: Words = _NONE
    reflexives: Words = _NONE
    objects: Words = _NONE
    determiners: Words = _NONE
    quantifiers: Words = _NONE
    cutters: Words = _NONE
    relatives: Words = _NONE
    coordinators: Words = _NONE
    conjunction: str = ""
    alternatives: Words = _NONE
    clitics: Words = _NONE
    copulas: Words = _NONE
    not_nouns: Words = _NONE
    modifiers: Words = _NONE
    degrees: Words = _NONE
    negations: Words = _NONE
    stop_words: Words = _NONE
    abbreviations: Words = _NONE
    acronyms: Words = _NONE
    renames: Words = _NONE
    verbs: Dict[str, Words] = field(default_factory=dict)
    plurals: Words = _NONE
    plural_endings: Tuple[str, ...] = ()
    singular_endings: Tuple[str, ...] = ()
    possessive: Optional[Dict[str, Any]] = None
    definite_articles: Dict[str, Dict[str, str]] = field(default_factory=dict)
    weak_endings: Dict[str, Any] = field(default_factory=dict)
    elisions: Dict[str, str] = field(default_factory=dict)
    before_verbs: Words = _NONE
    marks_clauses: bool = False
    declines_names: bool = False
    class_nouns: Dict[str, Words] = field(default_factory=dict)
    reasons: Dict[str, str] = field(default_factory=dict)
    lists: Dict[str, Words] = field(default_factory=dict)
    groups: Dict[str, int] = field(default_factory=dict)

    @cached_property
    def _masks(self) -> Tuple[Dict[str, int], Dict[str, int]]:
        """The agreement bits of titles and of neuter nouns for people."""
        titles, nouns = self.titles.items(), self.neuter_people.items()
        people = {"m": NEUT_MALE, "f": NEUT_FEMALE, "mf": NEUT_PERSON}
        return (
            {word: read_letters(one) for one, words in titles for word in words},
            {word: people[one] for one, words in nouns for word in words},
        )

    def read_title(self, word: str) -> int:
        """Read the agreement bits of a title; 0 for words that are no titles."""
        return self._masks[0].get(word, 0)

    def read_neuter(self, word: str) -> int:
        """Read what people a neuter noun is for; 0 for none."""
        # The head of a compound is its last part: "Schulkind".
        nouns = filter(word.endswith, self._masks[1])
        return self._masks[1].get(max(nouns, key=len, default=""), 0)

    @cached_property
    def readings(self) -> Dict[str, List[Dict[str, Words]]]:
        """The features of each reading of a pronoun, by its form."""
        found: Dict[str, List[Dict[str, Words]]] = {}
        for features, forms in self.features.items():
            pairs = (feature.split("=") for feature in features.split("|"))
            given = {name: frozenset(values.split(",")) for name, values in pairs}
            for form in forms.split():
                found.setdefault(form, []).append(given)
        return found

    def find_pronouns(self, check: Callable[[Dict[str, Words]], object]) -> Words:
        """Find the pronouns that have a reading with some features."""
        items = self.readings.items()
        return frozenset(form for form, found in items if any(map(check, found)))

    @cached_property
    def pronominal_adverbs(self) -> Words:
        """The pronouns that stand for a preposition and its object, such as "damit"."""
        # They have neither gender nor number.
        return self.find_pronouns(
            lambda given: "3" in given.get("Person", ()) and given.keys() <= _OF_ADVERBS
        )

    @cached_property
    def has_plural_genders(self) -> bool:
        """Whether there are plural pronouns of different genders ("ils")."""
        wanted = {"Number": {"Plur"}, "Person": {"3"}}
        return bool(
            self.find_pronouns(lambda one: "Gender" in one and {**one, **wanted} == one)
        )


_EMPTY = Lexicon()


@lru_cache(maxsize=None)
def get_lexicon(lang: str) -> Lexicon:
    """Get the lexicon of a language; without a folder, an empty one with a warning.

    RAISES (ValueError): The language's lexicon.json has an unknown field.
    """
    folder = find_folder(lang)
    path = folder and folder / "lexicon.json"
    if path is None or not path.is_file():
        # No warning for the multi-language class "xx", which can't have a lexicon.
        if lang and lang != MultiLanguage.lang:
            known = ", ".join(list_languages())
            message = Warnings.FCW31.format(lang=lang, available=known)
            warnings.warn(message, stacklevel=2)
        return _EMPTY
    data = json.loads(path.read_text(encoding="utf8"))
    known = {one.name: one.type for one in fields(Lexicon)}
    for name in data:
        check_known(f"field of a lexicon, as '{path}' has it,", name, known)
    values = {name: _read(name, known[name], value) for name, value in data.items()}
    return Lexicon(**{"lang": lang, **values})


def _read(name: str, kind: Any, value: Any) -> Any:
    """Read one field of a lexicon.json, by its type."""
    if kind == Words:
        return frozenset(value.split())
    if kind == Dict[str, Words]:
        return {key: frozenset(words.split()) for key, words in value.items()}
    if kind == Tuple[str, ...]:
        return tuple(value.split())
    if name == "weak_endings":
        split = {key: tuple(forms.split()) for key, forms in value.items()}
        return {key: v if len(v) > 1 else v[0] for key, v in split.items()}
    if name == "reciprocals":
        return tuple(tuple(words.split()) for words in value.split("|"))
    if name == "groups":
        groups = enumerate(value, 1)
        return {form: i for i, forms in groups for form in forms.split()}
    return value
