"""Decode the links of one Doc with its rules and the user's constraints."""

from typing import Any, Iterator, List, Optional

import numpy as np
from spacy.tokens import Doc

from ..decoding.constraints import read_constraints
from ..decoding.costs import Costs
from ..decoding.decode import Decision, collect_clusters, decide, find_nulls
from ..decoding.rule_output import complete_output
from ..rules.auto import choose_rules
from ..tokens.clusters import ClusterData
from ..types import Links


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
        costs = getattr(rules, "costs", costs)
        # The decoder never chooses a link that scores less, so the rules don't have to
        # judge it.
        links = links.drop_below(threshold + find_nulls(links, threshold, costs))
        rule_output = complete_output(rules(doc, links), links, rules)
    return decide(links, rule_output, constraints, threshold, costs)


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
    types = decision.links.types
    mentions = [cluster.mentions for cluster in clusters]
    candidates = iter(_list_candidates(links, mentions))
    heads = _find_heads(doc, rules, mentions)
    return [
        ClusterData(
            cluster.mentions.tolist(),
            cluster.antecedents,
            cluster.scores,
            cluster.probs,
            [next(candidates) for _ in cluster.mentions],
            None if types is None else types[cluster.rows].tolist(),
            next(heads),
        )
        for cluster in clusters
    ]


def _find_heads(doc: Doc, rules: Any, clusters: List[np.ndarray]) -> Iterator[Any]:
    """Find the heads of the mentions of each cluster; None if the rules don't tell."""
    find = getattr(choose_rules(rules, doc), "find_heads", None)
    if find is None or not clusters:
        return iter([None] * len(clusters))
    heads = iter(find(doc, np.concatenate(clusters)))
    return iter([[next(heads) for _ in mentions] for mentions in clusters])


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
