"""Read clusters from the SpanGroups of a Doc.

What a user wrote into a group may be of any form: what says nothing is as if missing.
"""

import re
from numbers import Real
from operator import attrgetter
from typing import Any, Dict, List, Optional, Tuple

from spacy.tokens import Doc

from ..grammar.heads import find_heads
from ..grammar.kinds import find_main
from ..span_groups import read_group
from ..span_keys import ORIGIN, PREFIX
from ..types import CLUSTER_ATTRS, Cluster, Offsets

# Without leading zeros: a group such as "coref_clusters_007" belongs to the user.
_KEY = re.compile(rf"{PREFIX}_([1-9][0-9]*)")
_ENDS = attrgetter("start", "end")
# A copy of a group: its key, the offsets of its mentions in its order, and its attrs.
Copied = Tuple[str, List[Offsets], Dict[str, list]]


def list_groups(doc: Doc) -> List[str]:
    """List the keys of the SpanGroups of the clusters.

    doc (Doc): The document.
    RETURNS (List[str]): "coref_clusters_1", …, sorted by their number.
    """
    # Sorted by length first, so that 10 comes after 9.
    return sorted(filter(_KEY.fullmatch, doc.spans), key=lambda key: (len(key), key))


def list_origins(doc: Doc) -> List[Any]:
    """List the keys of doc.user_data by which each Doc is known that had clusters.

    doc (Doc): The document.
    RETURNS (List[Any]): The keys; two or more in what Doc.from_docs has made of Docs
        with clusters.
    """
    return [
        key for key in doc.user_data if isinstance(key, tuple) and key[:2] == ORIGIN
    ]


def copy_groups(doc: Doc) -> Tuple[List[Copied], Optional[str]]:
    """Copy the groups of the clusters, to read them and to detect later changes.

    doc (Doc): The document.
    RETURNS (Tuple[List[Copied], Optional[str]]): The groups, sorted by their number,
        and None; or no groups, and the key of one that was made before the Doc was
        retokenised.
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


def read_cluster(doc: Doc, group: Copied) -> Optional[Cluster]:
    """Read a cluster from a group, which a user may have changed in any way.

    Empty spans are dropped, duplicate ones are merged, and attributes of another form
    are ignored.

    doc (Doc): The document.
    group (Copied): The group.
    RETURNS (Optional[Cluster]): The cluster; None if there are no mentions.
    """
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
        found if _are_inside(found, *mention) else find_heads(doc, *mention)
        for found, mention in zip(stored, kept, strict=True)
    ]
    number = int(_KEY.fullmatch(key)[1])  # type: ignore[index]
    main = find_main(doc, kept, heads)
    return Cluster(kept, heads=heads, number=number, main=main, **given)


def _are_inside(heads: List[int], start: int, end: int) -> bool:
    return bool(heads) and start <= min(heads) and max(heads) < end


def is_valid(name: str, values: list, n_tokens: int) -> bool:
    """Check what an attr of a group holds.

    name (str): The attr.
    values (list): One value for each mention.
    n_tokens (int): The length of the Doc.
    RETURNS (bool): Whether the values are what types.Cluster holds.
    """
    if name == "antecedents":
        return all(_is_int(j) and -1 <= j < i for i, j in enumerate(values))
    if name in ("scores", "probs"):
        return all(isinstance(value, Real) for value in values)
    if name in ("types", "ent_types", "kb_ids"):
        return all(isinstance(value, str) for value in values)
    is_one = _is_scored if name == "candidates" else _is_token
    return all(
        _is_list(value) and all(is_one(one, n_tokens) for one in value)
        for value in values
    )


def _is_scored(value: Any, n_tokens: int) -> bool:
    if not (_is_list(value) and len(value) == 3 and isinstance(value[2], Real)):
        return False
    start, end = value[:2]
    return _is_token(start, n_tokens) and _is_int(end) and start < end <= n_tokens


def _is_token(value: Any, n_tokens: int) -> bool:
    return _is_int(value) and 0 <= value < n_tokens


def _is_int(value: Any) -> bool:
    return isinstance(value, int)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))
