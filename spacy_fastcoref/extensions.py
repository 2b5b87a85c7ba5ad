"""Register the extension attributes of Doc, Span and Token, which read the clusters."""

import warnings
from functools import partial
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

from spacy.tokens import Doc, Span, Token

from .clusters.chains import (
    ChainHolder,
    ClusterView,
    get_clusters,
    get_mention_scores,
    get_token_chains,
)
from .clusters.index import check_index, find_characters, get_index
from .clusters.store import set_clusters
from .errors import Errors, Warnings
from .quotes.component import get_quote, get_speaker
from .resolution.resolve import resolve_text

# The key under which the index of a Doc has its resolved text.
_RESOLVED = "resolved_text"


def _get_char_clusters(doc: Doc) -> List[List[Tuple[int, int]]]:
    """Get the clusters as character offsets, like fastcoref."""
    return [
        [find_characters(doc, *mention) for mention in cluster.mentions]
        for cluster in check_index(doc).clusters
    ]


def _get_resolved_text(doc: Doc) -> str:
    """Get the text with mentions replaced by the representatives of their clusters."""
    kept = check_index(doc).plans.get(_RESOLVED)
    return resolve_text(doc) if kept is None else kept


def keep_resolved_text(doc: Doc) -> None:
    """Resolve the text now, and keep it until the clusters change."""
    get_index(doc).plans[_RESOLVED] = resolve_text(doc)


def has_coref(doc: Doc) -> bool:
    """Check whether a Doc has any cluster."""
    return bool(check_index(doc).clusters)


def _get_doc_scores(doc: Doc) -> Dict[Span, Dict[Span, float]]:
    """Get the scores of the antecedents of all mentions in clusters."""
    scores = {
        cluster[i]: get_mention_scores(cluster, i)
        for cluster in get_clusters(doc)
        for i in range(len(cluster))
    }
    return {mention: links for mention, links in scores.items() if links}


def _is_mention(span: Span) -> bool:
    """Check whether a Span is a mention of a cluster."""
    return (span.start, span.end) in get_index(span.doc).by_span


def _get_span_cluster(span: Span) -> Optional[ClusterView]:
    """Get the cluster of a Span."""
    return _find_mention(span)[0]


def _get_span_scores(span: Span) -> Dict[Span, float]:
    """Get the scores of the antecedents of a Span."""
    cluster, i = _find_mention(span)
    return get_mention_scores(cluster, i) if cluster else {}


def _get_ent_type(span: Span) -> str:
    return _get_value(span, "ent_types")


def _get_kb_id(span: Span) -> str:
    return _get_value(span, "kb_ids")


def _get_value(span: Span, name: str) -> str:
    """Get what a Span has from its cluster: an entity label, or a knowledge base id."""
    cluster, i = _find_mention(span)
    values = getattr(cluster.data, name) if cluster else []
    return values[i] if values else ""


def _find_mention(span: Span) -> Tuple[Optional[ClusterView], int]:
    """Find the cluster of a Span, and the index of the Span in it."""
    index = get_index(span.doc)
    i, j = index.by_span.get((span.start, span.end), (-1, -1))
    return (ClusterView(span.doc, i, index.clusters[i]) if i >= 0 else None), j


def _is_in_mention(token: Token) -> bool:
    """Check whether a Token is part of a mention."""
    return token.i in get_index(token.doc).by_token


def _get_token_clusters(token: Token) -> List[ClusterView]:
    """Get the clusters with a mention that contains a Token."""
    index = get_index(token.doc)
    found = index.by_token.get(token.i, ())
    return [ClusterView(token.doc, i, index.clusters[i]) for i in found]


def _set_char_clusters(doc: Doc, clusters: Iterable[Iterable[Tuple[int, int]]]) -> None:
    """Replace the clusters of a Doc by character offsets, as in fastcoref."""
    set_clusters(doc, [[_find_span(doc, m) for m in cluster] for cluster in clusters])


def _find_span(doc: Doc, mention: Tuple[int, int]) -> Span:
    try:
        start, end = mention
        span = doc.char_span(start, end)
    except (TypeError, ValueError, OverflowError):
        span = None
    if span is None:
        raise ValueError(Errors.FC026.format(mention=mention))
    return span


def refuse(owner: Any, value: Any, *, name: str, getter: Callable) -> None:
    """Raise an error when a read-only extension attribute is set to another value.

    Without a setter, spaCy would accept the value and ignore it.
    """
    found = getter(owner)
    # Doc.from_json sets the values that Doc.to_json wrote. The types are compared
    # first, since "==" of an array is not a bool.
    if type(value) is type(found) and value == found:
        return
    # JSON has no probabilities, so that more is replaced when it is read again.
    is_text = getter is _get_resolved_text and isinstance(value, str)
    if is_text and not any(cluster.probs for cluster in get_clusters(owner)):
        return
    raise AttributeError(Errors.FC027.format(name=name))


# The getters are module-level functions, so that processes started by spawn can pickle
# them.
GETTERS: Dict[Any, Dict[str, Callable]] = {
    Doc: {
        "has_coref": has_coref,
        "coref_clusters": _get_char_clusters,
        "coref_chains": ChainHolder,
        "coref_scores": _get_doc_scores,
        "coref_resolved": _get_resolved_text,
        "resolved_text": _get_resolved_text,
    },
    Span: {
        "is_coref": _is_mention,
        "coref_cluster": _get_span_cluster,
        "coref_ent_type": _get_ent_type,
        "coref_kb_id": _get_kb_id,
        "coref_scores": _get_span_scores,
        "quote": get_quote,
        "speaker": get_speaker,
    },
    Token: {
        "in_coref": _is_in_mention,
        "coref_clusters": _get_token_clusters,
        "coref_chains": get_token_chains,
    },
}
SETTERS = {_get_char_clusters: _set_char_clusters}


def set_extensions(*, replaces: bool = False) -> None:
    """Register the extension attributes, once; of another package's with these names,
    keep them, or replace them with a warning."""
    # The first is the only one that users set.
    found: List[Tuple] = [(Doc, "coref_scheme", None)]
    found += [(cls, *one) for cls, named in GETTERS.items() for one in named.items()]
    taken = []
    for owner, name, getter in found:
        if owner.has_extension(name):
            default, _, other, _ = owner.get_extension(name)
            # Compared by identity, since "==" of an array is not a bool.
            if other is not getter or default is not None:
                if not replaces:
                    continue
                taken.append(f"{owner.__name__}._.{name}")
        given: Dict[str, Any] = {"default": None}
        if getter is not None:
            refuses = partial(refuse, name=name, getter=getter)
            given = {"getter": getter, "setter": SETTERS.get(getter, refuses)}
        owner.set_extension(name, **given, force=True)
    if taken:
        warnings.warn(Warnings.FCW05.format(names=", ".join(taken)), stacklevel=2)
