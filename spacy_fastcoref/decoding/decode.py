"""Links -> clusters, with what rules and users say."""

from dataclasses import dataclass
from typing import List, Optional, Tuple

import numpy as np

from ..graph import find_components, find_roots, split_components
from ..types import DOUBTFUL, FORBIDDEN, Links, RuleOutput
from .beam import BeamSearch
from .constraints import Constraints
from .costs import Costs
from .duplicates import merge_duplicates
from .must_links import tie_mentions
from .rule_output import complete_output


@dataclass
class DecodedCluster:
    """Hold one cluster and why it holds together.

    mentions (numpy.ndarray): Shape (n_mentions, 2), token offsets in text order.
    antecedents (List[int]): The index in the cluster of the mention that each one
        was linked to, -1 for the first.
    scores (List[float]): The log-odds of that link, as the model has them; 0 for the
        first mention, and for a link that is not among the model's.
    probs (List[float]): Its probability, 1 for a link that users or rules know to hold;
        for the first mention that of no link.
    """

    mentions: np.ndarray
    antecedents: List[int]
    scores: List[float]
    probs: List[float]


@dataclass(frozen=True)
class Decision:
    """Hold what the decoder decided, and what it decided by.

    links (Links): The model's answer, with the links of duplicates merged.
    rules (RuleOutput): What rules say, with nothing missing.
    constraints (Constraints): What the user says.
    parents (numpy.ndarray): Shape (n_mentions,), the antecedent of each mention, or the
        mention itself if it has none.
    gains (numpy.ndarray): Shape (n_mentions,), float64, what that antecedent gains, in
        log-odds above the threshold.
    is_tied (numpy.ndarray): Shape (n_mentions,), bool: mentions that rules or users put
        together with another one.
    scores, probs (numpy.ndarray): Shape (n_mentions,), float64, the log-odds of the
        link and its probability.
    """

    links: Links
    rules: RuleOutput
    constraints: Constraints
    parents: np.ndarray
    gains: np.ndarray
    is_tied: np.ndarray
    scores: np.ndarray
    probs: np.ndarray


def decode(
    links: Links,
    rule_output: Optional[RuleOutput] = None,
    constraints: Optional[Constraints] = None,
    *,
    threshold: float = 0.0,
    costs: Optional[Costs] = None,
) -> List[DecodedCluster]:
    """Find the clusters that gain most.

    Without rules and constraints every mention takes its best antecedent, as in
    fastcoref. So it does with them where the clusters do not contradict themselves;
    where they do, a beam searches for the best that do not.

    links (Links): The model's answer.
    rule_output (Optional[RuleOutput]): What rules say; None for nothing.
    constraints (Optional[Constraints]): What the user says; None for nothing.
    threshold (float): The log-odds that a link needs at least.
    costs (Optional[Costs]): What rules cost; None for the default.
    RETURNS (List[DecodedCluster]): Clusters of two and more mentions, in the order
        of their first mention.
    """
    if not len(links):
        return []
    decision = decide(links, rule_output, constraints, threshold, costs or Costs())
    return collect_clusters(decision)


def decide(
    links: Links,
    rule_output: Optional[RuleOutput],
    constraints: Optional[Constraints],
    threshold: float,
    costs: Costs,
) -> Decision:
    """Choose the antecedent of each mention; see decode.

    links (Links): The model's answer, of one mention at least.
    rule_output (Optional[RuleOutput]): What rules say; None for nothing.
    constraints (Optional[Constraints]): What the user says; None for nothing.
    threshold (float): The log-odds that a link needs at least.
    costs (Costs): What rules cost.
    RETURNS (Decision): The antecedents.
    """
    rule_output = complete_output(rule_output, links)
    if constraints is None:
        constraints = Constraints.none(links)
    merged = merge_duplicates(links, rule_output.duplicate_of)
    links, judged, forced = tie_mentions(merged, rule_output, constraints)
    gains, nulls = _find_gains(links, judged, threshold, costs)
    parents = _choose_best(links, gains, nulls, forced.forced)
    conflicts = _find_conflicts(parents, judged, forced)
    if len(conflicts):
        beam = BeamSearch(judged, forced.apart)
        graph = links.antecedents, forced.forced
        for rows in _find_regions(conflicts, gains, nulls, *graph):
            parents[rows] = beam.search(rows, gains, nulls, *graph)
    is_forced = forced.forced >= 0
    scores = np.where(is_forced, forced.scores, links.find_scores(parents))
    # What is forced is certain, whatever the model makes of it.
    probs = np.where(is_forced, 1.0, np.exp(scores - links.log_norms))
    is_chosen = links.antecedents == parents[:, None]
    chosen = np.where(is_chosen, gains, -np.inf).max(axis=1, initial=-np.inf)
    is_tied = is_forced.copy()
    is_tied[forced.forced[is_forced]] = True
    return Decision(
        merged, rule_output, constraints, parents, chosen, is_tied, scores, probs
    )


