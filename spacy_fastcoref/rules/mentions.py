"""Find all mentions of a document by the grammar of its language."""

from typing import Any, List

import numpy as np

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
        *_find_reciprocals(tokens),
    ]
    found = np.concatenate(spans)
    return np.unique(found, axis=0) if len(found) else found


def _find_reciprocals(tokens: Tokens) -> List[np.ndarray]:
    """Find reciprocal pronouns of several words: "each other"."""
    found = []
    for phrase in tokens.lexicon.reciprocals:
        is_here = np.ones(len(tokens.words.index), dtype=bool)
        for step, word in enumerate(phrase):
            is_word = tokens.words.find(frozenset((word,)))
            is_here &= np.append(is_word[step:], np.zeros(step, dtype=bool))
        starts = np.flatnonzero(is_here)
        found.append(np.stack([starts, starts + len(phrase)], axis=1))
    return found
