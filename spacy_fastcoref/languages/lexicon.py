"""The closed-class words that tell what a Doc has no annotation for."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Dict, FrozenSet, NamedTuple, Optional, Tuple

DATA = Path(__file__).parent
_WORD_LISTS = (
    "pronouns",
    "possessives",
    "reflexives",
    "objects",
    "determiners",
    "quantifiers",
    "cutters",
    "relatives",
    "coordinators",
    "clitics",
    "copulas",
    "not_nouns",
    "modifiers",
    "degrees",
    "negations",
    "stop_words",
    "abbreviations",
    "acronyms",
    "renames",
)
_WORD_TABLES = ("verbs",)


class Lexicon(NamedTuple):
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
    features (Dict[str, str]): The forms of pronouns by their features, in Universal
        Dependencies' form; a form may have several readings.
    capitalised (FrozenSet[str]): Pronouns that have a capital letter everywhere ("I").
    possessive (Optional[Dict]): How a possessive is formed; None if not by suffix.
    groups (Dict[str, int]): Pronouns by the group of those that can stand for the
        same; from 1 on.
    """

    head: str
    capitalises_nouns: bool
    pronouns: FrozenSet[str]
    possessives: FrozenSet[str]
    reflexives: FrozenSet[str]
    objects: FrozenSet[str]
    determiners: FrozenSet[str]
    quantifiers: FrozenSet[str]
    cutters: FrozenSet[str]
    relatives: FrozenSet[str]
    coordinators: FrozenSet[str]
    clitics: FrozenSet[str]
    copulas: FrozenSet[str]
    not_nouns: FrozenSet[str]
    modifiers: FrozenSet[str]
    degrees: FrozenSet[str]
    negations: FrozenSet[str]
    stop_words: FrozenSet[str]
    abbreviations: FrozenSet[str]
    acronyms: FrozenSet[str]
    renames: FrozenSet[str]
    verbs: Dict[str, FrozenSet[str]]
    plurals: FrozenSet[str]
    plural_endings: Tuple[str, ...]
    singular_endings: Tuple[str, ...]
    features: Dict[str, str]
    capitalised: FrozenSet[str]
    possessive: Optional[Dict]
    groups: Dict[str, int]


_EMPTY = Lexicon(
    "last",
    False,
    *[frozenset()] * len(_WORD_LISTS),
    *[{}] * len(_WORD_TABLES),
    frozenset(),
    (),
    (),
    {},
    frozenset(),
    None,
    {},
)


@lru_cache(maxsize=None)
def get_lexicon(lang: str) -> Lexicon:
    """Get the words of a language.

    lang (str): The language's code, as in Doc.lang_.
    RETURNS (Lexicon): Its words; empty lists for a language without data.
    """
    path = DATA / lang / "lexicon.json"
    if not (lang.isalpha() and path.is_file()):
        return _EMPTY
    data = json.loads(path.read_text(encoding="utf8"))
    lists = {name: frozenset(data[name].split()) for name in _WORD_LISTS}
    tables = {
        name: {form: frozenset(v.split()) for form, v in data.get(name, {}).items()}
        for name in _WORD_TABLES
    }
    groups = enumerate(data["groups"], 1)
    return Lexicon(
        head=data["head"],
        capitalises_nouns=data.get("capitalises_nouns", False),
        plurals=frozenset(data.get("plurals", "").split()),
        plural_endings=tuple(data.get("plural_endings", "").split()),
        singular_endings=tuple(data.get("singular_endings", "").split()),
        features=data.get("features", {}),
        capitalised=frozenset(data.get("capitalised", "").split()),
        possessive=data["possessive"],
        groups={form: i for i, forms in groups for form in forms.split()},
        **lists,
        **tables,
    )
