"""Provide the registered scorer, for nlp.evaluate and `spacy evaluate`."""

from functools import partial
from typing import Any, Callable, Dict, Hashable, Iterable, List

from spacy import registry
from spacy.tokens import Doc
from spacy.training import Example

from ..clusters.index import find_characters, make_index
from ..errors import Errors
from ..types import Cluster
from .accumulator import CorefAccumulator
from .clusters import normalize

Scorer = Callable[[Iterable[Example]], Dict[str, Any]]


def make_coref_scorer(
    prefix: str = "coref", singletons: bool = False, match: str = "exact"
) -> Scorer:
    """Make a scorer of clusters.

    match (str): "exact" to compare the boundaries of mentions, "head" to compare their
        heads.
    RETURNS (Scorer): The scorer.
    RAISES (ValueError): `match` has another value.
    """
    check_match(match)
    return partial(score_coref, prefix=prefix, singletons=singletons, match=match)


def check_match(match: str) -> None:
    """Check the name of a way to compare mentions.

    match (str): The name.
    RAISES (ValueError): It is neither "exact" nor "head".
    """
    if match not in _MATCHES:
        raise ValueError(Errors.FC050.format(value=match, available=list(_MATCHES)))


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
    Doc can have different tokens.

    examples (Iterable[Example]): The examples.
    match (str): "exact" or "head".
    **kwargs: Other arguments that spaCy passes to scorers; not used.
    RETURNS (Dict[str, Any]): The scores, see CorefAccumulator.get_scores. Every score
        is None if there are no gold clusters.
    """
    total = CorefAccumulator(singletons=singletons)
    n_gold = 0
    for eg in examples:
        key = normalize(get_mentions(eg.reference, match), singletons=singletons)
        n_gold += len(key)
        total.add(key, get_mentions(eg.predicted, match))
    scores = total.get_scores(prefix)
    return scores if n_gold else dict.fromkeys(scores)


def get_mentions(doc: Doc, match: str) -> List[List[Hashable]]:
    """Get the mentions of a Doc's clusters, in a form that can be compared.

    match (str): "exact" or "head".
    RETURNS (List[List[Hashable]]): For each cluster, the character offsets of its
        mentions, or the first characters of their heads.
    """
    locate = _MATCHES[match]
    return [locate(doc, cluster) for cluster in make_index(doc).clusters]


def _locate_ends(doc: Doc, cluster: Cluster) -> List[Hashable]:
    return [find_characters(doc, *mention) for mention in cluster.mentions]


def _locate_heads(doc: Doc, cluster: Cluster) -> List[Hashable]:
    return [tuple(doc[head].idx for head in heads) for heads in cluster.heads]


_MATCHES = {"exact": _locate_ends, "head": _locate_heads}
