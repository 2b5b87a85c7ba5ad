"""Store clusters in a Doc as SpanGroups."""

from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from typing import Callable, Dict, Iterable, List, Optional, Sequence, Union

import numpy as np
from spacy.attrs import ORTH, SPACY
from spacy.tokens import Doc, Span, SpanGroup

from ..errors import Errors, check_setting
from ..grammar.heads import find_all_heads
from ..span_groups import find_groups, read_group
from ..span_keys import APART, CANDIDATES, ORIGIN, PREFIX, SEEDS
from ..types import CLUSTER_ATTRS, Cluster, Offsets
from .index import INDEXES, check_index, list_groups, list_origins


def set_clusters(
    doc: Doc, clusters: Iterable[Union[Cluster, Sequence[Union[Span, Offsets]]]]
) -> None:
    """Replace all clusters of a Doc.

    Mentions are sorted in text order, and clusters by their first mention. If a cluster
    is not valid, the Doc is not changed.

    doc (Doc): The document.
    clusters (Iterable[Union[Cluster, Sequence]]): The clusters, as types.Cluster or as
        sequences of Spans or (start, end) token offsets. Spans may belong to another
        Doc with the same tokens, such as a copy. Clusters without antecedents are
        chains. The groups have the clusters' numbers if all have one of their own.
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
    headless = [
        mention
        for cluster in checked
        for mention, tokens in zip(cluster.mentions, cluster.heads, strict=True)
        if not tokens
    ]
    found = iter(find_all_heads(doc, np.array(headless)))
    numbers = [cluster.number for cluster in checked]
    if None in numbers or len(set(numbers)) < len(numbers):
        numbers = [*range(1, len(checked) + 1)]
    groups = {}
    for number, cluster in zip(numbers, checked, strict=True):
        cluster.heads = [tokens or next(found) for tokens in cluster.heads]
        attrs = {name: getattr(cluster, name) for name in CLUSTER_ATTRS}
        attrs = {name: values for name, values in attrs.items() if values}
        spans = [Span(doc, start, end) for start, end in cluster.mentions]
        key = f"{PREFIX}_{number}"
        groups[key] = SpanGroup(doc, name=key, attrs=attrs, spans=spans)
    for key in list_groups(doc):
        del doc.spans[key]
    doc.spans.update(groups)
    for origin in list_origins(doc):
        del doc.user_data[origin]
    if groups:
        doc.user_data[(*ORIGIN, 0, None)] = True
    INDEXES.pop(doc, None)


def _check(
    doc: Doc,
    cluster: Union[Cluster, Sequence[Union[Span, Offsets]]],
    seen: set,
    has_same_tokens: Callable[[Doc], bool],
) -> Cluster:
    """Check a cluster, and sort its mentions; it gets plain lists, as files have."""
    if not isinstance(cluster, Cluster):
        cluster = Cluster(list(cluster))
    offsets = [_get_offsets(mention, has_same_tokens) for mention in cluster.mentions]
    for start, end in offsets:
        reason = "it is listed twice" if (start, end) in seen else None
        if not 0 <= start < end <= len(doc):
            reason = f"it is not a span of the {len(doc)} tokens"
        if reason is not None:
            raise ValueError(Errors.FC105.format(mention=(start, end), reason=reason))
        seen.add((start, end))
    n_mentions = len(offsets)
    for name in CLUSTER_ATTRS:
        n_given = len(getattr(cluster, name))
        if n_given not in (0, n_mentions):
            raise ValueError(
                Errors.FC210.format(
                    n_given=n_given, name=name, n_owners=n_mentions, owners="mentions"
                )
            )
    order = sorted(range(n_mentions), key=offsets.__getitem__)
    rank = {-1: -1, **{old: new for new, old in enumerate(order)}}
    for mention, antecedent in enumerate(map(int, cluster.antecedents)):
        if rank.get(antecedent, n_mentions) >= rank[mention]:
            expected = "the index of an earlier mention of the cluster, or -1 for none"
            check_setting(f"antecedents[{mention}]", antecedent, False, expected)
    found = replace(cluster, mentions=offsets).select(order)
    return replace(
        found,
        antecedents=found.antecedents or [*range(-1, n_mentions - 1)],
        scores=[*map(float, found.scores)],
        probs=[*map(float, found.probs)],
        candidates=[[*map(list, scored)] for scored in found.candidates],
        types=[*map(str, found.types)],
        ent_types=[*map(str, found.ent_types)],
        kb_ids=[*map(str, found.kb_ids)],
        heads=[[*map(int, tokens)] for tokens in found.heads] or [[]] * n_mentions,
    )


def _get_offsets(
    mention: Union[Span, Offsets], has_same_tokens: Callable[[Doc], bool]
) -> Offsets:
    reason = "it is neither a Span nor a pair of numbers"
    if isinstance(mention, Span):
        if has_same_tokens(mention.doc):
            return mention.start, mention.end
        reason = "it is of another Doc, which has other tokens"
    elif mention is None:
        reason = "Doc.char_span returns None for offsets inside a token"
    else:
        with suppress(TypeError, ValueError):
            start, end = mention
            return int(start), int(end)
    raise ValueError(Errors.FC105.format(mention=mention, reason=reason))


def _has_same_tokens(doc: Doc, other: Doc) -> bool:
    attrs = [ORTH, SPACY]
    return doc is other or np.array_equal(doc.to_array(attrs), other.to_array(attrs))


def from_docs(docs: Sequence[Doc], **kwargs) -> Optional[Doc]:
    """Concatenate Docs like Doc.from_docs, and keep the clusters of each Doc.

    Doc.from_docs merges SpanGroups of the same name and drops their attributes. This
    function renumbers the clusters, the groups "coref_seeds" (must-links) and the
    groups "coref_apart" (cannot-links) instead. The group "coref_mentions" restricts
    the candidate mentions, so it is kept only if all Docs have it.

    docs (Sequence[Doc]): The documents.
    **kwargs: Arguments of Doc.from_docs.
    RETURNS (Optional[Doc]): The new document; None if there are no documents.
    RAISES (ValueError): A Doc was retokenised after one of its SpanGroups was made.
    """
    docs = list(docs)
    for doc in docs:
        # Raise our error for a group made before retokenisation: that of Doc.from_docs
        # would say that there is a bug in spaCy.
        for key in doc.spans:
            read_group(doc, key)
    merged = Doc.from_docs(docs, **kwargs)
    if merged is None:
        return None
    groups: Dict[str, List[List[Span]]] = {SEEDS: [], APART: []}
    clusters: List[Cluster] = []
    offset = 0
    for doc in docs:
        part = merged[offset : offset + len(doc)]
        for name, members in groups.items():
            for key in find_groups(doc, name):
                members.append([part[s.start : s.end] for s in read_group(doc, key)])
        for cluster in check_index(doc).clusters:
            clusters.append(replace(cluster.move(offset.__add__), number=None))
        offset += len(doc)
    set_clusters(merged, clusters)
    if not all(CANDIDATES in doc.spans for doc in docs):
        merged.spans.pop(CANDIDATES, None)
    for name, members in groups.items():
        for key in find_groups(merged, name):
            del merged.spans[key]
        merged.spans.update({f"{name}_{i}": g for i, g in enumerate(members, start=1)})
    return merged
