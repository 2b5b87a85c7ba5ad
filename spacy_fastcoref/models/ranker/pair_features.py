"""Compute what is known of pairs of mentions."""

from dataclasses import dataclass
from typing import List

import numpy as np

from ...grammar.mention_features import MentionFeatures
from ...grammar.schemes import SUBJECT
from ...types import DOUBTFUL
from .candidates import Candidates
from .places import find_clauses, find_next_same, find_roles

# The limits of the buckets of distances, as in NeuralCoref.
_MENTIONS = np.array([1, 2, 3, 4, 5, 8, 16, 32, 64])
_SENTENCES = np.array([1, 2, 3, 4, 6, 10])
_RANKS = np.array([1, 2, 3, 4, 6, 10])
_WORDS = np.array([2, 4, 8, 16, 32, 64])
_N_KINDS = 3
WIDTH = 10 + 7 + 7 + 7 + 7 + _N_KINDS**2 + 5 + 15
# Features are computed for so many pairs at once, so that little memory is needed.
_N_AT_ONCE = 20000
# How much farther away a name and a noun count that are neither subjects nor pronouns.
_NAME, _NOUN = 2, 3


@dataclass
class _Mentions:
    """Hold what is compared of the mentions of a document; shape (n_mentions,) each."""

    facts: MentionFeatures
    sentences: np.ndarray
    kinds: np.ndarray
    roles: np.ndarray
    speakers: np.ndarray
    # The subjects of the clause of each mention, and of the clause above it.
    subjects: np.ndarray
    upper_subjects: np.ndarray
    # The next mention with the same head.
    next_same: np.ndarray


def read_pairs(candidates: Candidates) -> np.ndarray:
    """Compute the inputs of a document's pairs.

    candidates (Candidates): The mentions and their candidate antecedents.
    RETURNS (numpy.ndarray): Shape (n_pairs, WIDTH), uint8, zeros and ones.
    """
    n_pairs = len(candidates.later)
    found = np.zeros((n_pairs, WIDTH), dtype=np.uint8)
    if not n_pairs:
        return found
    mentions = _read_mentions(candidates.facts)
    ranks = _rank(candidates.later)
    saliences = _rank_by_salience(candidates)
    for begin in range(0, n_pairs, _N_AT_ONCE):
        rows = slice(begin, begin + _N_AT_ONCE)
        columns = _read_block(candidates, mentions, rows)
        columns[2:2] = [_bucket(ranks[rows], _RANKS), _bucket(saliences[rows], _RANKS)]
        np.concatenate(columns, axis=1, out=found[rows], casting="unsafe")
    return found


def _read_mentions(facts: MentionFeatures) -> _Mentions:
    annotation, heads = facts.annotation, facts.heads
    clauses = find_clauses(annotation)
    # A verb is in its own clause, and those of verbs without one are not known.
    upper = np.where(clauses < 0, -1, clauses[clauses])
    subjects = [
        np.where(verbs < 0, -1, annotation.subject[verbs])[heads]
        for verbs in (clauses, upper)
    ]
    roles = find_roles(facts)
    return _Mentions(
        facts,
        annotation.sentences[heads],
        np.where(facts.is_pronoun, 0, np.where(facts.is_name, 2, 1)),
        # The roles of a mention as one number.
        roles @ (1 << np.arange(roles.shape[1])),
        facts.speech.speakers[heads],
        *subjects,
        find_next_same(facts),
    )


def _read_block(
    candidates: Candidates, mentions: _Mentions, rows: slice
) -> List[np.ndarray]:
    facts = mentions.facts
    later, earlier = candidates.later[rows], candidates.earlier[rows]
    annotation, heads = facts.annotation, facts.heads
    later_heads, earlier_heads = heads[later], heads[earlier]
    agreement = facts.agreement
    common = _count_bits(agreement[later] & agreement[earlier])
    either = _count_bits(agreement[later] | agreement[earlier])
    pair_kinds = mentions.kinds[later] * _N_KINDS + mentions.kinds[earlier]
    governors = annotation.heads
    speakers, sentences = mentions.speakers, mentions.sentences
    n_words = candidates.n_words
    fewer = np.minimum(n_words[later], n_words[earlier])
    n_shared = candidates.n_shared[rows]
    flags = [
        facts.words.index[later_heads] == facts.words.index[earlier_heads],
        facts.are_alike(later, earlier),
        n_shared > 0,
        (n_shared == fewer) & (fewer > 0),
        agreement[later] == agreement[earlier],
        candidates.verdicts[rows] == DOUBTFUL,
        (speakers[later] == speakers[earlier]) & (speakers[later] > 0),
        facts.ends[earlier] > facts.starts[later],
        governors[later_heads] == governors[earlier_heads],
        annotation.dep[later_heads] == annotation.dep[earlier_heads],
        facts.speech.quotes[later_heads] == facts.speech.quotes[earlier_heads],
        mentions.roles[later] == mentions.roles[earlier],
        mentions.next_same[earlier] >= later,
        mentions.subjects[later] == earlier_heads,
        mentions.upper_subjects[later] == earlier_heads,
    ]
    return [
        _bucket(later - earlier, _MENTIONS),
        _bucket(sentences[later] - sentences[earlier], _SENTENCES),
        _bucket(np.abs(later_heads - earlier_heads), _WORDS),
        np.eye(_N_KINDS**2, dtype=np.uint8)[pair_kinds],
        _bucket(np.round(4 * common / np.maximum(either, 1)), np.arange(1, 5)),
        np.stack(flags, axis=1),
    ]


def _rank(later: np.ndarray) -> np.ndarray:
    """Count the candidates of the same mention from each one on."""
    _, index, counts = np.unique(later, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)[index.reshape(-1)]
    return ends - np.arange(len(later))


def _rank_by_salience(candidates: Candidates) -> np.ndarray:
    """Count the candidates of the same mention that are as near, from 1.

    Subjects and pronouns are more salient than other mentions, which count as farther
    away; see Grosz, Joshi and Weinstein (1995) on centering.
    """
    facts, later, earlier = candidates.facts, candidates.later, candidates.earlier
    annotation, heads = facts.annotation, facts.heads
    is_subject = annotation.has_role(SUBJECT)[annotation.first_conjunct]
    factors = np.where(facts.is_name, _NAME, _NOUN)
    factors[is_subject[heads] | facts.is_pronoun] = 1
    distances = factors[earlier] * np.abs(heads[later] - heads[earlier])
    order = np.lexsort((distances, candidates.verdicts == DOUBTFUL, later))
    counts = np.bincount(later, minlength=len(facts))
    found = np.empty(len(later), dtype=np.int64)
    # Candidates are sorted by mention, so that the order is one inside of each mention.
    found[order] = np.arange(1, len(later) + 1) - (np.cumsum(counts) - counts)[later]
    return found


def _count_bits(values: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(values, dtype=np.uint64).view(np.uint8)
    return np.unpackbits(bits.reshape(-1, 8), axis=1).sum(axis=1)


def _bucket(values: np.ndarray, limits: np.ndarray) -> np.ndarray:
    table = np.eye(len(limits) + 1, dtype=np.uint8)
    return table[np.searchsorted(limits, values, side="right")]
