"""Compute coreference metrics of two partitions of mentions.

A mention is anything hashable, such as token offsets, character offsets or a head. Each
metric returns counts, which are summed over documents before they are divided.
"""

from collections import Counter
from dataclasses import astuple, dataclass
from functools import partial
from typing import Callable, Dict, Hashable, List, Sequence, Tuple

import numpy as np

Clusters = Sequence[Sequence[Hashable]]


@dataclass(frozen=True)
class Counts:
    """Hold the numerators of recall and precision, `found` and `right`, and their
    denominators, the sizes of key and response."""

    found: float = 0.0
    expected: float = 0.0
    right: float = 0.0
    given: float = 0.0

    def __add__(self, other: "Counts") -> "Counts":
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Counts(*map(sum, pairs))

    @property
    def recall(self) -> float:
        return self.found / self.expected if self.expected else 0.0

    @property
    def precision(self) -> float:
        return self.right / self.given if self.given else 0.0

    @property
    def f1(self) -> float:
        total = self.recall + self.precision
        return 2 * self.recall * self.precision / total if total else 0.0

    def get_scores(self, prefix: str) -> Dict[str, float]:
        """Get precision, recall and F1 by their names in spaCy: `{prefix}_p`, …"""
        found = {"p": self.precision, "r": self.recall, "f": self.f1}
        return {f"{prefix}_{name}": value for name, value in found.items()}


Metric = Callable[[Clusters, Clusters], Counts]


def normalize(clusters: Clusters, *, singletons: bool = True) -> List[List[Hashable]]:
    """Keep only the first place of each mention, as in the CoNLL reference scorer, and
    clusters of several mentions, or those of one as well."""
    seen: set = set()
    partition = []
    for cluster in clusters:
        unseen = [mention for mention in dict.fromkeys(cluster) if mention not in seen]
        seen.update(unseen)
        if len(unseen) > 1 or (unseen and singletons):
            partition.append(unseen)
    return partition


def ceaf_e(key: Clusters, response: Clusters) -> Counts:
    """Match clusters one to one by their Dice coefficient; see Luo (2005), phi 4."""
    # Imported here, since every program with the component imports this module, and
    # SciPy is slow to import.
    from scipy.optimize import linear_sum_assignment

    similarity = np.zeros((len(key), len(response)))
    for (i, j), n_shared in _count_overlaps(key, response).items():
        similarity[i, j] = 2 * n_shared / (len(key[i]) + len(response[j]))
    rows, columns = linear_sum_assignment(similarity, maximize=True)
    matched = float(similarity[rows, columns].sum())
    return Counts(matched, len(key), matched, len(response))


def mentions(key: Clusters, response: Clusters) -> Counts:
    """Count mentions, regardless of clusters."""
    expected, given = _locate(key).keys(), _locate(response).keys()
    n_shared = len(expected & given)
    return Counts(n_shared, len(expected), n_shared, len(given))


def _locate(clusters: Clusters) -> Dict[Hashable, int]:
    return {mention: i for i, cluster in enumerate(clusters) for mention in cluster}


def _count_overlaps(key: Clusters, response: Clusters) -> Counter:
    """Count the shared mentions of each pair of clusters that shares any."""
    where = _locate(response)
    return Counter(
        (i, where[mention])
        for i, cluster in enumerate(key)
        for mention in cluster
        if mention in where
    )


def _count_links(key: Clusters, response: Clusters) -> Tuple[float, float]:
    """Count the links that the response has too; see Vilain et al. (1995), MUC."""
    overlaps = _count_overlaps(key, response)
    found = sum(overlaps.values()) - len(overlaps)
    return found, sum(len(cluster) - 1 for cluster in key)


def _count_shares(key: Clusters, response: Clusters) -> Tuple[float, float]:
    """Sum each mention's share of its cluster; see Bagga & Baldwin (1998)."""
    overlaps = _count_overlaps(key, response)
    found = sum(n * n / len(key[i]) for (i, _), n in overlaps.items())
    return found, sum(map(len, key))


def _weigh_entities(key: Clusters, response: Clusters) -> Tuple[float, float]:
    """Sum the shares of resolved links of entities; see Moosavi & Strube (2016)."""
    resolved = [0.0] * len(key)
    for (i, j), n_shared in _count_overlaps(key, response).items():
        if len(key[i]) == 1:
            # A singleton has one link, to itself.
            resolved[i] += len(response[j]) == 1
        else:
            resolved[i] += n_shared * (n_shared - 1) / 2
    found = sum(
        len(cluster) * n_links / max(1, len(cluster) * (len(cluster) - 1) / 2)
        for cluster, n_links in zip(key, resolved, strict=True)
    )
    return found, sum(map(len, key))


def _count_both(count: Callable, key: Clusters, response: Clusters) -> Counts:
    """Count for recall, and the other way round for precision."""
    return Counts(*count(key, response), *count(response, key))


METRICS: Dict[str, Metric] = {
    "muc": partial(_count_both, _count_links),
    "b_cubed": partial(_count_both, _count_shares),
    "ceaf_e": ceaf_e,
    "lea": partial(_count_both, _weigh_entities),
    "mentions": mentions,
}
# CoNLL F1 is the mean of these.
CONLL = ("muc", "b_cubed", "ceaf_e")
