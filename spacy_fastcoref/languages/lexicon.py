"""A language's closed-class words: what its grammar names one by one."""

import json
import warnings
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, Dict, FrozenSet, Optional, Tuple

from spacy.lang.xx import MultiLanguage

from ..errors import Errors, Warnings
from .resources import find_folder, list_languages

Words = FrozenSet[str]
_NONE: Words = frozenset()


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Hold one language's closed-class words, all in lower case.

    head (str): "last" or "first": where the head noun stands before its modifiers.
    capitalises_nouns (bool): Whether all nouns have a capital letter, and not names
        alone.
    pronouns, possessives, reflexives (FrozenSet[str]): Forms by kind.
    objects (FrozenSet[str]): Possessive forms that can be object forms as well.
    determiners (FrozenSet[str]): Words before a noun that cannot head a phrase.
    quantifiers (FrozenSet[str]): Words that begin what says how many, and names nobody
        ("no student", "every student", "nobody").
    cutters (FrozenSet[str]): Words that end the part of a phrase with its head.
    relatives (FrozenSet[str]): Words that start a clause after a noun.
    coordinators (FrozenSet[str]): Words that join two heads.
    clitics (FrozenSet[str]): Possessive endings that are tokens of their own.
    copulas (FrozenSet[str]): Forms of "to be" and its like.
    not_nouns (FrozenSet[str]): Words that, after a form of `objects`, show that it
        is an object ("saw her yesterday").
    modifiers (FrozenSet[str]): Words that do so, or stand before a noun ("saw her
        first", "her first husband").
    degrees (FrozenSet[str]): Words that do so, or stand before an adjective ("made her
        very happy", "her very old house").
    negations (FrozenSet[str]): Words that may part a verb from its subject ("don't
        you?").
    stop_words (FrozenSet[str]): Words that do not count when names are compared.
    abbreviations (FrozenSet[str]): Words whose full stop ends no sentence, where it is
        a token of its own.
    acronyms (FrozenSet[str]): Pronouns that are names in capitals ("the US").
    renames (FrozenSet[str]): Words that stand, beside forms of "to be", between
        somebody and another name or a description ("Hall, who was born Ann Lee").
    verbs (Dict[str, FrozenSet[str]]): By pronoun, the forms of verbs that have it for a
        subject and could not have one person or thing ("I am").
    plurals (FrozenSet[str]): Nouns that are several without a plural's ending.
    plural_endings, singular_endings (Tuple[str, ...]): How nouns end that are several,
        and what ends in the same way and is one.
    possessive (Optional[Dict]): How a possessive is formed; None if not by suffix.
    groups (Dict[str, int]): Pronouns by the group of those that can stand for the
        same; from 1 on.
        features (Dict[str, str]): The forms of pronouns by their features, in Universal
        Dependencies' form; a form may have several readings.
    reciprocals (Tuple[Tuple[str, ...], ...]): Pronouns of several words, "each other".
    quotes (Dict[str, str]): Quotation marks that "open", "close", or do "both".
    titles (Dict[str, FrozenSet[str]]): Titles before names by what they tell, in the
        letters of features.py: "m" for "Mr.".
    family_titles (FrozenSet[str]): Those that a family name follows.
    auxiliaries (FrozenSet[str]): Auxiliary verbs.
    reporting_verbs (FrozenSet[str]): Verbs beside direct speech, "said".
    argument_prepositions (FrozenSet[str]): Prepositions that verbs ask for ("talk to").
    place_prepositions (FrozenSet[str]): Prepositions of places ("in Lincoln").
    definites, indefinites (FrozenSet[str]): Determiners that say that something is
        known, or new.
    singular_determiners, plural_determiners (FrozenSet[str]): Those that tell a number.
    quantities (FrozenSet[str]): Words that stand for what they count, "two", "others".
    expletives (FrozenSet[str]): Pronouns that may refer to nothing, "it".
    weather_verbs (FrozenSet[str]): Verbs without a subject of their own, "rains".
    extraposing (FrozenSet[str]): Adjectives and nouns that a clause may be the subject
        of: "it is clear that".
    complementizers (FrozenSet[str]): Words that such a clause begins with.
    capitalised (FrozenSet[str]): Pronouns that always have a capital letter ("I").
    name_particles (FrozenSet[str]): Words within names, "von".
    alias_words (FrozenSet[str]): Words before another name of somebody, "née".
    """

    lang: str = ""
    head: str = "last"
    capitalises_nouns: bool = False
    features: Dict[str, str] = field(default_factory=dict)
    reciprocals: Tuple[Tuple[str, ...], ...] = ()
    quotes: Dict[str, str] = field(default_factory=dict)
    titles: Dict[str, Words] = field(default_factory=dict)
    family_titles: Words = _NONE
    auxiliaries: Words = _NONE
    reporting_verbs: Words = _NONE
    argument_prepositions: Words = _NONE
    place_prepositions: Words = _NONE
    definites: Words = _NONE
    indefinites: Words = _NONE
    singular_determiners: Words = _NONE
    plural_determiners: Words = _NONE
    quantities: Words = _NONE
    expletives: Words = _NONE
    weather_verbs: Words = _NONE
    extraposing: Words = _NONE
    complementizers: Words = _NONE
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
    groups: Dict[str, int] = field(default_factory=dict)


_EMPTY = Lexicon()
# What is not a set of words written as one string.
_PLAIN = frozenset("lang head capitalises_nouns features quotes possessive".split())
_ENDINGS = ("plural_endings", "singular_endings")
_TABLES = ("titles", "verbs")


@lru_cache(maxsize=None)
def get_lexicon(lang: str) -> Lexicon:
    """Get the closed-class words of a language.

    lang (str): The language's code, as in Doc.lang_.
    RETURNS (Lexicon): Its words. For a language without a folder all lists are empty,
        and a warning says so, once.
    RAISES (ValueError): The language's lexicon.json is broken.
    """
    folder = find_folder(lang)
    if folder is None or not (folder / "lexicon.json").is_file():
        # A pipeline of no language in particular expects no words.
        if lang and lang != MultiLanguage.lang:
            known = ", ".join(list_languages())
            message = Warnings.FCW31.format(lang=lang, available=known)
            warnings.warn(message, stacklevel=2)
        return _EMPTY
    path = folder / "lexicon.json"
    data = json.loads(path.read_text(encoding="utf8"))
    known = {one.name for one in fields(Lexicon)}
    unknown = sorted(set(data) - known)
    if unknown:
        raise ValueError(
            Errors.FC130.format(path=path, names=unknown, available=sorted(known))
        )
    return Lexicon(**{"lang": lang, **{k: _read(k, v) for k, v in data.items()}})


def _read(name: str, value: Any) -> Any:
    """Read one field of a lexicon.json."""
    if name in _PLAIN:
        return value
    if name in _TABLES:
        return {key: frozenset(words.split()) for key, words in value.items()}
    if name in _ENDINGS:
        return tuple(value.split())
    if name == "reciprocals":
        return tuple(tuple(words.split()) for words in value.split("|"))
    if name == "groups":
        groups = enumerate(value, 1)
        return {form: i for i, forms in groups for form in forms.split()}
    return frozenset(value.split())
