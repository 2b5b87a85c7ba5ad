"""Accumulate the scores of the documents of a corpus."""

from statistics import mean
from typing import Dict

from .clusters import CONLL, METRICS, Clusters, Counts, normalize


class CorefAccumulator:
    """Sum the counts of all metrics over documents.

    singletons (bool): Whether clusters of one mention count, in gold clusters and in
        predictions.
    """

    def __init__(self, *, singletons: bool = False) -> None:
        self.singletons = singletons
        self.counts = dict.fromkeys(METRICS, Counts())

    def add(self, key: Clusters, response: Clusters) -> None:
        """Score one document."""
        key = normalize(key, singletons=self.singletons)
        response = normalize(response, singletons=self.singletons)
        for name, metric in METRICS.items():
            self.counts[name] += metric(key, response)

    def get_scores(self, prefix: str = "coref") -> Dict[str, float]:
        """Get all scores, between 0 and 1.

        RETURNS (Dict[str, float]): `{prefix}_f`, `{prefix}_p` and `{prefix}_r` are the
            means of MUC, B-cubed and CEAF-e; `{prefix}_{metric}_f`, `_p` and `_r` are
            the scores of each metric.
        """
        parts = {"p": "precision", "r": "recall", "f": "f1"}
        scores = {
            f"{prefix}_{part}": mean(getattr(self.counts[m], name) for m in CONLL)
            for part, name in parts.items()
        }
        for metric, counts in self.counts.items():
            for part, name in parts.items():
                scores[f"{prefix}_{metric}_{part}"] = getattr(counts, name)
        return scores
