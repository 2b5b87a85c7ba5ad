"""Provide the registered scorer, for nlp.evaluate and `spacy evaluate`."""

from functools import partial
from statistics import mean
from typing import Any, Callable, Dict, Hashable, Iterable, List, Optional, Tuple

from spacy import registry
from spacy.tokens import Doc
from spacy.training import Example

from ..clusters.index import find_characters, make_index
from ..errors import check_known
from .clusters import CONLL, METRICS, Clusters, Counts, normalize


def make_coref_scorer(
    prefix: str = "coref", singletons: bool = False, match: str = "exact"
) -> Callable[[Iterable[Example]], Dict[str, Any]]:
    """Make a scorer of clusters.

    match (str): "exact" to compare the boundaries of mentions, "head" to compare their
        heads.
    RETURNS (Callable[[Iterable[Example]], Dict[str, Any]]): The scorer.
    RAISES (ValueError): `match` has another value.
    """
    check_match(match)
    return partial(score_coref, prefix=prefix, singletons=singletons, match=match)


def check_match(match: str) -> None:
    """Check that a way to compare mentions is "exact" or "head"."""
    check_known("way to compare mentions,", match, ("exact", "head"))


registry.scorers("spacy_fastcoref.coref_scorer.v1", func=make_coref_scorer)


def score_coref(
    examples: Iterable[Example],
    *,
    prefix: str = "coref",
    singletons: bool = False,
    match: str = "exact",
    **kwargs: Any,
) -> Dict[str, Any]:
    """Score the clusters of examples by MUC, B-cubed, CEAF-e, LEA and mentions.

    Mentions are compared by character offsets, so that the reference and the predicted
    Doc can have different tokens. Every score is None if there are no gold clusters.
    """
    total = CorefAccumulator(singletons=singletons)
    for eg in examples:
        total.add(get_mentions(eg.reference, match), get_mentions(eg.predicted, match))
    scores = total.get_scores(prefix)
    return scores if total.counts["mentions"].expected else dict.fromkeys(scores)


def get_mentions(doc: Doc, match: str) -> List[List[Hashable]]:
    """Get the mentions of each cluster as character offsets, or the first characters of
    their heads."""
    clusters = make_index(doc).clusters
    if match == "head":
        return [[tuple(doc[i].idx for i in h) for h in one.heads] for one in clusters]
    return [[find_characters(doc, *m) for m in one.mentions] for one in clusters]


class CorefAccumulator:
    """Sum the counts of all metrics over documents, with or without singletons."""

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
        """Get the scores of each metric, and as `{prefix}_f`, … the means of CONLL."""
        scores: Dict[str, float] = {}
        for metric, counts in self.counts.items():
            scores.update(counts.get_scores(f"{prefix}_{metric}"))
        means = {
            f"{prefix}_{part}": mean(scores[f"{prefix}_{m}_{part}"] for m in CONLL)
            for part in "prf"
        }
        return {**means, **scores}


def score_anaphors(
    key: Clusters, antecedents: Dict[Hashable, Optional[Hashable]]
) -> Tuple[Counts, List[Hashable]]:
    """Count the anaphors whose antecedent, None for none, is in their gold cluster.

    Only anaphors that are in a gold cluster with another mention count. Their number is
    the denominator of recall and precision, so that both are the accuracy. The wrong
    ones are listed.
    """
    clusters = {
        mention: i
        for i, cluster in reversed(list(enumerate(key)))
        if len(set(cluster)) > 1
        for mention in cluster
    }
    annotated = [anaphor for anaphor in antecedents if anaphor in clusters]
    wrong = [a for a in annotated if clusters.get(antecedents[a]) != clusters[a]]
    n_right = len(annotated) - len(wrong)
    return Counts(n_right, len(annotated), n_right, len(annotated)), wrong
