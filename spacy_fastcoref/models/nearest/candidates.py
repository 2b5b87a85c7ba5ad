"""Pair mentions with those before them that they could refer to."""

from typing import Optional, Tuple

import numpy as np

from ...grammar.features import THIRD
from ...grammar.mention_features import MentionFeatures
from ...grammar.nouns import have_class_noun
from ...graph import pair_ranges

# Later and earlier mentions, each of shape (n_pairs,).
Pairs = Tuple[np.ndarray, np.ndarray]
# The number of earlier mentions with a common word that each name or noun is paired
# with.
_N_SAME = 4
# The maximum distance in mentions. It keeps the running time linear in a text without
# sentence boundaries, and is rarely reached in a text with them.
_MAX_MENTIONS = 200


def pair_anaphors(facts: MentionFeatures, max_sentences: int) -> Pairs:
    """Pair each anaphor with all mentions before it in its last few sentences.

    facts (MentionFeatures): The features of the mentions.
    max_sentences (int): The maximum distance in sentences.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): The anaphors and the mentions.
    """
    (anaphors,) = np.nonzero(facts.is_anaphor)
    sentences = facts.annotation.sentences[facts.starts]
    firsts = np.searchsorted(sentences, sentences[anaphors] - max_sentences)
    firsts = np.maximum(firsts, anaphors - _MAX_MENTIONS)
    later, earlier = pair_ranges(anaphors, firsts, anaphors)
    is_candidate = can_be_antecedent(facts)[earlier]
    return later[is_candidate], earlier[is_candidate]


def pair_forwards(facts: MentionFeatures, anaphors: np.ndarray) -> Pairs:
    """Pair anaphors with the nouns after them in the same sentence, for cataphora.

    facts (MentionFeatures): The features of the mentions.
    anaphors (numpy.ndarray): Shape (n_anaphors,), indexes of mentions.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): The nouns and the anaphors.
    """
    sentences = facts.annotation.sentences[facts.starts]
    lasts = np.searchsorted(sentences, sentences[anaphors], side="right")
    lasts = np.minimum(lasts, anaphors + _MAX_MENTIONS + 1)
    earlier, later = pair_ranges(anaphors, anaphors + 1, lasts)
    is_noun = can_be_antecedent(facts) & (facts.person == 0)
    return later[is_noun[later]], earlier[is_noun[later]]


def pair_nouns(
    facts: MentionFeatures, max_sentences: int, for_names: Optional[int]
) -> Pairs:
    """Pair each noun or name with the last few that have a common word.

    facts (MentionFeatures): The features of the mentions.
    max_sentences (int): The maximum distance in sentences of nouns.
    for_names (Optional[int]): The maximum distance in sentences of names; None for any.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): The later and the earlier ones.
    """
    mentions, keys = _list_words(facts)
    order = np.lexsort((mentions, keys))
    mentions, keys = mentions[order], keys[order]
    found = [_pair_classes(facts, max_sentences)]
    for step in range(1, _N_SAME + 1):
        is_same = keys[step:] == keys[:-step]
        found.append((mentions[step:][is_same], mentions[:-step][is_same]))
    later, earlier = (np.concatenate(parts) for parts in zip(*found, strict=True))
    sentences = facts.annotation.sentences[facts.starts]
    distances = sentences[later] - sentences[earlier]
    is_name = facts.is_name[later]
    farthest = len(facts.words.index) if for_names is None else for_names
    limits = np.where(is_name, farthest, max_sentences)
    is_near = (distances <= limits) & (earlier < later)
    pairs = np.unique(np.stack([later[is_near], earlier[is_near]], 1), axis=0)
    return pairs[:, 0], pairs[:, 1]


def can_be_antecedent(facts: MentionFeatures) -> np.ndarray:
    """Find mentions that an anaphor can refer to.

    facts (MentionFeatures): The features of the mentions.
    RETURNS (numpy.ndarray): Shape (n_mentions,), bool: noun phrases, names,
        coordinations, indefinite pronouns and anaphors, but not "I" and "you".
    """
    is_participant = (facts.person > 0) & (facts.person < THIRD)
    return ~is_participant & ~facts.is_pleonastic


def _list_words(facts: MentionFeatures) -> Pairs:
    """List the words by which nouns and names are compared, as numbers.

    For a name, these are its words; for a noun, the head and its lemma.
    """
    is_noun = (facts.person == 0) & ~facts.is_joined
    (names,) = np.nonzero(is_noun & facts.is_name)
    (nouns,) = np.nonzero(is_noun & ~facts.is_name)
    forms = facts.words.index
    firsts = np.maximum(facts.runs.firsts[facts.heads[names]], facts.starts[names])
    rows, tokens = pair_ranges(names, firsts, facts.ends[names])
    is_part = facts.runs.is_part[tokens]
    rows, tokens = rows[is_part], tokens[is_part]
    mentions = [rows, nouns]
    keys = [forms[tokens], forms[facts.heads[nouns]]]
    if facts.annotation.has_lemmas:
        mentions.append(nouns)
        # Lemmas have numbers of their own.
        keys.append(-1 - facts.annotation.lemmas.index[facts.heads[nouns]])
    return np.concatenate(mentions), np.concatenate(keys)


def _pair_classes(facts: MentionFeatures, max_sentences: int) -> Pairs:
    """Pair nouns for classes of named entities with the names before them."""
    nouns = frozenset().union(*facts.lexicon.class_nouns.values())
    is_class = facts.annotation.lemmas.find(nouns) | facts.words.find(nouns)
    is_noun = is_class[facts.heads] & (facts.person == 0) & ~facts.is_joined
    (rows,) = np.nonzero(is_noun & ~facts.is_name)
    sentences = facts.annotation.sentences[facts.starts]
    firsts = np.searchsorted(sentences, sentences[rows] - max_sentences)
    firsts = np.maximum(firsts, rows - _MAX_MENTIONS)
    later, earlier = pair_ranges(rows, firsts, rows)
    is_class = have_class_noun(facts, later, earlier)
    return later[is_class], earlier[is_class]
