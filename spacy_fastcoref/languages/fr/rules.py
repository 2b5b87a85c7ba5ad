"""Provide French rules."""

import numpy as np
from spacy.tokens import Doc

from ...grammar.binding import are_in_relative
from ...grammar.mention_features import MentionFeatures
from ...grammar.rules import PAIR_RULES, PairRule, Rules
from ...grammar.tokens import Tokens
from ...grammar.word_index import Marks, WordIndex
from ...registry import registry
from ...types import DOUBTFUL, FORBIDDEN
from .impersonal import find_impersonal
from .nouns import find_bare, is_person_noun, read_nouns
from .pairs import (
    are_co_arguments,
    are_on_and_other,
    is_lifeless,
    is_measure,
    is_of_person,
    is_place,
    is_thinking_thing,
    is_weak,
)
from .pronouns import find_bound_clitics, find_closed, find_names, read_pronouns


@registry.coref_rules("spacy_fastcoref.fr.v1")
class FrenchRules(Rules, takes_joined=True):
    """Judge links by French grammar."""

    pair_rules = (
        *PAIR_RULES,
        PairRule("on", are_on_and_other),
        PairRule("relative", are_in_relative, FORBIDDEN, False, ("dep",)),
        PairRule("clitic", are_co_arguments, needs=("dep",)),
        PairRule("measure", is_measure, DOUBTFUL),
        PairRule("adverbial", is_of_person, DOUBTFUL),
        PairRule("weak", is_weak, DOUBTFUL),
        PairRule("human", is_lifeless, DOUBTFUL),
        PairRule("place", is_place, DOUBTFUL),
        PairRule("personal", is_thinking_thing, DOUBTFUL),
    )

    def read_tokens(self, doc: Doc) -> Tokens:
        """Read the tokens of a document; see Grammar.read_tokens."""
        return read_pronouns(super().read_tokens(doc))

    def find_pleonastic(self, tokens: Tokens) -> Marks:
        """Find pronouns that refer to nothing; see Grammar.find_pleonastic."""
        found = find_impersonal(tokens)
        return found | find_bound_clitics(tokens, found)

    def find_nouns(self, tokens: Tokens) -> Marks:
        """Find the heads of independent noun phrases; see Grammar.find_nouns."""
        found = super().find_nouns(tokens) | find_names(tokens)
        found &= (tokens.features.person == 0) & ~find_closed(tokens)
        return found & ~find_bare(tokens)

    def read_agreement(self, facts: MentionFeatures) -> np.ndarray:
        """Read the agreement bits of names and nouns; see Grammar.read_agreement."""
        return read_nouns(facts)

    def find_person_nouns(self, words: WordIndex) -> Marks:
        """Find nouns for people; see Grammar.find_person_nouns."""
        return words.map(is_person_noun) > 0
