"""Decode the links of Docs with their rules and the user's constraints."""

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np
from spacy.tokens import Doc

from ..decoding.constraints import read_constraints
from ..decoding.decode import Decision, collect_clusters, compute_null_gains, decide
from ..grammar.auto import choose_rules
from ..types import Cluster, Costs, Links


def decide_doc(
    doc: Doc, links: Links, rules: Any, threshold: float
) -> Optional[Decision]:
    """Choose the antecedent of each mention.

    doc (Doc): The document, with the user's must-links and cannot-links.
    links (Links): The model's predictions.
    rules (Any): The component's rules; None for no rules.
    threshold (float): The minimum log-odds of a link.
    RETURNS (Optional[Decision]): The antecedents; None for a Doc without mentions.
    """
    links, constraints = read_constraints(doc, links)
    if not len(links):
        return None
    answer, costs = None, Costs()
    rules = choose_rules(rules, doc)
    if rules is not None:
        links, costs = prune_links(links, rules, threshold)
        answer = rules(doc, links)
    return decide(links, answer, constraints, threshold, costs, rules)


def prune_links(links: Links, rules: Any, threshold: float) -> Tuple[Links, Costs]:
    """Drop the links that the decoder never chooses, which rules don't have to judge.

    links (Links): The model's predictions.
    rules (Any): The rules of the document's language.
    threshold (float): The minimum log-odds of a link.
    RETURNS (Tuple[Links, Costs]): The other links, and the costs of verdicts.
    """
    costs = getattr(rules, "costs", Costs())
    return links.drop_below(
        threshold + compute_null_gains(links, threshold, costs)
    ), costs


def decode_doc(
    doc: Doc, links: Links, rules: Any, threshold: float, *, singletons: bool = False
) -> List[Cluster]:
    """Convert the links of a Doc to clusters.

    doc (Doc): The document, with the user's must-links and cannot-links.
    links (Links): The model's predictions.
    rules (Any): The component's rules; None for no rules.
    threshold (float): The minimum log-odds of a link.
    singletons (bool): Whether mentions without a link become clusters of one mention.
    RETURNS (List[Cluster]): The clusters, in the order of first mentions.
    """
    decision = decide_doc(doc, links, rules, threshold)
    if decision is None:
        return []
    clusters = collect_clusters(decision, singletons=singletons)
    set_heads(doc, choose_rules(rules, doc), clusters)
    set_candidates(links, clusters)
    return clusters


def set_heads(doc: Any, rules: Any, clusters: Sequence[Cluster]) -> None:
    """Set the heads of the mentions of clusters, if the rules know them.

    doc (Union[Doc, JoinedDocs]): The document, or many.
    rules (Any): The rules of its language.
    clusters (Sequence[Cluster]): The clusters.
    """
    find = getattr(rules, "find_heads", None)
    if find is None or not clusters:
        return
    heads = iter(find(doc, np.array([m for one in clusters for m in one.mentions])))
    for cluster in clusters:
        cluster.heads = [next(heads) for _ in cluster.mentions]


def set_candidates(links: Links, clusters: Sequence[Cluster]) -> None:
    """Set the antecedents that the model scored for each mention, best first.

    Each one is a plain list [start, end, log-odds], which `Doc.to_bytes` can serialize.
    Mentions that the model did not find, but the user's constraints name, have none.

    links (Links): The model's predictions.
    clusters (Sequence[Cluster]): The clusters.
    """
    rows = np.array(
        [links.rows.get(mention, -1) for one in clusters for mention in one.mentions],
        dtype=np.int64,
    )
    found: List[List[List[float]]] = [[] for _ in rows]
    known = np.flatnonzero(rows >= 0)
    antecedents = links.antecedents[rows[known]]
    scores = links.scores[rows[known]]
    row, column = np.nonzero(antecedents >= 0)
    spans = links.mentions[antecedents[row, column]].tolist()
    values = scores[row, column].tolist()
    for i, (start, end), score in zip(known[row].tolist(), spans, values, strict=True):
        found[i].append([start, end, score])
    candidates: Any = iter(found)
    for cluster in clusters:
        cluster.candidates = [next(candidates) for _ in cluster.mentions]
