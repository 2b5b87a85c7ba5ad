"""Provide French rules."""

import numpy as np
from spacy.tokens import Doc

from ...grammar.binding import are_in_relative
from ...grammar.mention_features import MentionFeatures
from ...grammar.rules import PAIR_RULES, PairRule, Rules
from ...grammar.tokens import Tokens
from ...grammar.word_index import WordIndex
from ...registry import registry
from ...types import DOUBTFUL, FORBIDDEN
from .impersonal import find_impersonal
from .names import find_names
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
from .pronouns import find_bound_clitics, find_closed, read_pronouns


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
        """Read the tokens of a document; see Grammar.read_tokens.

        doc (Doc): The document, with any annotation that its pipeline makes.
        RETURNS (Tokens): The tokens.
        """
        return read_pronouns(super().read_tokens(doc))

    def find_pleonastic(self, tokens: Tokens) -> np.ndarray:
        """Find pronouns that refer to nothing; see Grammar.find_pleonastic.

        tokens (Tokens): The document's tokens.
        RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
        """
        found = find_impersonal(tokens)
        return found | find_bound_clitics(tokens, found)

    def find_nouns(self, tokens: Tokens) -> np.ndarray:
        """Find the heads of independent noun phrases; see Grammar.find_nouns.

        tokens (Tokens): The document's tokens.
        RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
        """
        found = super().find_nouns(tokens) | find_names(tokens)
        found &= (tokens.features.person == 0) & ~find_closed(tokens)
        return found & ~find_bare(tokens)

    def read_agreement(self, facts: MentionFeatures) -> np.ndarray:
        """Read the agreement bits of names and nouns; see Grammar.read_agreement.

        facts (MentionFeatures): What has been read of the mentions so far.
        RETURNS (numpy.ndarray): Shape (n_mentions,), int64, bits of features.py.
        """
        return read_nouns(facts)

    def find_person_nouns(self, words: WordIndex) -> np.ndarray:
        """Find nouns for people; see Grammar.find_person_nouns.

        words (WordIndex): The document's words.
        RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
        """
        return words.map(is_person_noun) > 0
