"""Compute what is known of single mentions, and which tokens stand for them."""

from dataclasses import dataclass

import numpy as np
from thinc.types import Floats2d, Ints2d

from ...graph import find_depths
from .candidates import Candidates
from .feature_table import FeatureTable
from .places import N_ROLES, count_same, find_roles

# The number of token positions of a mention, see Inputs.
N_PLACES = 8
# The limits of buckets of lengths, depths and positions.
_LENGTHS = np.array([2, 3, 4, 6, 10])
_DEPTHS = np.array([1, 2, 3, 5, 8])
_POSITIONS = np.array([1, 2, 4, 8, 16])
_COUNTS = np.array([1, 2, 4, 8, 16])
_N_AGREEMENT, _N_FLAGS, _N_PERSONS = 10, 6, 5
# The number of columns that do not depend on the table.
N_FIXED = _N_AGREEMENT + _N_FLAGS + _N_PERSONS + 5 * 6 + 15 + N_ROLES


@dataclass
class Inputs:
    """Hold the inputs of the networks for the mentions of a document.

    places (Ints2d): Shape (n_mentions, 8), token indexes: the head, the first and the
        last token, two before and two after, and the word that governs the head; -1
        beyond the document.
    spans (Ints2d): Shape (n_mentions, 3, 2), token offsets of the mention, its sentence
        and the document, over which word vectors are averaged.
    features (Floats2d): Shape (n_mentions, n_features).
    """

    places: Ints2d
    spans: np.ndarray
    features: Floats2d

    def select(self, rows: slice) -> "Inputs":
        """Select the inputs of some mentions.

        rows (slice): The mentions.
        RETURNS (Inputs): Their inputs.
        """
        return Inputs(self.places[rows], self.spans[rows], self.features[rows])


def read_mentions(candidates: Candidates, table: FeatureTable) -> Inputs:
    """Compute the inputs of a document's mentions.

    candidates (Candidates): The mentions.
    table (FeatureTable): The values of annotation that occurred in training.
    RETURNS (Inputs): The inputs.
    """
    facts = candidates.facts
    annotation, starts, ends, heads = (
        facts.annotation,
        facts.starts,
        facts.ends,
        facts.heads,
    )
    n_tokens = len(candidates.doc)
    governors = annotation.heads[heads]
    places = [heads, starts, ends - 1, starts - 1, starts - 2, ends, ends + 1]
    places.append(np.where(governors == heads, -1, governors))
    table_of_places = np.stack(places, axis=1)
    is_inside = (table_of_places >= 0) & (table_of_places < n_tokens)
    first, last = _find_sentences(annotation.sentences)
    sentence_starts, sentence_ends = first[heads], last[heads] + 1
    spans = np.empty((len(heads), 3, 2), dtype=np.int64)
    spans[:, 0] = np.stack([starts, ends], axis=1)
    spans[:, 1] = np.stack([sentence_starts, sentence_ends], axis=1)
    spans[:, 2] = 0, n_tokens
    fixed = _read_fixed(candidates, heads - sentence_starts)
    by_table = table.read(candidates.doc, annotation, heads)
    return Inputs(
        np.where(is_inside, table_of_places, -1),
        spans,
        np.concatenate([fixed, by_table], axis=1),
    )


def _find_sentences(sentences: np.ndarray) -> np.ndarray:
    """Find the first and the last token of each token's sentence; (2, n_tokens)."""
    firsts = np.searchsorted(sentences, sentences, side="left")
    lasts = np.searchsorted(sentences, sentences, side="right") - 1
    return np.stack([firsts, lasts])


def _read_fixed(candidates: Candidates, positions: np.ndarray) -> Floats2d:
    facts, doc = candidates.facts, candidates.doc
    starts, ends = facts.starts, facts.ends
    depths = find_depths(facts.annotation.heads)[facts.heads]
    relative = starts / max(len(doc), 1)
    has_speaker = facts.speech.speakers[facts.heads] > 0
    is_quoted = facts.speech.quotes[facts.heads] > 0
    before, everywhere = count_same(facts)
    columns = [
        _bits(facts.agreement, _N_AGREEMENT),
        _bits(facts.flags, _N_FLAGS),
        np.eye(_N_PERSONS)[facts.person],
        _bucket(ends - starts, _LENGTHS),
        _bucket(depths, _DEPTHS),
        _bucket(positions, _POSITIONS),
        _bucket(before, _COUNTS),
        _bucket(everywhere, _COUNTS),
        find_roles(facts),
        np.stack(
            [
                facts.is_anaphor,
                facts.is_joined,
                facts.is_name,
                facts.is_indefinite,
                facts.is_reflexive,
                facts.is_definite,
                facts.is_new,
                facts.is_demonstrated,
                facts.is_possessive,
                facts.is_pleonastic,
                facts.is_part,
                find_nested(starts, ends),
                has_speaker,
                is_quoted,
                relative,
            ],
            axis=1,
        ),
    ]
    return np.concatenate(columns, axis=1).astype(np.float32)


def find_nested(starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Find mentions inside of other mentions.

    starts, ends (numpy.ndarray): Shape (n_mentions,), token offsets, in text order
        without duplicates.
    RETURNS (numpy.ndarray): Shape (n_mentions,), bool.
    """
    groups = np.cumsum(np.append(0, starts[1:] != starts[:-1])[: len(starts)])
    # Among mentions with the same start, the last one is the longest.
    lasts = np.flatnonzero(np.append(groups[1:] != groups[:-1], True)[: len(starts)])
    longest = ends[lasts]
    before = np.append(-1, np.maximum.accumulate(longest)[:-1])[: len(longest)]
    return (before[groups] >= ends) | (longest[groups] > ends)


def _bits(values: np.ndarray, n_bits: int) -> np.ndarray:
    return (values[:, None] >> np.arange(n_bits)) & 1


def _bucket(values: np.ndarray, limits: np.ndarray) -> np.ndarray:
    return np.eye(len(limits) + 1)[np.searchsorted(limits, values, side="right")]
