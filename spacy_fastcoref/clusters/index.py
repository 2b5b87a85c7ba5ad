"""Index the clusters of a Doc, for all extension attributes that read them."""

import re
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple
from weakref import WeakKeyDictionary

import numpy as np
from spacy.tokens import Doc

from ..errors import Warnings
from ..grammar.heads import find_heads
from ..grammar.kinds import Kind, find_kind, find_main
from ..span_groups import read_group
from ..span_keys import ANTECEDENTS, HEADS, PREFIX, PROBS, SCORED, SCORES
from .attrs import IS_VALID

# Without leading zeros: a group such as "coref_clusters_007" belongs to the user.
_KEY = re.compile(rf"{PREFIX}_[1-9][0-9]*")
_ENDS = attrgetter("start", "end")
_ATTRS = (HEADS, ANTECEDENTS, SCORES, PROBS, SCORED)
# An index contains no Span, which would keep the Doc alive.
_INDEXES: "WeakKeyDictionary[Doc, Index]" = WeakKeyDictionary()


class StoredGroup(NamedTuple):
    """Hold a copy of a SpanGroup, to detect changes of the group.

    mentions (List[Tuple[int, int]]): Token offsets, in the order of the group.
    attrs (Dict[str, list]): Those of the group's attrs that this package reads.
    """

    mentions: List[Tuple[int, int]]
    attrs: Dict[str, list]


@dataclass
class StoredCluster:
    """Hold one cluster, read from a SpanGroup.

    mentions (List[Tuple[int, int]]): Token offsets in text order.
    heads (List[List[int]]): The head tokens of each mention.
    antecedents (List[int]): The index of each mention's antecedent, -1 for none; empty
        if it is not stored.
    scores (List[float]): The log-odds of each mention's link; empty if not stored.
    probs (List[float]): The probability of each mention's link; empty if not stored.
    candidates (List[List[Tuple[int, int, float]]]): The antecedents that the model
        scored for each mention, as (start, end, log-odds); empty if not stored.
    main (int): The index of the main mention.
    """

    mentions: List[Tuple[int, int]]
    heads: List[List[int]]
    antecedents: List[int]
    scores: List[float]
    probs: List[float]
    candidates: List[List[Tuple[int, int, float]]]
    main: int


@dataclass
class Index:
    """Look clusters up by token and by span, in constant time.

    n_tokens (int): The length of the Doc when the index was made.
    n_groups (int): The number of SpanGroups of the Doc when the index was made.
    groups (List[StoredGroup]): The groups of the clusters, sorted by their number.
    stale (Optional[str]): The key of a group that was made before the Doc was
        retokenised; in that case, there are no clusters.
    clusters (List[StoredCluster]): The clusters, in the order of the groups.
    resolved (Dict[int, List[int]]): What ChainHolder.resolve has found for tokens.
    """

    n_tokens: int
    n_groups: int
    groups: List[StoredGroup] = field(default_factory=list)
    stale: Optional[str] = None
    clusters: List[StoredCluster] = field(default_factory=list)
    resolved: Dict[int, List[int]] = field(default_factory=dict)

    @cached_property
    def covered(self) -> np.ndarray:
        """Shape (n_tokens,), bool: the tokens that are in a mention."""
        mentions = [m for cluster in self.clusters for m in cluster.mentions]
        starts, ends = np.array(mentions, dtype=np.int64).reshape(-1, 2).T
        n_around = np.bincount(starts, minlength=self.n_tokens + 1)
        n_around -= np.bincount(ends, minlength=self.n_tokens + 1)
        return np.cumsum(n_around)[:-1] > 0

    @cached_property
    def by_token(self) -> Dict[int, List[int]]:
        """Map a token to the clusters with a mention that contains it."""
        found: Dict[int, List[int]] = {}
        for i, cluster in enumerate(self.clusters):
            for start, end in cluster.mentions:
                for token in range(start, end):
                    clusters = found.setdefault(token, [])
                    if not clusters or clusters[-1] != i:
                        clusters.append(i)
        return found

    @cached_property
    def by_head(self) -> Dict[int, List[int]]:
        """Map a token to the clusters with a mention of which it is a head."""
        found: Dict[int, List[int]] = {}
        for i, cluster in enumerate(self.clusters):
            for heads in cluster.heads:
                for token in heads:
                    clusters = found.setdefault(token, [])
                    if not clusters or clusters[-1] != i:
                        clusters.append(i)
        return found

    @cached_property
    def by_only_head(self) -> Dict[int, List[int]]:
        """Map a token to the clusters with a mention of which it is the only head."""
        found: Dict[int, List[int]] = {}
        for i, cluster in enumerate(self.clusters):
            for token in dict.fromkeys(h[0] for h in cluster.heads if len(h) == 1):
                found.setdefault(token, []).append(i)
        return found

    @cached_property
    def by_end(self) -> Dict[int, Set[int]]:
        """Map a token to the clusters with a mention that ends right before it."""
        found: Dict[int, Set[int]] = {}
        for i, cluster in enumerate(self.clusters):
            for _, end in cluster.mentions:
                found.setdefault(end, set()).add(i)
        return found

    @cached_property
    def by_span(self) -> Dict[Tuple[int, int], Tuple[int, int]]:
        """Map a mention to its cluster and its index in the cluster."""
        return {
            mention: (i, j)
            for i, cluster in enumerate(self.clusters)
            for j, mention in enumerate(cluster.mentions)
        }


