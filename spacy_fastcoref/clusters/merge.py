"""Concatenate Docs with their clusters."""

from dataclasses import replace
from functools import partial
from typing import Dict, List, Optional, Sequence

from spacy.tokens import Doc, Span

from ..span_groups import find_groups, read_group
from ..span_keys import APART, CANDIDATES, SEEDS
from ..types import Cluster
from .index import check_index
from .store import set_clusters


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
        for name in groups:
            for key in find_groups(doc, name):
                spans = read_group(doc, key)
                groups[name].append(
                    [merged[s.start + offset : s.end + offset] for s in spans]
                )
        place = partial(int.__add__, offset)
        for cluster in check_index(doc).clusters:
            clusters.append(replace(cluster.move(place), number=None))
        offset += len(doc)
    set_clusters(merged, clusters)
    if not all(CANDIDATES in doc.spans for doc in docs):
        merged.spans.pop(CANDIDATES, None)
    for name, members in groups.items():
        for key in find_groups(merged, name):
            del merged.spans[key]
        merged.spans.update({f"{name}_{i}": g for i, g in enumerate(members, start=1)})
    return merged
