"""Provide Dutch rules: common and neuter gender, and demonstratives."""

import numpy as np

from ...grammar import features as bits
from ...grammar.mention_features import MentionFeatures
from ...grammar.resources import read_table
from ...grammar.rules import DISABLED, Rules
from ...grammar.tokens import Tokens
from ...grammar.word_index import Marks
from ...registry import registry

_FEMININE = ("eres", "ares", "rice", "euse", "ster", "din", "gin", "rin", "vin")


@registry.coref_rules("spacy_fastcoref.nl.v1")
class DutchRules(Rules, takes_joined=True):
    """Judge links by Dutch grammar."""

    off = DISABLED | {"type"}

    def find_anaphors(self, tokens: Tokens) -> Marks:
        # Demonstratives without a noun: "Die was boos".
        found = ((tokens.flags & bits.DEMONSTRATIVE) > 0) & tokens.is_pos("PRON")
        return found | super().find_anaphors(tokens)

    def read_agreement(self, facts: MentionFeatures) -> np.ndarray:
        found, heads = super().read_agreement(facts), facts.heads
        natural = facts.words.map(_read_noun)[heads]
        # "De lamp" can be "hij", but is so less often than a person.
        facts.is_lifeless = (natural == 0) & ~facts.is_name & ~facts.is_pronoun
        facts.is_lifeless &= (found & bits.ONE) > 0
        # A person can be of neuter gender, too: "het meisje … zij", "het meisje … het".
        is_thing = (natural & bits.GROUP) | ((found & bits.THING) == bits.NEUT_THING)
        one = natural | np.where(is_thing, found & bits.THING, 0)
        is_known = (natural > 0) & ((found & bits.ONE) > 0) & ~facts.is_name
        return np.where(is_known, one | (found & bits.SEVERAL), found)


def _read_noun(form: str) -> int:
    """Read what a noun for people can be, by list and ending; 0 for other nouns."""
    people = read_table("nl", "people")
    # A diminutive has the natural gender of its noun: "vrouwtje", "zoontje".
    for noun in (form, form.removesuffix("je"), form.removesuffix("tje")):
        if noun in people:
            return bits.read_letters(people[noun][0])
    return bits.FEMALE if len(form) > 5 and form.endswith(_FEMININE) else 0
