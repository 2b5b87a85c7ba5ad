"""Index the clusters of a Doc, for all extension attributes that read them."""

import re
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from operator import attrgetter
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple
from weakref import WeakKeyDictionary

from spacy.tokens import Doc

from ..errors import Warnings
from ..grammar.heads import find_heads
from ..grammar.kinds import Kind, find_kind, find_main
from ..span_groups import read_group
from ..span_keys import ORIGIN, PREFIX
from ..types import CLUSTER_ATTRS, Cluster, Offsets

# Without leading zeros: a group such as "coref_clusters_007" belongs to the user.
_KEY = re.compile(rf"{PREFIX}_([1-9][0-9]*)")
_ENDS = attrgetter("start", "end")
# A copy of a group: its key, the offsets of its mentions in its order, and its attrs.
Copied = Tuple[str, List[Offsets], Dict[str, list]]


def list_groups(doc: Doc) -> List[str]:
    """List the keys of the SpanGroups of the clusters."""
    # Sorted by length first, so that 10 comes after 9.
    return sorted(filter(_KEY.fullmatch, doc.spans), key=lambda key: (len(key), key))


def list_origins(doc: Doc) -> List[Any]:
    """List the keys of doc.user_data of Docs that had clusters: several, if
    Doc.from_docs has merged them."""
    return [
        key for key in doc.user_data if isinstance(key, tuple) and key[:2] == ORIGIN
    ]


def _copy_groups(doc: Doc) -> Tuple[List[Copied], Optional[str]]:
    """Copy the groups of the clusters, to read them and to detect later changes.

    RETURNS (Tuple[List[Copied], Optional[str]]): The copies, and the key of a group
        that was made before the Doc was retokenised; then, there are no clusters.
    """
    groups = []
    for key in list_groups(doc):
        try:
            mentions = [*map(_ENDS, read_group(doc, key))]
        except ValueError:
            return [], key
        attrs = doc.spans[key].attrs
        given = {name: attrs.get(name) for name in CLUSTER_ATTRS}
        copies = {k: list(v) if _is_list(v) else [] for k, v in given.items()}
        groups.append((key, mentions, copies))
    return groups, None


def _read_cluster(doc: Doc, group: Copied) -> Optional[Cluster]:
    """Read a cluster from a group, which a user may have changed in any way."""
    key, mentions, attrs = group
    kept = sorted({mention for mention in mentions if mention[0] < mention[1]})
    if not kept:
        return None
    # A group changed by a user can be out of order, or have more mentions than entries
    # in attrs.
    is_ours = kept == mentions
    given: Dict[str, list] = {
        name: values
        if is_ours and len(values) == len(kept) and is_valid(name, values, len(doc))
        else []
        for name, values in attrs.items()
    }
    stored = given.pop("heads") or [[]] * len(kept)
    # If a user has replaced a mention in place, the stored heads belong to the old one.
    heads = [
        found
        if found and start <= min(found) and max(found) < end
        else find_heads(doc, start, end)
        for found, (start, end) in zip(stored, kept, strict=True)
    ]
    number = int(_KEY.fullmatch(key)[1])  # type: ignore[index]
    main = find_main(doc, kept, heads)
    return Cluster(kept, heads=heads, number=number, main=main, **given)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


# The base class Real alone would be asked slowly for each float.
_REAL: Tuple[type, ...] = (float, Real)
# What the lists have that have no strings.
_KINDS: Dict[str, Tuple[type, ...]] = dict.fromkeys(("antecedents", "heads"), (int,))
_KINDS |= dict.fromkeys(("scores", "probs"), _REAL)


def is_valid(name: str, values: list, n_tokens: int) -> bool:
    """Check what an attr of a group holds, but for the range of heads."""
    if name in ("heads", "candidates"):
        if not all(map(_is_list, values)):
            return False
        values = [one for value in values for one in value]
    if name == "candidates":
        kinds: List[Any] = [int, int, _REAL]
        return all(
            _is_list(one)
            and len(one) == 3
            and all(map(isinstance, one, kinds))
            and 0 <= one[0] < one[1] <= n_tokens
            for one in values
        )
    if not all(isinstance(value, _KINDS.get(name, (str,))) for value in values):
        return False
    return name != "antecedents" or all(-1 <= j < i for i, j in enumerate(values))


