"""Score the antecedents of anaphors, as Coreferee does."""

from typing import Dict, Hashable, List, Mapping, Optional

from .clusters import Clusters, Counts

Antecedents = Mapping[Hashable, Optional[Hashable]]


def score_anaphors(key: Clusters, antecedents: Antecedents) -> Counts:
    """Count the anaphors whose antecedent is in their gold cluster.

    Only anaphors that are in a gold cluster with another mention count. Their number is
    the denominator of recall and precision, so that both are the accuracy.

    antecedents (Mapping[Hashable, Optional[Hashable]]): The antecedent that was chosen
        for each anaphor; None for none.
    RETURNS (Counts): The numbers of anaphors.
    """
    wrong = find_wrong_links(key, antecedents)
    n_annotated = len(_find_annotated(key, antecedents))
    n_right = n_annotated - len(wrong)
    return Counts(n_right, n_annotated, n_right, n_annotated)


def find_wrong_links(key: Clusters, antecedents: Antecedents) -> List[Hashable]:
    """Find the anaphors whose antecedent is not in their gold cluster.

    antecedents (Mapping[Hashable, Optional[Hashable]]): See score_anaphors.
    RETURNS (List[Hashable]): The anaphors that are annotated, but have no antecedent or
        a wrong one.
    """
    clusters = _find_clusters(key)
    return [
        anaphor
        for anaphor in _find_annotated(key, antecedents)
        if clusters.get(antecedents[anaphor]) != clusters[anaphor]
    ]


def _find_annotated(key: Clusters, antecedents: Antecedents) -> List[Hashable]:
    clusters = _find_clusters(key)
    return [anaphor for anaphor in antecedents if anaphor in clusters]


def _find_clusters(key: Clusters) -> Dict[Hashable, int]:
    """Map mentions to the number of their gold cluster, without singletons."""
    return {
        mention: i
        for i, cluster in reversed(list(enumerate(key)))
        if len(set(cluster)) > 1
        for mention in cluster
    }
