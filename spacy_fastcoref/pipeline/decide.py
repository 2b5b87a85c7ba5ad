"""Decode the links of Docs with their rules and the user's constraints."""

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np
from spacy.tokens import Doc

from ..clusters.clusters import ClusterData
from ..decoding.constraints import read_constraints
from ..decoding.decode import (
    Decision,
    DecodedCluster,
    collect_clusters,
    decide,
    find_nulls,
)
from ..decoding.rule_output import complete_output
from ..grammar.auto import choose_rules
from ..types import Costs, Links

# The head tokens of each mention of a cluster; None if they are not known.
Heads = Optional[List[List[int]]]


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
    rule_output, costs = None, Costs()
    rules = choose_rules(rules, doc)
    if rules is not None:
        links, costs = drop_hopeless(links, rules, threshold)
        rule_output = complete_output(rules(doc, links), links, rules)
    return decide(links, rule_output, constraints, threshold, costs)


def drop_hopeless(links: Links, rules: Any, threshold: float) -> Tuple[Links, Costs]:
    """Drop the links that the decoder never chooses, which rules don't have to judge.

    links (Links): The model's predictions.
    rules (Any): The rules of the document's language.
    threshold (float): The minimum log-odds of a link.
    RETURNS (Tuple[Links, Costs]): The other links, and the costs of verdicts.
    """
    costs = getattr(rules, "costs", Costs())
    return links.drop_below(threshold + find_nulls(links, threshold, costs)), costs


def decode_doc(
    doc: Doc, links: Links, rules: Any, threshold: float, *, singletons: bool = False
) -> List[ClusterData]:
    """Convert the links of a Doc to clusters.

    doc (Doc): The document, with the user's must-links and cannot-links.
    links (Links): The model's predictions.
    rules (Any): The component's rules; None for no rules.
    threshold (float): The minimum log-odds of a link.
    singletons (bool): Whether mentions without a link become clusters of one mention.
    RETURNS (List[ClusterData]): The clusters, in the order of first mentions.
    """
    decision = decide_doc(doc, links, rules, threshold)
    if decision is None:
        return []
    clusters = collect_clusters(decision, singletons=singletons)
    heads = find_heads(doc, choose_rules(rules, doc), clusters)
    return make_data(clusters, links, heads)


def find_heads(doc: Any, rules: Any, clusters: Sequence[DecodedCluster]) -> List[Heads]:
    """Find the heads of the mentions of clusters.

    doc (Union[Doc, JoinedDocs]): The document, or many.
    rules (Any): The rules of its language.
    clusters (Sequence[DecodedCluster]): The clusters.
    RETURNS (List[Heads]): The heads of each mention of each cluster; None if the rules
        don't tell.
    """
    find = getattr(rules, "find_heads", None)
    if find is None or not clusters:
        return [None] * len(clusters)
    mentions = np.concatenate([cluster.mentions for cluster in clusters])
    heads = iter(find(doc, mentions))
    return [[next(heads) for _ in cluster.mentions] for cluster in clusters]


def make_data(
    clusters: Sequence[DecodedCluster],
    links: Links,
    heads: Sequence[Heads],
) -> List[ClusterData]:
    """Make the data of clusters that are stored in a Doc.

    clusters (Sequence[DecodedCluster]): The clusters.
    links (Links): The model's predictions.
    heads (Sequence[Heads]): The heads of the mentions of each cluster.
    RETURNS (List[ClusterData]): The same clusters.
    """
    candidates = iter(_list_candidates(links, [one.mentions for one in clusters]))
    return [
        ClusterData(
            cluster.mentions.tolist(),
            cluster.antecedents,
            cluster.scores,
            cluster.probs,
            [next(candidates) for _ in cluster.mentions],
            cluster.types,
            of_cluster,
        )
        for cluster, of_cluster in zip(clusters, heads, strict=True)
    ]


def _list_candidates(
    links: Links, clusters: List[np.ndarray]
) -> List[List[List[float]]]:
    """List the antecedents that the model scored for each mention, best first.

    Each one is a plain list [start, end, log-odds], which `Doc.to_bytes` can serialize.
    Mentions that the model did not find, but the user's constraints name, have none.
    """
    if not clusters:
        return []
    mentions = map(tuple, np.concatenate(clusters).tolist())
    rows = np.array([links.rows.get(mention, -1) for mention in mentions])
    found: List[List[List[float]]] = [[] for _ in rows]
    known = np.flatnonzero(rows >= 0)
    antecedents = links.antecedents[rows[known]]
    scores = links.scores[rows[known]]
    row, column = np.nonzero(antecedents >= 0)
    spans = links.mentions[antecedents[row, column]].tolist()
    values = scores[row, column].tolist()
    for i, (start, end), score in zip(known[row].tolist(), spans, values, strict=True):
        found[i].append([start, end, score])
    return found
