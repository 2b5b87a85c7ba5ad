"""Concatenate Docs and keep their clusters."""

from typing import Dict, List, Optional, Sequence, Tuple

from spacy.tokens import Doc, Span

from ..span_keys import APART, CANDIDATES, SEEDS
from .clusters import ClusterData, set_clusters
from .groups import find_groups, read_group
from .index import check_index


def from_docs(docs: Sequence[Doc], **kwargs) -> Optional[Doc]:
    """Concatenate Docs as Doc.from_docs does, and keep their clusters apart.

    Doc.from_docs alone merges SpanGroups of one name and drops their attributes. Here
    the clusters of later Docs get the next numbers, and so do the groups "coref_seeds"
    (must-links) and "coref_apart" (cannot-links). The group "coref_mentions", the only
    candidates for mentions, is kept if all Docs have it: in a Doc without it, every
    span is a candidate.

    docs (Sequence[Doc]): The documents.
    **kwargs: Passed on to Doc.from_docs.
    RETURNS (Optional[Doc]): The new document, None if there are no documents.
    RAISES (ValueError): A Doc was retokenised after one of its SpanGroups was made.
    """
    docs = list(docs)
    for doc in docs:
        # Doc.from_docs would report a bug in spaCy.
        for key in doc.spans:
            read_group(doc, key)
    merged = Doc.from_docs(docs, **kwargs)
    if merged is None:
        return None
    groups: Dict[str, List[List[Span]]] = {SEEDS: [], APART: []}
    clusters: List[ClusterData] = []
    offset = 0
    for doc in docs:
        for name in groups:
            for key in find_groups(doc, name):
                spans = read_group(doc, key)
                groups[name].append(
                    [merged[s.start + offset : s.end + offset] for s in spans]
                )
        for stored in check_index(doc).clusters:
            mentions = [
                (start + offset, end + offset) for start, end in stored.mentions
            ]
            clusters.append(
                ClusterData(
                    mentions,
                    stored.antecedents or None,
                    stored.scores or None,
                    stored.probs or None,
                    _shift(stored.candidates, offset) if stored.candidates else None,
                )
            )
        offset += len(doc)
    set_clusters(merged, clusters)
    if not all(CANDIDATES in doc.spans for doc in docs):
        merged.spans.pop(CANDIDATES, None)
    for name, members in groups.items():
        for key in find_groups(merged, name):
            del merged.spans[key]
        merged.spans.update({f"{name}_{i}": g for i, g in enumerate(members, start=1)})
    return merged


def _shift(
    candidates: List[List[Tuple[int, int, float]]], offset: int
) -> List[List[Tuple[int, int, float]]]:
    return [
        [(start + offset, end + offset, score) for start, end, score in found]
        for found in candidates
    ]
