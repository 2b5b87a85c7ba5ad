"""Compute what is known of pairs of mentions."""

import numpy as np
from thinc.types import Floats2d

from ...rules.facts import Facts
from ...types import DOUBTFUL
from .candidates import Candidates

# The limits of the buckets of distances, as in NeuralCoref.
_MENTIONS = np.array([1, 2, 3, 4, 5, 8, 16, 32, 64])
_SENTENCES = np.array([1, 2, 3, 4, 6, 10])
_RANKS = np.array([1, 2, 3, 4, 6, 10])
_N_KINDS = 3
WIDTH = 10 + 7 + 7 + _N_KINDS**2 + 5 + 11


def read_pairs(candidates: Candidates) -> Floats2d:
    """Compute the inputs of a document's pairs.

    candidates (Candidates): The mentions and their candidate antecedents.
    RETURNS (Floats2d): Shape (n_pairs, WIDTH).
    """
    facts, later, earlier = candidates.facts, candidates.later, candidates.earlier
    annotation, heads = facts.annotation, facts.heads
    sentences = annotation.sentences[heads]
    later_heads, earlier_heads = heads[later], heads[earlier]
    agreement = facts.agreement
    common = _count_bits(agreement[later] & agreement[earlier])
    either = _count_bits(agreement[later] | agreement[earlier])
    kinds = _find_kinds(facts)
    pair_kinds = kinds[later] * _N_KINDS + kinds[earlier]
    governors = annotation.heads
    speakers = facts.speech.speakers[heads]
    n_words = candidates.n_words
    fewer = np.minimum(n_words[later], n_words[earlier])
    n_shared = candidates.n_shared
    flags = [
        facts.words.index[later_heads] == facts.words.index[earlier_heads],
        facts.are_alike(later, earlier),
        n_shared > 0,
        (n_shared == fewer) & (fewer > 0),
        agreement[later] == agreement[earlier],
        candidates.verdicts == DOUBTFUL,
        (speakers[later] == speakers[earlier]) & (speakers[later] > 0),
        facts.ends[earlier] > facts.starts[later],
        governors[later_heads] == governors[earlier_heads],
        annotation.dep[later_heads] == annotation.dep[earlier_heads],
        facts.speech.quotes[later_heads] == facts.speech.quotes[earlier_heads],
    ]
    columns = [
        _bucket(later - earlier, _MENTIONS),
        _bucket(sentences[later] - sentences[earlier], _SENTENCES),
        _bucket(_rank(later), _RANKS),
        np.eye(_N_KINDS**2)[pair_kinds],
        _bucket(np.round(4 * common / np.maximum(either, 1)), np.arange(1, 5)),
        np.stack(flags, axis=1),
    ]
    return np.concatenate(columns, axis=1).astype(np.float32)


def _rank(later: np.ndarray) -> np.ndarray:
    """Count the candidates of the same mention from each one on."""
    _, index, counts = np.unique(later, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)[index.reshape(-1)]
    return ends - np.arange(len(later))


def _find_kinds(facts: Facts) -> np.ndarray:
    """Find the kind of each mention: 0 for pronouns, 1 for nouns and 2 for names."""
    return np.where(facts.is_pronoun, 0, np.where(facts.is_name, 2, 1))


def _count_bits(values: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(values, dtype=np.uint64).view(np.uint8)
    return np.unpackbits(bits.reshape(-1, 8), axis=1).sum(axis=1)


def _bucket(values: np.ndarray, limits: np.ndarray) -> np.ndarray:
    return np.eye(len(limits) + 1)[np.searchsorted(limits, values, side="right")]
