"""Provide English rules: the rules of all languages, with word lists of nouns."""

import numpy as np

from ...grammar.features import ANYTHING, ONE_PERSON
from ...grammar.mention_features import MentionFeatures
from ...grammar.rules import Rules
from ...grammar.word_index import Marks, WordIndex
from ...registry import registry
from .nouns import find_noun_mask, read_nouns


@registry.coref_rules("spacy_fastcoref.en.v1")
class EnglishRules(Rules, takes_joined=True):
    """Judge links by English grammar."""

    def read_agreement(self, facts: MentionFeatures) -> np.ndarray:
        """Read the agreement bits of names and nouns; see Rules.read_agreement."""
        nouns, is_lifeless = read_nouns(facts)
        facts.is_lifeless = is_lifeless & ~facts.is_name & ~facts.is_pronoun
        names = super().read_agreement(facts)
        return np.where(facts.is_name, names, nouns)

    def find_person_nouns(self, words: WordIndex) -> Marks:
        """Find nouns for people; see Rules.find_person_nouns."""
        masks = words.map(find_noun_mask)
        return (masks != ANYTHING) & ((masks & ONE_PERSON) > 0)
