"""Put Docs together without losing their clusters."""

from typing import List, Optional, Sequence

from spacy.tokens import Doc

from .clusters import APART, SEEDS, ClusterData, set_clusters
from .index import get_index


def from_docs(docs: Sequence[Doc], **kwargs) -> Optional[Doc]:
    """Concatenate Docs as Doc.from_docs does, and keep their clusters apart.

    Doc.from_docs alone merges SpanGroups of one name and drops their attributes;
    here the clusters of later Docs get the next numbers, and so do the groups of
    mentions that a user has put together or keeps apart.

    docs (Sequence[Doc]): The documents.
    **kwargs: Passed on to Doc.from_docs.
    RETURNS (Optional[Doc]): The new document, None if there are no documents.
    """
    docs = list(docs)
    merged = Doc.from_docs(docs, **kwargs)
    if merged is None:
        return None
    for key in [key for key in merged.spans if key.startswith((SEEDS, APART))]:
        del merged.spans[key]
    clusters: List[ClusterData] = []
    counts = {SEEDS: 0, APART: 0}
    offset = 0
    for doc in docs:
        for key, group in doc.spans.items():
            for prefix in counts:
                if key.startswith(prefix):
                    counts[prefix] += 1
                    merged.spans[f"{prefix}{counts[prefix]}"] = [
                        merged[span.start + offset : span.end + offset]
                        for span in group
                    ]
        for stored in get_index(doc).clusters:
            mentions = [
                (start + offset, end + offset) for start, end in stored.mentions
            ]
            clusters.append(
                ClusterData(
                    mentions,
                    stored.antecedents or None,
                    stored.scores or None,
                    stored.probs or None,
                )
            )
        offset += len(doc)
    set_clusters(merged, clusters)
    return merged
