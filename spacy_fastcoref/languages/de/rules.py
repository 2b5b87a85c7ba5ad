"""Provide German rules, and find nouns for people."""

from dataclasses import replace
from typing import List

import numpy as np
from spacy.tokens import Doc

from ...grammar.features import (
    GROUP,
    NEUT_PERSON,
    NO_PERSON,
    ONE,
    PERSON_LABELS,
    SEVERAL,
    THIRD,
)
from ...grammar.mention_features import MentionFeatures
from ...grammar.resources import read_words
from ...grammar.rules import PAIR_RULES, PairRule, Rules
from ...grammar.schemes import AUXILIARY, SUBJECT
from ...grammar.tokens import Tokens
from ...grammar.word_index import Marks, WordIndex
from ...registry import registry
from ...types import DOUBTFUL
from . import pairs
from .pleonastic import find_correlates, find_determinatives, find_impersonal

_SIBILANTS = ("s", "ß", "x", "z")
# Suffixes that make a noun for a person of any verb or noun.
_SUFFIXES = ("ling", "ist", "istin", "istinnen", "isten", "erin", "erinnen")
_NOT_PEOPLE = frozenset(
    "frühling schmetterling sperling fäustling list mist rist".split()
)
# Short nouns that are the head of many compounds. Other short nouns can be the end of
# another word by chance: "Bote" in "Angebote".
_HEADS = frozenset("chef frau gast held herr kind koch mann sohn wirt".split())
_UMLAUTS = str.maketrans("äöü", "aou")
_ENDINGS = ("", "s", "es", "n", "en", "e", "er", "ern", "in", "innen", "nen", "rin")


@registry.coref_rules("spacy_fastcoref.de.v1")
class GermanRules(Rules, takes_joined=True):
    """Judge links by German grammar."""

    pair_rules = (
        *(rule for rule in PAIR_RULES if rule.name != "person"),
        PairRule("person", pairs.are_persons, is_cluster_wide=True),
        PairRule("quotation", pairs.are_speaker_and_other),
        PairRule("addressee", pairs.is_addressee),
        PairRule("adverb", pairs.is_thing),
        PairRule("clause", pairs.are_in_clause, is_cluster_wide=True, needs=("dep",)),
        PairRule("personal", pairs.is_thinking_thing, DOUBTFUL, needs=("dep",)),
        PairRule("gapping", pairs.is_unbound, needs=("dep",)),
        PairRule("genitive", pairs.is_genitive, needs=("dep",)),
    )

    def inflect_name(self, name: str, gender: str) -> List[str]:
        """List the forms of a name; see Grammar.inflect_name."""
        # "Hans" has an apostrophe in the genitive, which is a token of its own.
        return [name] if name.endswith(_SIBILANTS) else [name, name + "s"]

    def read_tokens(self, doc: Doc) -> Tokens:
        """Read the tokens of a document; see Grammar.read_tokens.

        The verb tells the number of "sie" if the morphology doesn't.
        """
        tokens = super().read_tokens(doc)
        annotation, features = tokens.annotation, tokens.features
        if not annotation.has_dep:
            return tokens
        is_subject = annotation.has_role(SUBJECT) & (features.person == THIRD)
        agreement = features.as_pronoun
        for feat, bits in (("Number=Sing", ONE), ("Number=Plur", SEVERAL | GROUP)):
            is_verb = annotation.has_morph(feat) & annotation.is_verb
            is_helper = is_verb & annotation.has_role(AUXILIARY)
            by_verb = (is_verb | annotation.has_child(is_helper))[annotation.heads]
            narrowed = agreement & bits
            is_told = is_subject & by_verb & (narrowed > 0)
            agreement = np.where(is_told, narrowed, agreement)
        return tokens._replace(features=replace(features, as_pronoun=agreement))

    def find_pleonastic(self, tokens: Tokens) -> Marks:
        """Find pronouns that refer to nothing; see Grammar.find_pleonastic."""
        found = super().find_pleonastic(tokens) | find_impersonal(tokens)
        return found | find_correlates(tokens)

    def find_anaphors(self, tokens: Tokens) -> Marks:
        """Find words that need an antecedent; see Grammar.find_anaphors."""
        return super().find_anaphors(tokens) & ~find_determinatives(tokens)

    def read_agreement(self, facts: MentionFeatures) -> np.ndarray:
        """Read the agreement bits of names and nouns; see Grammar.read_agreement."""
        found = super().read_agreement(facts)
        heads = facts.heads
        are_people = facts.annotation.is_entity(*PERSON_LABELS)[heads]
        are_people |= self.find_person_nouns(facts.words)[heads] & ~facts.is_name
        # A neuter noun for a person agrees with "es", too.
        is_neuter = (found & NEUT_PERSON) > 0
        as_people = found & ~(NO_PERSON & ~SEVERAL)
        return np.where(are_people & ~is_neuter & (as_people > 0), as_people, found)

    def find_person_nouns(self, words: WordIndex) -> Marks:
        """Find nouns for people; see Grammar.find_person_nouns."""
        return words.map(is_person) > 0


def is_person(word: str) -> bool:
    """Check whether a noun is for people.

    The head of a compound is its last part ("Konzernchefin"), and feminine forms and
    plurals count, also those with an umlaut ("Ärztin", "Söhne").

    word (str): The noun in lower case.
    RETURNS (bool): Whether it is in the list or derived from a noun in it.
    """
    nouns = read_words("de", "people")
    if word in _NOT_PEOPLE or len(word) < 3:
        return False
    stems = {word[: len(word) - len(end)] for end in _ENDINGS if word.endswith(end)}
    stems |= {stem.translate(_UMLAUTS) for stem in stems}
    stems |= {stem + "e" for stem in stems}
    for stem in stems:
        for start in range(max(1, len(stem) - 3)):
            part = stem[start:]
            if part in nouns and (start == 0 or len(part) > 4 or part in _HEADS):
                return True
    return word.endswith(_SUFFIXES) and len(word) > 6
