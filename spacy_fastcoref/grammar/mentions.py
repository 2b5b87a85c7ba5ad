"""Find all mentions of a document by the grammar of its language."""

from typing import Any

import numpy as np

from .describing import find_reciprocal_spans
from .phrases import find_group_spans, find_phrases
from .reading import find_all_groups
from .tokens import Tokens


def find_spans(grammar: Any, tokens: Tokens) -> np.ndarray:
    """Find noun phrases, names, pronouns, zero subjects and coordinations.

    grammar (Grammar): The grammar of the document's language.
    tokens (Tokens): The document's tokens.
    RETURNS (numpy.ndarray): Shape (n_mentions, 2), int64, token offsets in text order,
        without duplicates.
    """
    is_noun = grammar.find_nouns(tokens)
    is_pronoun = (tokens.features.person > 0) & ~grammar.find_pleonastic(tokens)
    words = np.flatnonzero(is_pronoun)
    groups = find_all_groups(grammar, tokens)
    spans = [
        find_phrases(tokens, is_noun),
        np.stack([words, words + 1], axis=1),
        find_group_spans(tokens, is_noun | is_pronoun, groups),
        find_reciprocal_spans(tokens.words, tokens.lexicon),
    ]
    found = np.concatenate(spans)
    return np.unique(found, axis=0) if len(found) else found
