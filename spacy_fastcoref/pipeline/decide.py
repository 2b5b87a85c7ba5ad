"""Decode the links of Docs with their rules and the user's constraints."""

from functools import partial
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

import numpy as np
from spacy.tokens import Doc

from ..decoding.constraints import Constraints, has_constraints, read_constraints
from ..decoding.decode import Decision, collect_clusters, compute_null_gains, decide
from ..grammar.auto import choose_rules, get_kind
from ..grammar.word_index import JoinedDocs
from ..types import Cluster, Costs, Links

# For longer documents, reading them together saves nothing that can be measured.
_MAX_LENGTH = 256
# The maximum number of tokens that are read at once.
_MAX_TOKENS = 8192


def decide_doc(
    doc: Doc, links: Links, rules: Any, threshold: float
) -> Optional[Decision]:
    """Choose the antecedent of each mention; None for a Doc without mentions."""
    links, constraints = read_constraints(doc, links)
    if not len(links):
        return None
    rules = choose_rules(rules, doc)
    links = _prune_links(links, rules, threshold)
    return _decide(doc, links, constraints, rules, threshold)


def _decide(
    text: Any, links: Links, constraints: Constraints, rules: Any, threshold: float
) -> Decision:
    answer = None if rules is None else rules(text, links)
    costs = getattr(rules, "costs", Costs())
    return decide(links, answer, constraints, threshold, costs, rules)


def _prune_links(links: Links, rules: Any, threshold: float) -> Links:
    """Drop links that the decoder never chooses, which rules don't have to judge."""
    if rules is None:
        return links
    nulls = compute_null_gains(links, threshold, getattr(rules, "costs", Costs()))
    return links.drop_below(threshold + nulls)


def decode_doc(
    doc: Doc, links: Links, rules: Any, threshold: float, *, singletons: bool = False
) -> List[Cluster]:
    """Convert the links of a Doc to clusters, in the order of first mentions."""
    decision = decide_doc(doc, links, rules, threshold)
    if decision is None:
        return []
    clusters = collect_clusters(decision, singletons=singletons)
    _set_heads(doc, choose_rules(rules, doc), clusters)
    _set_candidates(links, clusters)
    return clusters


# The place of a document in the batch, the document, and its links without those that
# are never chosen.
_Member = Tuple[int, Doc, Links]


def decode_docs(
    docs: Sequence[Doc],
    links: Sequence[Links],
    rules: Any,
    threshold: float,
    *,
    singletons: bool = False,
) -> List[List[Cluster]]:
    """Convert the links of many Docs to clusters, those of each as if it were alone.

    Short ones are decoded together, as if they were one.
    """
    found: Dict[int, List[Cluster]] = {}
    for members in _group(docs, links, rules, threshold):
        decoded = _decode_members(members, rules, threshold, singletons)
        for (row, _, _), clusters in zip(members, decoded, strict=True):
            _set_candidates(links[row], clusters)
            found[row] = clusters
    for row, doc in enumerate(docs):
        if row not in found:
            found[row] = decode_doc(
                doc, links[row], rules, threshold, singletons=singletons
            )
    return [found[row] for row in range(len(docs))]


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
        doc_links = _prune_links(doc_links, own, threshold)
        # How many links a mention keeps when those of its duplicates are moved to it
        # depends on how many the document has.
        key = kind, doc_links.scores.shape[1], doc_links.types is not None
        groups.setdefault(key, []).append((row, doc, doc_links))
    for members in groups.values():
        ends = np.cumsum([len(doc) for _, doc, _ in members])
        bounds = np.flatnonzero(np.diff(ends // _MAX_TOKENS)) + 1
        for start, end in zip([0, *bounds], [*bounds, len(members)], strict=True):
            if end - start > 1:
                yield members[start:end]


def _decode_members(
    members: Sequence[_Member], rules: Any, threshold: float, singletons: bool
) -> List[List[Cluster]]:
    """Decode the links of documents, and find the heads of their mentions."""
    _, docs, own_links = zip(*members, strict=True)
    joined = JoinedDocs(docs)
    links = _join_links(own_links, joined.starts)
    rules = choose_rules(rules, joined)
    decision = _decide(joined, links, Constraints.none(links), rules, threshold)
    found = collect_clusters(decision, singletons=singletons)
    _set_heads(joined, rules, found)
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


def _set_heads(text: Any, rules: Any, clusters: Sequence[Cluster]) -> None:
    """Set the heads of the mentions of clusters, if the rules know them."""
    find = getattr(rules, "find_heads", None)
    if find is None or not clusters:
        return
    heads = iter(find(text, np.array([m for one in clusters for m in one.mentions])))
    for cluster in clusters:
        cluster.heads = [next(heads) for _ in cluster.mentions]


def _set_candidates(links: Links, clusters: Sequence[Cluster]) -> None:
    """Set the antecedents that the model scored for each mention, best first.

    Each one is a plain list [start, end, log-odds], which `Doc.to_bytes` can serialize.
    Mentions that the model did not find, but the user's constraints name, have none.
    """
    known = [m for one in clusters for m in one.mentions if m in links.rows]
    rows = np.array([links.rows[m] for m in known], dtype=np.int64)
    columns = links.antecedents[rows].tolist(), links.scores[rows].tolist()
    spans = links.mentions.tolist()
    scored: Iterable[Any] = (
        [[*spans[i], score] for i, score in zip(*row, strict=True) if i >= 0]
        for row in zip(*columns, strict=True)
    )
    found = dict(zip(known, scored, strict=True))
    for cluster in clusters:
        cluster.candidates = [found.get(m, []) for m in cluster.mentions]
