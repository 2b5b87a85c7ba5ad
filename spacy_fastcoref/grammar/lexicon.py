"""Read the closed-class words of a language from its lexicon.json."""

import json
import warnings
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Tuple

from spacy.lang.xx import MultiLanguage

from ..errors import Warnings, check_known
from .features import NEUT_FEMALE, NEUT_MALE, NEUT_PERSON, read_letters, split_values
from .resources import find_folder, list_languages

Words = FrozenSet[str]
_NONE: Words = frozenset()
_NEUTER = {"m": NEUT_MALE, "f": NEUT_FEMALE, "mf": NEUT_PERSON}
# All features that pronominal adverbs have.
_OF_ADVERBS = frozenset(("Animacy", "Person", "PronType"))


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Hold the closed-class words of a language, all in lower case."""

    lang: str = ""
    # "first" if the first noun of a phrase is its head; "last" for "police officer".
    head: str = "last"
    # Whether all nouns are capitalised, rather than only names.
    capitalises_nouns: bool = False
    # Whether a pronoun as the subject is usually left out, so that a verb can be an
    # anaphor.
    drops_subjects: bool = False
    # The forms of pronouns by their features in Universal Dependencies. A form can be
    # listed several times, for several readings.
    features: Dict[str, str] = field(default_factory=dict)
    reciprocals: Tuple[Tuple[str, ...], ...] = ()  # Of several words: "each other".
    # Quotation marks that "open", "close" or do "both", and each "dash" that begins a
    # turn of a dialogue.
    quotes: Dict[str, str] = field(default_factory=dict)
    # Titles before names by their agreement, in the letters of features.py: "Mr." for
    # "m"; and titles before family names ("Mrs.").
    titles: Dict[str, Words] = field(default_factory=dict)
    family_titles: Words = _NONE
    auxiliaries: Words = _NONE  # Auxiliary verbs.
    reporting_verbs: Words = _NONE  # Verbs that introduce direct speech ("said").
    addressing: Words = _NONE  # Prepositions of who is spoken to ("said to Ann").
    argument_prepositions: Words = _NONE  # Those of verbs' arguments ("talk to").
    genitives: Words = _NONE  # Prepositions of the objects of nouns ("love of her").
    place_prepositions: Words = _NONE  # Prepositions of places ("in Lincoln").
    definites: Words = _NONE  # Definite determiners.
    indefinites: Words = _NONE  # Indefinite determiners.
    # Determiners by the gender and number of their nouns, as in `features`; also
    # prepositions that contain an article ("du").
    articles: Dict[str, str] = field(default_factory=dict)
    # Likewise, endings of adjectives and of determiners.
    adjective_endings: Dict[str, str] = field(default_factory=dict)
    # Likewise, endings of nouns, and of verbs that stand for their subject. Longer
    # endings take precedence; those under "" tell nothing.
    word_endings: Dict[str, str] = field(default_factory=dict)
    singular_determiners: Words = _NONE  # Determiners of singular nouns.
    plural_determiners: Words = _NONE  # Determiners of plural nouns.
    # Words for quantities that can be used without a noun ("two", "others").
    quantities: Words = _NONE
    expletives: Words = _NONE  # Pronouns that can be pleonastic ("it").
    weather_verbs: Words = _NONE  # Verbs with a pleonastic subject ("rains").
    # Predicates whose subject can be an extraposed clause ("it is clear that"), and
    # words that begin such a clause.
    extraposing: Words = _NONE
    complementizers: Words = _NONE
    # Third persons that, with a capital letter, address somebody ("Sie").
    formal: Words = _NONE
    # Neuter nouns for people by their gender, "m", "f" or "mf" ("Mädchen" for "f").
    neuter_people: Dict[str, Words] = field(default_factory=dict)
    capitalised: Words = _NONE  # Pronouns that are always capitalised ("I").
    name_particles: Words = _NONE  # Words within names ("von").
    alias_words: Words = _NONE  # Words before another name of a person ("née").
    pronouns: Words = _NONE  # Forms of pronouns by kind.
    possessives: Words = _NONE
    reflexives: Words = _NONE
    objects: Words = _NONE  # Possessive forms that can also be objects ("her").
    determiners: Words = _NONE  # Words before a noun that can't be a head.
    # First words of mentions that refer to nobody in particular ("no student", "every
    # student", "nobody").
    quantifiers: Words = _NONE
    # Words that can't belong to a noun with the modifiers before it, so that the head
    # comes before them.
    cutters: Words = _NONE
    relatives: Words = _NONE  # Words that begin a relative clause.
    coordinators: Words = _NONE  # Words that join the members of a coordination.
    conjunction: str = ""  # The coordinator that makes a plural of its members ("and").
    alternatives: Words = _NONE  # Coordinators of alternatives ("or").
    clitics: Words = _NONE  # Possessive endings that are separate tokens ("'s").
    copulas: Words = _NONE  # Forms of "to be" and similar verbs.
    # Words that can't follow a possessive, so that one in `objects` before them is an
    # object ("saw her yesterday").
    not_nouns: Words = _NONE
    # Words that can follow an object, or come between a possessive and a noun ("saw her
    # first", "her first husband").
    modifiers: Words = _NONE
    # Likewise, between a possessive and an adjective ("her very old house").
    degrees: Words = _NONE
    # Words that can come between a verb and its subject ("don't you?").
    negations: Words = _NONE
    stop_words: Words = _NONE  # Words that are ignored when names are compared.
    # Words whose full stop is a separate token and does not end a sentence.
    abbreviations: Words = _NONE
    acronyms: Words = _NONE  # Pronouns that are names in capitals ("the US").
    # Words, apart from copulas, between a mention and another name or description of it
    # ("Hall, who was born Ann Lee").
    renames: Words = _NONE
    # For each pronoun, the verb forms that don't agree with a singular noun as the
    # subject ("I am").
    verbs: Dict[str, Words] = field(default_factory=dict)
    plurals: Words = _NONE  # Plural nouns without a plural ending.
    # Endings of plural nouns, and longer endings of singular nouns that end like them.
    plural_endings: Tuple[str, ...] = ()
    singular_endings: Tuple[str, ...] = ()
    # How possessives of names and nouns are formed; None if not by a suffix.
    possessive: Optional[Dict[str, Any]] = None
    # For an article, the definite one that takes its noun up, by the pronoun in whose
    # place it is ("ihm"), or "" for all.
    definite_articles: Dict[str, Dict[str, str]] = field(default_factory=dict)
    # The endings of adjectives after each definite article; `adjectives`, the endings
    # that they can have elsewhere; `uncertain_nouns`, the endings of nouns whose form
    # may differ by case, in the place of the pronouns of `uncertain_places`.
    weak_endings: Dict[str, Any] = field(default_factory=dict)
    # The elided form of articles; the letters before which they are elided (`open`),
    # and those before which some are (`unknown`).
    elisions: Dict[str, str] = field(default_factory=dict)
    # Pronouns in a place where no noun can stand ("le" in "je le vois").
    before_verbs: Words = _NONE
    # Whether each clause begins with a sign, a coordinator or a word in
    # `complementizers` or `relatives`, unlike English "he said he saw him".
    marks_clauses: bool = False
    # Whether names have cases, so that a name fits only in a place of the same case.
    declines_names: bool = False
    # For each entity label, the nouns for what it marks ("company" for "ORG").
    class_nouns: Dict[str, Words] = field(default_factory=dict)
    # Why the rules of the language object to a link, by their names.
    reasons: Dict[str, str] = field(default_factory=dict)
    # Further lists of words, by the names by which the language's rules ask for them.
    lists: Dict[str, Words] = field(default_factory=dict)
    # The number, from 1 on, of the group of each pronoun; the pronouns of a group can
    # refer to the same entity.
    groups: Dict[str, int] = field(default_factory=dict)

    def read_title(self, word: str) -> int:
        """Read the agreement bits of a title; 0 for words that are no titles."""
        titles = self.titles.items()
        return next((read_letters(one) for one, words in titles if word in words), 0)

    def read_neuter(self, word: str) -> int:
        """Read what people a neuter noun is for; 0 for none."""
        nouns = ((noun, one) for one, all in self.neuter_people.items() for noun in all)
        # The head of a compound is its last part: "Schulkind".
        heads = [
            (len(noun), _NEUTER[one]) for noun, one in nouns if word.endswith(noun)
        ]
        return max(heads, default=(0, 0))[1]

    @cached_property
    def forms(self) -> Dict[str, List[str]]:
        """The readings of each pronoun, as features, by its form."""
        found: Dict[str, List[str]] = {}
        for features, forms in self.features.items():
            for form in forms.split():
                found.setdefault(form, []).append(features)
        return found

    @cached_property
    def readings(self) -> Dict[str, List[Dict[str, Words]]]:
        """The values of the features of each reading of a pronoun, by its form."""
        return {form: [*map(split_values, found)] for form, found in self.forms.items()}

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
