"""Links, rules and a user's constraints -> what the decoder decides for one Doc."""

from typing import Any, List, Optional

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
    """Decide which mention continues which.

    doc (Doc): The document, with the user's must-links and cannot-links.
    links (Links): The model's answer.
    rules (Any): The component's rules; None for none.
    threshold (float): The log-odds that a link needs at least.
    RETURNS (Optional[Decision]): The decision; None for a Doc without mentions.
    """
    links, constraints = read_constraints(doc, links)
    if not len(links):
        return None
    rule_output, costs = None, Costs()
    rules = choose_rules(rules, doc)
    if rules is not None:
        costs = getattr(rules, "costs", costs)
        # No other link is ever made, and so none need be judged.
        links = links.drop_below(threshold + find_nulls(links, threshold, costs))
        rule_output = complete_output(rules(doc, links), links, rules)
    return decide(links, rule_output, constraints, threshold, costs)


def decode_doc(
    doc: Doc, links: Links, rules: Any, threshold: float
) -> List[ClusterData]:
    """Turn a model's answer into clusters; see decide_doc.

    RETURNS (List[ClusterData]): The clusters, in the order of first mentions.
    """
    decision = decide_doc(doc, links, rules, threshold)
    if decision is None:
        return []
    clusters = collect_clusters(decision)
    candidates = iter(_list_candidates(links, [c.mentions for c in clusters]))
    return [
        ClusterData(
            cluster.mentions.tolist(),
            cluster.antecedents,
            cluster.scores,
            cluster.probs,
            [next(candidates) for _ in cluster.mentions],
        )
        for cluster in clusters
    ]


def _list_candidates(
    links: Links, clusters: List[np.ndarray]
) -> List[List[List[float]]]:
    """List the antecedents that the model scored for each mention, best first.

    Each is a plain list of its token offsets and log-odds, as files hold it. There
    are none for a user's mention that the model did not find.
    """
    if not clusters:
        return []
    mentions = map(tuple, np.concatenate(clusters).tolist())
    rows = np.array([links.rows.get(mention, -1) for mention in mentions])
    found: List[List[List[float]]] = [[] for _ in rows]
    known = np.flatnonzero(rows >= 0)
    antecedents = links.antecedents[rows[known]]
    scores = links.scores[rows[known]]
    at, column = np.nonzero(antecedents >= 0)
    spans = links.mentions[antecedents[at, column]].tolist()
    values = scores[at, column].tolist()
    for i, (start, end), score in zip(known[at].tolist(), spans, values, strict=True):
        found[i].append([start, end, score])
    return found