# An index contains no Span, which would keep the Doc alive.
INDEXES: "WeakKeyDictionary[Doc, Index]" = WeakKeyDictionary()


@dataclass
class Index:
    """Look clusters up by token and by span, in constant time.

    sizes (Tuple[int, int]): The numbers of tokens and of SpanGroups of the Doc when the
        index was made.
    copied (Tuple[List[Copied], Optional[str]]): What _copy_groups has found.
    clusters (List[Cluster]): The clusters, in the order of the groups.
    plans (Dict[Any, Any]): What a policy of resolved text has computed for clusters.
    """

    sizes: Tuple[int, int]
    copied: Tuple[List[Copied], Optional[str]]
    clusters: List[Cluster]
    plans: Dict[Any, Any] = field(default_factory=dict)

    @cached_property
    def by_token(self) -> Dict[int, List[int]]:
        """Map a token to the clusters with a mention that contains it."""
        return self._map(
            lambda one: (i for start, end in one.mentions for i in range(start, end))
        )

    @cached_property
    def by_head(self) -> Dict[int, List[int]]:
        """Map a token to the clusters with a mention of which it is a head."""
        return self._map(lambda one: (i for tokens in one.heads for i in tokens))

    @cached_property
    def by_end(self) -> Dict[int, List[int]]:
        """Map a token to the clusters with a mention that ends right before it."""
        return self._map(lambda one: (end for _, end in one.mentions))

    def _map(
        self, list_tokens: Callable[[Cluster], Iterable[int]]
    ) -> Dict[int, List[int]]:
        found: Dict[int, List[int]] = {}
        for i, cluster in enumerate(self.clusters):
            for token in dict.fromkeys(list_tokens(cluster)):
                found.setdefault(token, []).append(i)
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
    """Convert the token offsets of a mention to character offsets."""
    last = doc[end - 1]
    return doc[start].idx, last.idx + len(last)


def get_heads(doc: Doc, start: int, end: int) -> List[int]:
    """Get the head tokens of a span: the stored ones if the span is a mention."""
    index = get_index(doc)
    indexes = index.by_span.get((start, end))
    if indexes is None:
        return find_heads(doc, start, end)
    i, j = indexes
    return index.clusters[i].heads[j]


def get_kind(doc: Doc, start: int, end: int) -> Kind:
    """Get the kind of a mention, or of a span as if it were a mention."""
    return find_kind(doc, start, end, get_heads(doc, start, end))


def get_index(doc: Doc) -> Index:
    """Get the index of a Doc, which is made at the first call.

    A new index is made if the number of tokens or of SpanGroups has changed. Groups
    that were changed in place are detected only by `check_index`, which reads all
    groups: in a loop over tokens, that would take quadratic time.
    """
    index = INDEXES.get(doc)
    if index is None or index.sizes != (len(doc), len(doc.spans)):
        index = INDEXES[doc] = make_index(doc)
    return index


def check_index(doc: Doc) -> Index:
    """Get the index of a Doc, or a new one if the clusters have changed in any way."""
    index = get_index(doc)
    if index.copied != _copy_groups(doc):
        index = INDEXES[doc] = make_index(doc)
    return index


def make_index(doc: Doc) -> Index:
    """Make a new index of a Doc, with a warning if tokens or Docs were merged."""
    n_docs = len(list_origins(doc))
    if n_docs > 1:
        warnings.warn(Warnings.FCW37.format(n_docs=n_docs), stacklevel=2)
    copied = groups, stale = _copy_groups(doc)
    if stale is not None:
        warnings.warn(Warnings.FCW07.format(key=stale), stacklevel=2)
    found = [_read_cluster(doc, group) for group in groups]
    clusters = [cluster for cluster in found if cluster is not None]
    return Index((len(doc), len(doc.spans)), copied, clusters)
