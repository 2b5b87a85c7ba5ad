"""Decode the links of many short Docs at once, as if they were one."""

from functools import partial
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence

import numpy as np
from spacy.tokens import Doc

from ..decoding.constraints import Constraints, has_constraints
from ..decoding.decode import collect_clusters, decide
from ..grammar.auto import choose_rules, get_kind
from ..grammar.word_index import JoinedDocs
from ..types import Cluster, Costs, Links
from .decide import decode_doc, prune_links, set_candidates, set_heads

# For longer documents, reading them together saves nothing that can be measured.
_MAX_LENGTH = 256
# The maximum number of tokens that are read at once.
_MAX_TOKENS = 8192


class _Member(NamedTuple):
    """Hold a document that is decoded with others.

    row (int): Its place in the batch.
    doc (Doc): The document.
    links (Links): The model's predictions, without those that are never chosen.
    """

    row: int
    doc: Doc
    links: Links


def decode_docs(
    docs: Sequence[Doc],
    links: Sequence[Links],
    rules: Any,
    threshold: float,
    *,
    singletons: bool = False,
) -> List[List[Cluster]]:
    """Convert the links of many Docs to clusters, those of each as if it were alone.

    docs (Sequence[Doc]): The documents, with the user's must-links and cannot-links.
    links (Sequence[Links]): The model's predictions for each.
    rules (Any): The component's rules; None for no rules.
    threshold (float): The minimum log-odds of a link.
    singletons (bool): Whether mentions without a link become clusters of one mention.
    RETURNS (List[List[Cluster]]): The clusters of each document.
    """
    found: List[Optional[List[Cluster]]] = [None] * len(docs)
    for members in _group(docs, links, rules, threshold):
        decoded = _decode_members(members, rules, threshold, singletons)
        for member, clusters in zip(members, decoded, strict=True):
            set_candidates(links[member.row], clusters)
            found[member.row] = clusters
    return [
        decode_doc(doc, doc_links, rules, threshold, singletons=singletons)
        if clusters is None
        else clusters
        for doc, doc_links, clusters in zip(docs, links, found, strict=True)
    ]


def _group(
    docs: Sequence[Doc], links: Sequence[Links], rules: Any, threshold: float
) -> Iterator[List[_Member]]:
    """Group the documents that can be decoded together."""
    if len(docs) < 2:
        return
    groups: Dict[Any, List[_Member]] = {}
    for row, (doc, doc_links) in enumerate(zip(docs, links, strict=True)):
        if not len(doc_links) or len(doc) > _MAX_LENGTH or has_constraints(doc):
            continue
        own = choose_rules(rules, doc)
        kind = get_kind(own, doc)
        if kind is None:
            continue
        if own is not None:
            doc_links, _ = prune_links(doc_links, own, threshold)
        # How many links a mention keeps when those of its duplicates are moved to it
        # depends on how many the document has.
        width, has_types = doc_links.scores.shape[1], doc_links.types is not None
        groups.setdefault((kind, width, has_types), []).append(
            _Member(row, doc, doc_links)
        )
    for members in groups.values():
        ends = np.cumsum([len(member.doc) for member in members])
        bounds = np.flatnonzero(np.diff(ends // _MAX_TOKENS)) + 1
        for start, end in zip([0, *bounds], [*bounds, len(members)], strict=True):
            if end - start > 1:
                yield members[start:end]


def _decode_members(
    members: Sequence[_Member], rules: Any, threshold: float, singletons: bool
) -> List[List[Cluster]]:
    """Decode the links of documents, and find the heads of their mentions."""
    joined = JoinedDocs([member.doc for member in members])
    links = _join_links([member.links for member in members], joined.starts)
    rules = choose_rules(rules, joined)
    answer = None if rules is None else rules(joined, links)
    costs = getattr(rules, "costs", Costs())
    none = Constraints.none(links)
    decision = decide(links, answer, none, threshold, costs, rules)
    found = collect_clusters(decision, singletons=singletons)
    set_heads(joined, rules, found)
    clusters: List[List[Cluster]] = [[] for _ in members]
    for cluster in found:
        place = int(joined.documents[cluster.mentions[0][0]])
        start = int(joined.starts[place])
        clusters[place].append(cluster.move(partial(int.__add__, -start)))
    return clusters


def _join_links(links: Sequence[Links], starts: np.ndarray) -> Links:
    """Join the links of documents, each of which starts at a token."""
    sizes = [len(one) for one in links]
    firsts = np.repeat(np.cumsum(sizes) - sizes, sizes)[:, None]
    antecedents = np.concatenate([one.antecedents for one in links])
    has_types = links[0].types is not None
    return Links(
        np.concatenate(
            [one.mentions + start for one, start in zip(links, starts, strict=True)]
        ),
        np.concatenate([one.mention_scores for one in links]),
        np.where(antecedents < 0, antecedents, antecedents + firsts),
        np.concatenate([one.scores for one in links]),
        np.concatenate([one.log_norms for one in links]),
        np.concatenate([one.types for one in links]) if has_types else None,
        # All are of one model and one language.
        links[0].calibration,
    )
