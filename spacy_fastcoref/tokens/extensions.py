"""The extension attributes of Doc, Span and Token: views of the clusters."""

import warnings
from functools import partial
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple

from spacy.tokens import Doc, Span, Token

from ..errors import Errors, Warnings
from .chains import (
    Cluster,
    get_clusters,
    get_doc_chains,
    get_link_scores,
    get_mention_scores,
    get_token_chains,
)
from .clusters import set_clusters
from .index import check_index, find_characters, get_index


def get_char_clusters(doc: Doc) -> List[List[Tuple[int, int]]]:
    """Get the clusters as fastcoref gives them.

    doc (Doc): The document.
    RETURNS (List[List[Tuple[int, int]]]): Character offsets (start, end).
    """
    return [
        [find_characters(doc, *mention) for mention in cluster.mentions]
        for cluster in check_index(doc).clusters
    ]


def get_resolved_text(doc: Doc) -> str:
    """Get the text with every mention replaced by its cluster's main mention.

    doc (Doc): The document.
    RETURNS (str): The text under the default policy.
    """
    from ..resolution.resolve import resolve_text

    return resolve_text(doc)


def has_coref(doc: Doc) -> bool:
    """Tell whether a Doc has any cluster.

    doc (Doc): The document.
    RETURNS (bool): Whether it has.
    """
    return bool(check_index(doc).clusters)


def get_doc_scores(doc: Doc) -> Dict[Span, Dict[Span, float]]:
    """Get the scores of the antecedents of all mentions in clusters.

    doc (Doc): The document.
    RETURNS (Dict[Span, Dict[Span, float]]): For each mention the antecedents that the
        model scored, linked or not, and the log-odds of a link.
    """
    scores: Dict[Span, Dict[Span, float]] = {}
    for cluster in get_clusters(doc):
        scores.update(get_link_scores(cluster))
    return scores


def is_mention(span: Span) -> bool:
    """Tell whether a Span is a mention in a cluster.

    span (Span): The span.
    RETURNS (bool): Whether a mention has exactly these tokens.
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
    """Get the scores of the antecedents of a Span.

    span (Span): The span.
    RETURNS (Dict[Span, float]): The antecedents that the model scored and the log-odds
        of a link; empty if the span is no mention.
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
    return bool(get_index(token.doc).covered[token.i])


def get_token_clusters(token: Token) -> List[Cluster]:
    """Get the clusters with a mention that contains a Token.

    token (Token): The token.
    RETURNS (List[Cluster]): The clusters.
    """
    index = get_index(token.doc)
    found = index.by_token.get(token.i, ())
    return [Cluster(token.doc, i, index.clusters[i]) for i in found]


def set_char_clusters(doc: Doc, clusters: Iterable[Iterable[Tuple[int, int]]]) -> None:
    """Replace the clusters of a Doc, written as fastcoref gives them.

    doc (Doc): The document.
    clusters (Iterable[Iterable[Tuple[int, int]]]): Character offsets (start, end).
    RAISES (ValueError): The offsets are not those of whole tokens, or are listed twice.
    """
    set_clusters(doc, [[_find_span(doc, m) for m in cluster] for cluster in clusters])


def _find_span(doc: Doc, mention: Tuple[int, int]) -> Span:
    message = Errors.FC026.format(mention=mention)
    try:
        start, end = mention
        span = doc.char_span(start, end)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(message) from error
    if span is None:
        raise ValueError(message)
    return span


def refuse(owner: Any, value: Any, *, name: str, getter: Callable) -> None:
    """Refuse to set a view. Without a setter, spaCy would keep a value that is never
    read.

    owner (Union[Doc, Span, Token]): The object with the view.
    value (Any): The value.
    name (str): The view's name.
    getter (Callable): The view's getter.
    RAISES (AttributeError): The view has another value.
    """
    found = getter(owner)
    # Doc.from_json sets what Doc.to_json wrote. "==" of arrays gives an array.
    if type(value) is type(found) and value == found:
        return
    raise AttributeError(Errors.FC027.format(name=name))


# Module-level functions, which can be pickled for processes that start by spawn.
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
# Extensions that a user sets, by their default.
VALUES = {"coref_scheme": None}
SETTERS = {get_char_clusters: set_char_clusters}


def set_extensions(*, replaces: bool = False) -> None:
    """Register the extension attributes. Calling it again changes nothing.

    replaces (bool): Whether to replace another package's extensions of the same names,
        with a warning, or to keep them.
    """
    taken = []
    for owner, name, default, getter, setter in _list_extensions():
        if owner.has_extension(name):
            found_default, _, found_getter, _ = owner.get_extension(name)
            # By identity: "==" of arrays gives an array.
            if found_getter is not getter or found_default is not default:
                if not replaces:
                    continue
                taken.append(f"{owner.__name__}._.{name}")
        given = {"default": default} if getter is None else {"getter": getter}
        owner.set_extension(name, **given, setter=setter, force=True)
    if taken:
        warnings.warn(Warnings.FCW05.format(names=", ".join(taken)), stacklevel=2)


def _list_extensions() -> Iterator[Tuple]:
    for name, default in VALUES.items():
        yield Doc, name, default, None, None
    for owner, getters in GETTERS.items():
        for name, getter in getters.items():
            setter = partial(refuse, name=name, getter=getter)
            yield owner, name, None, getter, SETTERS.get(getter, setter)
