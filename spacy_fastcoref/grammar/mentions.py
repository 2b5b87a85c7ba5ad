"""Find all mentions of a text by the parse, or by tags."""

from typing import Any, Tuple

import numpy as np

from .lexicon import Lexicon
from .tokens import Tokens
from .word_index import Marks, Rows, WordIndex, is_sign


def find_all_groups(grammar: Any, tokens: Tokens) -> Rows:
    """Find the first member of each word's group, with companions as members."""
    groups, joined = grammar.find_groups(tokens), grammar.find_comitatives(tokens)
    return np.where(joined >= 0, groups[joined], groups)


def find_spans(grammar: Any, tokens: Tokens) -> np.ndarray:
    """Find noun phrases, names, pronouns, zero subjects and coordinations.

    RETURNS (numpy.ndarray): Shape (n_mentions, 2), in text order, without duplicates.
    """
    is_noun = tokens.once(grammar.find_nouns)
    is_pronoun = (tokens.person > 0) & ~tokens.once(grammar.find_pleonastic)
    words = np.flatnonzero(is_pronoun)
    groups = find_all_groups(grammar, tokens)
    if tokens.has_dep:
        first, last = _find_edges(tokens, is_noun)
        phrases = np.stack([first[is_noun], last[is_noun] + 1], axis=1)
    else:
        phrases = _find_sequences(tokens, is_noun)
    spans = [
        phrases,
        np.stack([words, words + 1], axis=1),
        _find_group_spans(tokens, is_noun | is_pronoun, groups),
        find_reciprocal_spans(tokens.words, tokens.lexicon),
    ]
    found = np.concatenate(spans)
    return np.unique(found, axis=0) if len(found) else found


# The roles of tokens below a noun that don't belong to its phrase.
_OUTER = ("apposition", "auxiliary", "clausal subject", "complement", "conjunct")
_OUTER += ("coordinator", "expletive", "object", "subject")
# Further labels of such tokens, which are the same in all schemes that have them.
_OUTER_LABELS = ("advcl", "cop", "mark", "parataxis", "discourse", "vocative", "orphan")


def find_close_appositions(tokens: Tokens) -> Marks:
    """Find appositions without a sign before them, of one phrase: "my sister Ann"."""
    found = tokens.has_role("apposition")
    is_after = tokens.heads < np.arange(len(found))
    before = np.maximum(tokens.edges[0] - 1, tokens.words.edges[0])
    return found & is_after & ~(tokens.words.map(is_sign) > 0)[before]


def _find_group_spans(tokens: Tokens, is_head: Marks, groups: Rows) -> np.ndarray:
    """Find the spans of coordinations."""
    members, (first, last) = np.flatnonzero(is_head), _find_edges(tokens, is_head)
    names, places, counts = np.unique(
        groups[members], return_inverse=True, return_counts=True
    )
    starts, ends = np.full(len(names), len(groups)), np.zeros(len(names), dtype=int)
    np.minimum.at(starts, places, first[members])
    np.maximum.at(ends, places, last[members] + 1)
    return np.stack([starts, ends], axis=1)[counts > 1]


def _find_edges(tokens: Tokens, is_head: Marks) -> Tuple[Rows, Rows]:
    """Find the first and the last token of the phrase of each head."""
    index, inner = np.arange(len(is_head)), np.flatnonzero(_find_inner(tokens, is_head))
    first, last = index.copy(), index.copy()
    above = tokens.heads[inner]
    np.minimum.at(first, above, tokens.edges[0][inner])
    np.maximum.at(last, above, tokens.edges[1][inner])
    # A sign at an end of the phrase doesn't belong to it.
    is_mark = tokens.words.map(is_sign) > 0
    is_mark &= ~tokens.words.find(tokens.lexicon.clitics)
    for _ in range(2):
        first += is_mark[first] & (first < index)
        last -= is_mark[last] & (last > index)
    return first, last


def _find_inner(tokens: Tokens, is_head: Marks) -> Marks:
    """Find the tokens whose subtree belongs to the phrase of their head."""
    heads, index = tokens.heads, np.arange(len(is_head))
    is_outer = tokens.has_role(*_OUTER) | tokens.has_label(*_OUTER_LABELS)
    is_outer &= ~find_close_appositions(tokens)
    if not tokens.scheme.has_preposition_heads:
        is_outer |= tokens.has_role("preposition")
        # The modifiers of a predicate are those of its clause: "she is [a doctor] now".
        is_clause = tokens.has_child(tokens.has_label("cop", "aux"))
        is_clause |= tokens.own_subject >= 0
        is_outer |= is_clause[heads] & tokens.has_label("advmod", "obl", "expl")
    is_outer |= tokens.is_pos("PUNCT", "SPACE")
    # What is on the other side of the word above the noun is extraposed.
    above = heads[heads]
    is_beyond = (index < above) & (above < heads) | (heads < above) & (above < index)
    return is_head[heads] & (heads != index) & ~is_outer & ~is_beyond


def _find_sequences(tokens: Tokens, is_head: Marks) -> np.ndarray:
    """Find noun phrases as sequences of words, each with its last noun as the head."""
    words, lexicon = tokens.words, tokens.lexicon
    opens = words.find(lexicon.determiners | lexicon.possessives)
    opens |= tokens.is_pos("DET")
    is_part = is_head | tokens.is_pos("ADJ", "NUM") | opens
    after = np.append(False, is_part[:-1])
    after_noun = np.append(False, is_head[:-1])
    is_start = is_part & (~after | (opens & after_noun))
    numbers = np.cumsum(is_start)
    (nouns,) = np.nonzero(is_head)
    _, places = np.unique(numbers[nouns][::-1], return_index=True)
    heads = nouns[::-1][places]
    (starts,) = np.nonzero(is_start)
    firsts = starts[numbers[heads] - 1]
    return np.stack([firsts, heads + 1], axis=1)


def find_reciprocal_spans(words: WordIndex, lexicon: Lexicon) -> np.ndarray:
    """Find reciprocal pronouns of several words, such as "each other"."""
    spans = [np.zeros((0, 2), dtype=np.int64)]
    for phrase in lexicon.reciprocals:
        starts = np.arange(max(len(words.index) - len(phrase) + 1, 0))
        for step, word in enumerate(phrase):
            starts = starts[words.find(frozenset((word,)))[starts + step]]
        spans.append(np.stack([starts, starts + len(phrase)], axis=1))
    return np.concatenate(spans)
