"""Put Docs together without losing their clusters."""

from typing import List, Optional, Sequence

from spacy.tokens import Doc

from .clusters import ClusterData, set_clusters
from .index import get_index


def from_docs(docs: Sequence[Doc], **kwargs) -> Optional[Doc]:
    """Concatenate Docs as Doc.from_docs does, and keep their clusters apart.

    Doc.from_docs alone merges SpanGroups of one name and drops their attributes;
    here the clusters of later Docs get the next numbers.

    docs (Sequence[Doc]): The documents.
    **kwargs: Passed on to Doc.from_docs.
    RETURNS (Optional[Doc]): The new document, None if there are no documents.
    """
    docs = list(docs)
    merged = Doc.from_docs(docs, **kwargs)
    if merged is None:
        return None
    clusters: List[ClusterData] = []
    offset = 0
    for doc in docs:
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
