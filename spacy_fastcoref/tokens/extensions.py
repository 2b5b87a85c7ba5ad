"""The views on Doc, Span and Token, all read from the store."""

from typing import Dict, List, Optional, Tuple

from spacy.tokens import Doc, Span, Token

from .chains import (
    Cluster,
    get_doc_chains,
    get_doc_clusters,
    get_link_scores,
    get_mention_scores,
    get_token_chains,
)
from .index import get_index


def get_char_clusters(doc: Doc) -> List[List[Tuple[int, int]]]:
    """Get the clusters as fastcoref gives them.

    doc (Doc): The document.
    RETURNS (List[List[Tuple[int, int]]]): Character offsets (start, end).
    """
    return [
        [
            (doc[start].idx, doc[end - 1].idx + len(doc[end - 1]))
            for start, end in cluster.mentions
        ]
        for cluster in get_index(doc).clusters
    ]


def get_resolved_text(doc: Doc) -> str:
    """Get the text with every mention replaced by its cluster's main mention.

    doc (Doc): The document.
    RETURNS (str): The text under the default policy.
    """
    from .resolve import resolve_text

    return resolve_text(doc)


def has_coref(doc: Doc) -> bool:
    """Tell whether a Doc has any cluster.

    doc (Doc): The document.
    RETURNS (bool): Whether it has.
    """
    return bool(get_index(doc).clusters)


def get_doc_scores(doc: Doc) -> Dict[Span, Dict[Span, float]]:
    """Get the scores of all links that made the clusters.

    doc (Doc): The document.
    RETURNS (Dict[Span, Dict[Span, float]]): Mention to antecedent to log-odds.
    """
    scores: Dict[Span, Dict[Span, float]] = {}
    for cluster in get_doc_clusters(doc):
        scores.update(get_link_scores(cluster))
    return scores


def is_mention(span: Span) -> bool:
    """Tell whether a Span is a mention in a cluster.

    span (Span): The span.
    RETURNS (bool): Whether it is, from end to end.
    """
    return (span.start, span.end) in get_index(span.doc).by_span


def get_span_cluster(span: Span) -> Optional[Cluster]:
    """Get the cluster of a Span.

    span (Span): The span.
    RETURNS (Optional[Cluster]): The cluster, None if the span is no mention.
    """
    found = _find_mention(span)
    return None if found is None else found[0]


def get_span_scores(span: Span) -> Dict[Span, float]:
    """Get the scores of a Span's links to earlier mentions.

    span (Span): The span.
    RETURNS (Dict[Span, float]): Antecedent to log-odds.
    """
    found = _find_mention(span)
    return {} if found is None else get_mention_scores(*found)


def _find_mention(span: Span) -> Optional[Tuple[Cluster, int]]:
    index = get_index(span.doc)
    found = index.by_span.get((span.start, span.end))
    if found is None:
        return None
    i, j = found
    return Cluster(span.doc, i, index.clusters[i]), j


def is_in_mention(token: Token) -> bool:
    """Tell whether a Token is in a mention.

    token (Token): The token.
    RETURNS (bool): Whether it is.
    """
    return token.i in get_index(token.doc).by_token


def get_token_clusters(token: Token) -> List[Cluster]:
    """Get the clusters with a mention that contains a Token.

    token (Token): The token.
    RETURNS (List[Cluster]): The clusters.
    """
    index = get_index(token.doc)
    found = index.by_token.get(token.i, ())
    return [Cluster(token.doc, i, index.clusters[i]) for i in found]


# Module-level functions, since processes may start by spawn and pickle them.
GETTERS = {
    Doc: {
        "has_coref": has_coref,
        "coref_clusters": get_char_clusters,
        "coref_chains": get_doc_chains,
        "coref_scores": get_doc_scores,
        "coref_resolved": get_resolved_text,
        "resolved_text": get_resolved_text,
    },
    Span: {
        "is_coref": is_mention,
        "coref_cluster": get_span_cluster,
        "coref_scores": get_span_scores,
    },
    Token: {
        "in_coref": is_in_mention,
        "coref_clusters": get_token_clusters,
        "coref_chains": get_token_chains,
    },
}


# What a user says of a document, by the value where nothing is said.
VALUES = {Doc: {"coref_scheme": None}}


def set_extensions() -> None:
    """Register the views; calling it again changes nothing."""
    for owner, values in VALUES.items():
        for name, value in values.items():
            owner.set_extension(name, default=value, force=True)
    for owner, getters in GETTERS.items():
        for name, getter in getters.items():
            owner.set_extension(name, getter=getter, force=True)
