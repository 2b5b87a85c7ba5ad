"""Label the pairs of a document by its gold clusters."""

from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from ...grammar.heads import find_mention_heads
from ...types import Offsets
from .candidates import Candidates


def label_mentions(candidates: Candidates, gold: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Find the gold cluster of each mention.

    The mentions of grammar and of the gold annotation can differ in their modifiers, so
    a mention that is not annotated has the label of an annotated one with the same head
    that no other mention matches.

    candidates (Candidates): The mentions.
    gold (AlignedGold): The gold annotation.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_mentions,): the
        number of the cluster, -1 for none; and whether the label is known.
    """
    mentions = [tuple(span) for span in candidates.mentions.tolist()]
    rows = {span: row for row, span in enumerate(mentions)}
    clusters = np.full(len(mentions), -1)
    is_known = np.full(len(mentions), gold.annotated is None)
    annotated = {
        span: number for number, cluster in enumerate(gold.clusters) for span in cluster
    }
    if gold.annotated is not None:
        for span in gold.annotated:
            annotated.setdefault(span, -1)
    unmatched = []
    for span, number in annotated.items():
        row = rows.get(span)
        if row is None:
            unmatched.append((span, number))
            continue
        clusters[row], is_known[row] = number, True
    for row, number in _match_heads(candidates, annotated, unmatched):
        clusters[row], is_known[row] = number, True
    for span in gold.unsure:
        if span in rows:
            is_known[rows[span]] = False
    return clusters, is_known


def _match_heads(
    candidates: Candidates,
    annotated: Dict[Offsets, int],
    unmatched: Sequence[Tuple[Offsets, int]],
) -> List[Tuple[int, int]]:
    """Match annotated spans with mentions that have the same head.

    Coordinations are left out, since their head is that of their first member.
    """
    if not unmatched:
        return []
    facts = candidates.facts
    spans = candidates.mentions.tolist()
    by_head: Dict[int, List[int]] = {}
    for row, head in enumerate(facts.heads.tolist()):
        if tuple(spans[row]) not in annotated and not facts.is_joined[row]:
            by_head.setdefault(head, []).append(row)
    offsets = np.array([span for span, _ in unmatched], dtype=np.int64)
    heads, is_joined = find_mention_heads(
        offsets, facts.annotation, facts.words, facts.lexicon
    )
    return [
        (row, number)
        for (_, number), head, joined in zip(
            unmatched, heads.tolist(), is_joined.tolist(), strict=True
        )
        if not joined
        for row in by_head.pop(head, ())
    ]


def label_pairs(
    later: np.ndarray, earlier: np.ndarray, clusters: np.ndarray
) -> np.ndarray:
    """Find the pairs that corefer.

    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    clusters (numpy.ndarray): Shape (n_mentions,), see label_mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    return (clusters[later] == clusters[earlier]) & (clusters[later] >= 0)