def find_characters(doc: Doc, start: int, end: int) -> Tuple[int, int]:
    """Convert the token offsets of a mention to character offsets.

    doc (Doc): The document.
    start (int): The mention's first token.
    end (int): The token after the last.
    RETURNS (Tuple[int, int]): The first character, and the one after the last.
    """
    last = doc[end - 1]
    return doc[start].idx, last.idx + len(last)


def get_heads(doc: Doc, start: int, end: int) -> List[int]:
    """Get the head tokens of a span: the stored ones if the span is a mention.

    doc (Doc): The document.
    start (int): The first token.
    end (int): The token after the last.
    RETURNS (List[int]): The tokens, in text order.
    """
    index = get_index(doc)
    indexes = index.by_span.get((start, end))
    if indexes is None:
        return find_heads(doc, start, end)
    i, j = indexes
    return index.clusters[i].heads[j]


def get_kind(doc: Doc, start: int, end: int) -> Kind:
    """Get the kind of a mention, or of a span as if it were a mention.

    doc (Doc): The document.
    start (int): The first token.
    end (int): The token after the last.
    RETURNS (Kind): A pronoun, noun or name.
    """
    return find_kind(doc, start, end, get_heads(doc, start, end))


def get_index(doc: Doc) -> Index:
    """Get the index of a Doc, which is made at the first call.

    A new index is made if the number of tokens or of SpanGroups has changed. Groups
    that were changed in place are detected only by `check_index`, which reads all
    groups: in a loop over tokens, that would take quadratic time.

    doc (Doc): The document.
    RETURNS (Index): The index.
    """
    index = _INDEXES.get(doc)
    if index is None or index.n_groups != len(doc.spans) or index.n_tokens != len(doc):
        index = _INDEXES[doc] = make_index(doc)
    return index


def check_index(doc: Doc) -> Index:
    """Get the index of a Doc, or a new one if the clusters have changed in any way.

    doc (Doc): The document.
    RETURNS (Index): The index.
    """
    index = get_index(doc)
    if (index.groups, index.stale) != _read_groups(doc):
        index = _INDEXES[doc] = make_index(doc)
    return index


def make_index(doc: Doc) -> Index:
    """Make a new index of a Doc.

    doc (Doc): The document.
    RETURNS (Index): The index. If tokens were merged or split after the clusters were
        stored, it has no clusters, and there is a warning.
    """
    groups, stale = _read_groups(doc)
    if stale is not None:
        warnings.warn(Warnings.FCW07.format(key=stale), stacklevel=2)
    found = (_make_cluster(doc, *group) for group in groups)
    clusters = [cluster for cluster in found if cluster is not None]
    return Index(len(doc), len(doc.spans), groups, stale, clusters)


def drop_index(doc: Doc) -> None:
    """Delete the index of a Doc after its clusters have changed.

    doc (Doc): The document.
    """
    _INDEXES.pop(doc, None)


def list_groups(doc: Doc) -> List[str]:
    """List the keys of the SpanGroups of the clusters.

    doc (Doc): The document.
    RETURNS (List[str]): "coref_clusters_1", …, sorted by their number.
    """
    # Sorted by length first, so that 10 comes after 9.
    return sorted(filter(_KEY.fullmatch, doc.spans), key=lambda key: (len(key), key))


def _read_groups(doc: Doc) -> Tuple[List[StoredGroup], Optional[str]]:
    groups = []
    for key in list_groups(doc):
        try:
            mentions = [*map(_ENDS, read_group(doc, key))]
        except ValueError:
            return [], key
        attrs = doc.spans[key].attrs
        copies = {name: _copy_list(attrs.get(name)) for name in _ATTRS}
        groups.append(StoredGroup(mentions, copies))
    return groups, None


def _copy_list(values: Any) -> list:
    return list(values) if isinstance(values, (list, tuple)) else []


def _make_cluster(
    doc: Doc, mentions: List[Tuple[int, int]], attrs: Dict[str, list]
) -> Optional[StoredCluster]:
    """Make a cluster of a group, which a user may have changed in any way.

    Empty spans are dropped, duplicate ones are merged, and attributes of another form
    are ignored. Return None if there are no mentions.
    """
    kept = sorted({mention for mention in mentions if mention[0] < mention[1]})
    if not kept:
        return None
    # A group changed by a user can be out of order, or have more mentions than entries
    # in attrs.
    is_ours = kept == mentions
    given = {
        name: values
        if is_ours and len(values) == len(kept) and IS_VALID[name](values, len(doc))
        else []
        for name, values in attrs.items()
    }
    stored = given.pop(HEADS) or [[]] * len(kept)
    # If a user has replaced a mention in place, the stored heads belong to the old one.
    heads = [
        found if _are_inside(found, *mention) else find_heads(doc, *mention)
        for found, mention in zip(stored, kept, strict=True)
    ]
    return StoredCluster(kept, heads, main=find_main(doc, kept, heads), **given)


def _are_inside(heads: List[int], start: int, end: int) -> bool:
    return bool(heads) and start <= min(heads) and max(heads) < end