def _find_gains(
    links: Links, rule_output: RuleOutput, threshold: float, costs: Costs
) -> Tuple[np.ndarray, np.ndarray]:
    """Tell what each link gains, -inf where there can be none, and what none does."""
    gains = np.where(links.antecedents >= 0, links.scores - threshold, -np.inf)
    gains = gains - costs.doubtful * (rule_output.verdicts == DOUBTFUL)
    nulls = np.where(rule_output.is_anaphor, find_nulls(links, threshold, costs), 0.0)
    return np.where(rule_output.verdicts == FORBIDDEN, -np.inf, gains), nulls


def find_nulls(links: Links, threshold: float, costs: Costs) -> np.ndarray:
    """Tell what an anaphor gains by having no antecedent.

    If rules take from it what the model would have it continue, the model still says
    that it continues something.

    links (Links): The model's answer.
    threshold (float): The log-odds that a link needs at least.
    costs (Costs): What rules cost.
    RETURNS (numpy.ndarray): Shape (n_mentions,): 0, or less where the model has it
        continue something rather than nothing.
    """
    if not costs.alone:
        return np.zeros(len(links))
    gains = np.where(links.antecedents >= 0, links.scores - threshold, -np.inf)
    log_odds = np.logaddexp.reduce(gains, axis=1, initial=-np.inf)
    return -costs.alone * np.maximum(log_odds, 0.0)


def _choose_best(
    links: Links, gains: np.ndarray, nulls: np.ndarray, forced: np.ndarray
) -> np.ndarray:
    rows = np.arange(len(links))
    parents = rows
    if gains.shape[1]:
        column = gains.argmax(axis=1)
        # A tie with the null antecedent goes to the mention, as in fastcoref.
        linked = gains[rows, column] >= nulls
        parents = np.where(linked, links.antecedents[rows, column], rows)
    return np.where(forced >= 0, forced, parents)


def _find_conflicts(
    parents: np.ndarray, rule_output: RuleOutput, constraints: Constraints
) -> np.ndarray:
    """Find the clusters that contradict themselves, by their first mentions."""
    roots = find_roots(parents)
    order, starts = _group(roots)
    agreement = np.bitwise_and.reduceat(rule_output.agreement[order], starts)
    is_wrong = (agreement == 0).any(1)
    apart = constraints.apart[order]
    if apart.any():
        # A bit that two mentions have is counted twice, and not only set.
        bits = (apart[:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
        is_wrong |= (np.add.reduceat(bits, starts) > 1).any(1)
    pairs = roots[rule_output.conflicts]
    joined = pairs[pairs[:, 0] == pairs[:, 1], 0]
    return np.union1d(order[starts][is_wrong], joined)


def _find_regions(
    conflicts: np.ndarray,
    gains: np.ndarray,
    nulls: np.ndarray,
    antecedents: np.ndarray,
    forced: np.ndarray,
) -> List[np.ndarray]:
    """Find the mentions that conflicts can reach, one region for those that meet.

    Whatever the beam decides, no cluster leaves its region; so all the others can keep
    their best antecedents, and each region has the whole beam for itself.
    """
    later, column = np.nonzero(gains >= nulls[:, None])
    (tied,) = np.nonzero(forced >= 0)
    ends = (
        np.concatenate([later, tied]),
        np.concatenate([antecedents[later, column], forced[tied]]),
    )
    labels = find_components(len(nulls), ends)
    regions = split_components(labels)
    return [regions[label] for label in np.unique(labels[conflicts])]


def collect_clusters(decision: Decision) -> List[DecodedCluster]:
    """Collect the clusters of a decision.

    decision (Decision): The antecedents of a document's mentions.
    RETURNS (List[DecodedCluster]): Clusters of two and more mentions, in the order
        of their first mention.
    """
    mentions, parents = decision.links.mentions, decision.parents
    scores, probs = decision.scores, decision.probs
    order, starts = _group(find_roots(parents))
    # Where each mention stands in its own cluster.
    ends = np.append(starts[1:], len(order))
    sizes = ends - starts
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order)) - np.repeat(starts, sizes)
    within = np.where(parents == np.arange(len(parents)), -1, position[parents])
    starts, ends = starts[sizes > 1], ends[sizes > 1]
    return [
        DecodedCluster(
            mentions[members],
            within[members].tolist(),
            scores[members].tolist(),
            probs[members].tolist(),
        )
        for members in (order[a:z] for a, z in zip(starts, ends, strict=True))
    ]


def _group(roots: np.ndarray):
    """Sort mentions by cluster; a root is its cluster's first mention, so clusters
    come out in the order of their first mention."""
    order = np.argsort(roots, kind="stable")
    starts = np.flatnonzero(np.diff(roots[order], prepend=-1))
    return order, starts
