"""Provide French rules."""

from typing import Iterable

import numpy as np
from spacy.tokens import Doc

from ...decoding.costs import Costs
from ...registry import registry
from ...rules.base import DISABLED, Rules
from ...rules.binding import are_in_relative
from ...rules.facts import Facts
from ...rules.pair_rules import PAIR_RULES, PairRule
from ...rules.tokens import Tokens
from ...types import DOUBTFUL, FORBIDDEN
from ..word_index import WordIndex
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

_REASONS = {
    "adverbial": '"en" rarely refers to a person',
    "clitic": "they are arguments of one verb",
    "human": "this pronoun is mostly for people",
    "measure": "times and measures are rarely taken up",
    "on": '"on" is nobody in particular',
    "personal": "only people say, think or feel",
    "place": '"y" refers to a town, rather than "il" or "elle"',
    "weak": '"ce", "y" and the like are rarely taken up',
}


class FrenchRules(Rules):
    """Judge links by French grammar."""

    pair_rules = (
        *PAIR_RULES,
        PairRule("on", are_on_and_other, reason=_REASONS["on"]),
        PairRule("relative", are_in_relative, FORBIDDEN, False, ("dep",)),
        PairRule("clitic", are_co_arguments, needs=("dep",), reason=_REASONS["clitic"]),
        PairRule("measure", is_measure, DOUBTFUL, reason=_REASONS["measure"]),
        PairRule("adverbial", is_of_person, DOUBTFUL, reason=_REASONS["adverbial"]),
        PairRule("weak", is_weak, DOUBTFUL, reason=_REASONS["weak"]),
        PairRule("human", is_lifeless, DOUBTFUL, reason=_REASONS["human"]),
        PairRule("place", is_place, DOUBTFUL, reason=_REASONS["place"]),
        PairRule("personal", is_thinking_thing, DOUBTFUL, reason=_REASONS["personal"]),
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

    def read_agreement(self, facts: Facts) -> np.ndarray:
        """Read the agreement bits of names and nouns; see Grammar.read_agreement.

        facts (Facts): The features of the mentions that have been read so far.
        RETURNS (numpy.ndarray): Shape (n_mentions,), int64, bits of features.py.
        """
        return read_nouns(facts)

    def find_person_nouns(self, words: WordIndex) -> np.ndarray:
        """Find nouns for people; see Grammar.find_person_nouns.

        words (WordIndex): The document's words.
        RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
        """
        return words.map(is_person_noun) > 0


@registry.coref_rules("spacy_fastcoref.fr.v1")
def make_french_rules(
    disabled: Iterable[str] = tuple(sorted(DISABLED)),
    doubtful: float = Costs.doubtful,
    alone: float = Costs.alone,
    warns: bool = True,
) -> FrenchRules:
    """Make French rules.

    disabled (Iterable[str]): The names of disabled rules; () for none.
    doubtful (float): The cost of a doubtful link, in log-odds.
    alone (float): The cost of an anaphor without an antecedent, as a share of the
        model's log-odds that it has one.
    warns (bool): Whether to warn once if annotation is missing.
    RETURNS (FrenchRules): The rules.
    """
    return FrenchRules(disabled, doubtful, alone, warns)
