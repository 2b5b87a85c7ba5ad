"""Store clusters in a Doc as SpanGroups."""

from functools import lru_cache, partial
from itertools import compress
from typing import (
    Callable,
    Iterable,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
)

import numpy as np
from spacy.attrs import ORTH, SPACY
from spacy.tokens import Doc, Span, SpanGroup

from ..errors import Errors
from ..grammar.heads import find_all_heads
from ..span_keys import ANTECEDENTS, HEADS, PREFIX, PROBS, SCORED, SCORES, TYPES
from .index import drop_index, list_groups

Offsets = Tuple[int, int]


class ClusterData(NamedTuple):
    """Hold one cluster to be stored, with the links of its mentions.

    mentions (Sequence[Union[Span, Tuple[int, int]]]): Spans or token offsets.
    antecedents (Optional[Sequence[int]]): For each mention, the index of its antecedent
        in the cluster; -1 for none.
    scores (Optional[Sequence[float]]): The log-odds of the link of each mention.
    probs (Optional[Sequence[float]]): The probability of the link of each mention.
    candidates (Optional[Sequence[Sequence[Tuple[int, int, float]]]]): For each mention,
        all antecedents that the model scored: (start, end, log-odds).
    types (Optional[Sequence[str]]): The entity type of each mention; "" for unknown.
    heads (Optional[Sequence[Sequence[int]]]): The head tokens of each mention; None for
        those that find_all_heads finds.
    number (Optional[int]): The number in the key of the cluster's group; None for the
        cluster's place among all. Give it to all clusters or to none.
    """

    mentions: Sequence[Union[Span, Offsets]]
    antecedents: Optional[Sequence[int]] = None
    scores: Optional[Sequence[float]] = None
    probs: Optional[Sequence[float]] = None
    candidates: Optional[Sequence[Sequence[Tuple[int, int, float]]]] = None
    types: Optional[Sequence[str]] = None
    heads: Optional[Sequence[Sequence[int]]] = None
    number: Optional[int] = None


def set_clusters(
    doc: Doc, clusters: Iterable[Union[ClusterData, Sequence[Union[Span, Offsets]]]]
) -> None:
    """Replace all clusters of a Doc.

    Mentions are sorted in text order, and clusters by their first mention. If a cluster
    is not valid, the Doc is not changed.

    doc (Doc): The document.
    clusters (Iterable[Union[ClusterData, Sequence]]): The clusters, as ClusterData or
        as sequences of Spans or (start, end) token offsets. Spans may belong to another
        Doc with the same tokens, such as a copy.
    RAISES (ValueError): A mention is outside the Doc or listed twice, or there is not
        one entry of data for each mention.
    """
    seen: set = set()
    has_same_tokens = lru_cache(maxsize=None)(partial(_has_same_tokens, doc))
    checked = [_check(doc, cluster, seen, has_same_tokens) for cluster in clusters]
    checked = sorted(
        (cluster for cluster in checked if cluster.mentions),
        key=lambda cluster: cluster.mentions[0],
    )
    groups = {}
    is_open = [cluster.heads is None for cluster in checked]
    offsets = [m for cluster in compress(checked, is_open) for m in cluster.mentions]
    heads = iter(find_all_heads(doc, np.array(offsets)))
    for i, cluster in enumerate(checked, start=1):
        attrs = {
            HEADS: cluster.heads or [next(heads) for _ in cluster.mentions],
            ANTECEDENTS: cluster.antecedents,
        }
        if cluster.scores is not None:
            attrs[SCORES] = cluster.scores
        if cluster.probs is not None:
            attrs[PROBS] = cluster.probs
        if cluster.candidates is not None:
            attrs[SCORED] = cluster.candidates
        if cluster.types is not None:
            attrs[TYPES] = cluster.types
        spans = [Span(doc, start, end) for start, end in cluster.mentions]
        key = f"{PREFIX}_{cluster.number or i}"
        groups[key] = SpanGroup(doc, name=key, attrs=attrs, spans=spans)
    for key in list_groups(doc):
        del doc.spans[key]
    doc.spans.update(groups)
    drop_index(doc)


def _check(
    doc: Doc, cluster, seen: set, has_same_tokens: Callable[[Doc], bool]
) -> ClusterData:
    if not isinstance(cluster, ClusterData):
        cluster = ClusterData(cluster)
    offsets = [_get_offsets(mention, has_same_tokens) for mention in cluster.mentions]
    for start, end in offsets:
        if not 0 <= start < end <= len(doc):
            raise ValueError(Errors.FC020.format(start=start, end=end, length=len(doc)))
        if (start, end) in seen:
            raise ValueError(Errors.FC021.format(start=start, end=end))
        seen.add((start, end))
    for name in (ANTECEDENTS, SCORES, PROBS, SCORED, TYPES, HEADS):
        given = getattr(cluster, name)
        if given is not None and len(given) != len(offsets):
            raise ValueError(
                Errors.FC022.format(
                    name=name, n_given=len(given), n_mentions=len(offsets)
                )
            )
    return _sort(ClusterData(offsets, *cluster[1:]))


def _get_offsets(
    mention: Union[Span, Offsets], has_same_tokens: Callable[[Doc], bool]
) -> Offsets:
    if isinstance(mention, Span):
        if not has_same_tokens(mention.doc):
            reason = "it is of another Doc, which has other tokens"
            raise ValueError(Errors.FC105.format(mention=mention, reason=reason))
        return mention.start, mention.end
    try:
        start, end = mention
        return int(start), int(end)
    except (TypeError, ValueError) as error:
        reason = "it is neither a Span nor a pair of numbers"
        if mention is None:
            reason = "Doc.char_span returns None for offsets inside a token"
        message = Errors.FC105.format(mention=mention, reason=reason)
        raise ValueError(message) from error


def _has_same_tokens(doc: Doc, other: Doc) -> bool:
    attrs = [ORTH, SPACY]
    return doc is other or np.array_equal(doc.to_array(attrs), other.to_array(attrs))


def _sort(cluster: ClusterData) -> ClusterData:
    offsets = list(cluster.mentions)
    order = sorted(range(len(offsets)), key=offsets.__getitem__)
    antecedents = list(range(-1, len(order) - 1))
    if cluster.antecedents is not None:
        rank = {old: new for new, old in enumerate(order)}
        rank[-1] = -1
        given = [int(cluster.antecedents[old]) for old in order]
        antecedents = [rank.get(i, len(order)) for i in given]
        for new, antecedent in enumerate(antecedents):
            if antecedent >= new:
                raise ValueError(
                    Errors.FC023.format(antecedent=given[new], mention=order[new])
                )
    return ClusterData(
        [offsets[i] for i in order],
        antecedents,
        _reorder(cluster.scores, order),
        _reorder(cluster.probs, order),
        # Plain lists, as they are when read from a file.
        cluster.candidates and [[*map(list, cluster.candidates[i])] for i in order],
        cluster.types and [str(cluster.types[i]) for i in order],
        cluster.heads and [[*map(int, cluster.heads[i])] for i in order],
        cluster.number,
    )


def _reorder(values: Optional[Sequence[float]], order: List[int]):
    return None if values is None else [float(values[i]) for i in order]
