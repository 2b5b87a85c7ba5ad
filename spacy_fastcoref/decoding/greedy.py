"""Links -> clusters: every mention takes its best antecedent that is allowed."""

from dataclasses import dataclass
from typing import List, Optional

import numpy as np

from ..errors import Errors
from .links import Links

FORBIDDEN = 0


@dataclass
class DecodedCluster:
    """Hold one cluster and why it holds together.

    mentions (numpy.ndarray): Shape (n_mentions, 2), token offsets in text order.
    antecedents (List[int]): The index in the cluster of the mention that each one
        was linked to, -1 for the first.
    scores (List[float]): The log-odds of that link, 0 for the first mention.
    probs (List[float]): Its probability; for the first mention that of no link.
    """

    mentions: np.ndarray
    antecedents: List[int]
    scores: List[float]
    probs: List[float]


def decode_greedily(
    links: Links, verdicts: Optional[np.ndarray] = None, threshold: float = 0.0
) -> List[DecodedCluster]:
    """Link each mention to its best antecedent and collect the linked ones.

    links (Links): The model's answer.
    verdicts (Optional[numpy.ndarray]): Shape (n_mentions, n_antecedents), the
        rules' verdict on every link; a verdict of 0 forbids it.
    threshold (float): The log-odds that a link needs at least.
    RETURNS (List[DecodedCluster]): Clusters of two and more mentions, in the order
        of their first mention.
    """
    if links.scores.size == 0:
        return []
    scores = links.scores
    if verdicts is not None:
        if np.shape(verdicts) != scores.shape:
            raise ValueError(
                Errors.FC040.format(
                    shape=np.shape(verdicts),
                    n_mentions=scores.shape[0],
                    n_antecedents=scores.shape[1],
                )
            )
        scores = np.where(np.asarray(verdicts) == FORBIDDEN, -np.inf, scores)
    rows = np.arange(len(links))
    column = scores.argmax(axis=1)
    best = scores[rows, column]
    # A tie with the null antecedent goes to the mention, as in fastcoref.
    linked = (best >= threshold) & np.isfinite(best)
    parents = np.where(linked, links.antecedents[rows, column], rows)
    chosen = np.where(linked, best, 0.0)
    probs = np.exp(chosen - links.log_norms)
    return _collect(links.mentions, parents, chosen, probs)


def _collect(
    mentions: np.ndarray, parents: np.ndarray, scores: np.ndarray, probs: np.ndarray
) -> List[DecodedCluster]:
    order, starts = _group(_find_roots(parents))
    # Where each mention stands in its own cluster.
    sizes = np.diff(np.append(starts, len(order)))
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order)) - np.repeat(starts, sizes)
    within = np.where(parents == np.arange(len(parents)), -1, position[parents])
    return [
        DecodedCluster(
            mentions[members],
            within[members].tolist(),
            scores[members].tolist(),
            probs[members].tolist(),
        )
        for members in np.split(order, starts[1:])
        if len(members) > 1
    ]


def _find_roots(parents: np.ndarray) -> np.ndarray:
    """Follow every chain of antecedents to its first mention, all at once."""
    roots = parents
    while True:
        further = roots[roots]
        if np.array_equal(further, roots):
            return roots
        roots = further


def _group(roots: np.ndarray):
    """Sort mentions by cluster; a root is its cluster's first mention, so clusters
    come out in the order of their first mention."""
    order = np.argsort(roots, kind="stable")
    starts = np.flatnonzero(np.diff(roots[order], prepend=-1))
    return order, starts
