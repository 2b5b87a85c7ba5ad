"""Decode links to clusters, with rules and a user's constraints."""

from dataclasses import dataclass
from typing import Any, List

import numpy as np

from ..errors import Errors
from ..graph import find_roots, number_components, split_components
from ..types import (
    ALLOWED,
    ANYTHING,
    DOUBTFUL,
    FORBIDDEN,
    Cluster,
    Costs,
    Links,
    RuleOutput,
)
from .beam import BeamSearch
from .constraints import Constraints, apply_must_links


@dataclass(frozen=True)
class Decision:
    """Hold the antecedents that the decoder has chosen, and its input.

    rules (RuleOutput): The output of the rules, without missing fields.
    constraints (Constraints): The user's constraints.
    parents (numpy.ndarray): Shape (n_mentions,), as all that follow: the antecedent of
        each mention, or the mention itself if it has none.
    gains (numpy.ndarray): float64, the gain of the link to this antecedent: its
        log-odds above the threshold, minus the costs of rules.
    is_tied (numpy.ndarray): bool, whether a must-link of rules or of the user joins the
        mention with another one.
    scores, probs (numpy.ndarray): float64, the log-odds and probability of the link.
    """

    rules: RuleOutput
    constraints: Constraints
    parents: np.ndarray
    gains: np.ndarray
    is_tied: np.ndarray
    scores: np.ndarray
    probs: np.ndarray


def decide(
    links: Links,
    rule_output: Any,
    constraints: Constraints,
    threshold: float,
    costs: Costs,
    rules: Any = None,
) -> Decision:
    """Choose the antecedents with the highest gain.

    Every mention is linked to its best antecedent, as in fastcoref. If that makes a
    cluster whose mentions do not agree or are kept apart, a beam search finds the best
    antecedents without such contradictions. See complete_output for `rule_output`.
    """
    rule_output = complete_output(rule_output, links, rules)
    judged, forced = apply_must_links(rule_output, constraints)
    links = judged.links
    is_doubtful, is_forbidden = (judged.verdicts == x for x in (DOUBTFUL, FORBIDDEN))
    gains = links.scores - threshold - costs.doubtful * is_doubtful
    gains = np.where(is_forbidden, -np.inf, gains)
    # The gain of having no antecedent.
    nulls = compute_null_gains(links, threshold, costs)
    nulls = np.where(judged.is_anaphor, nulls, 0.0)
    is_forced, rows = forced.forced >= 0, np.arange(len(links))
    # A link with the same gain as no antecedent is made, as in fastcoref: it is first.
    best = np.column_stack([gains, nulls]).argmax(axis=1)
    parents = np.column_stack([links.antecedents, rows])[rows, best]
    parents = np.where(is_forced, forced.forced, parents)
    conflicts = _find_conflicts(parents, judged, forced)
    if len(conflicts):
        beam = BeamSearch(judged, forced.apart)
        graph = links.antecedents, forced.forced
        for region in _find_regions(conflicts, gains, nulls, *graph):
            parents[region] = beam.search(region, gains, nulls, *graph)
    scores = np.where(is_forced, forced.scores, links.find_scores(parents))
    # Must-links are certain, whatever their probability in the model.
    probs = np.where(is_forced, 1.0, links.compute_probs(scores))
    is_chosen = links.antecedents == parents[:, None]
    chosen = np.where(is_chosen, gains, -np.inf).max(axis=1, initial=-np.inf)
    is_tied = is_forced.copy()
    is_tied[forced.forced[is_forced]] = True
    return Decision(rule_output, constraints, parents, chosen, is_tied, scores, probs)


def compute_null_gains(links: Links, threshold: float, costs: Costs) -> np.ndarray:
    """Compute the gain of having no antecedent, for mentions that are anaphors: it is
    negative if an antecedent is more likely, also if rules forbid the best one."""
    if not costs.alone:
        return np.zeros(len(links))
    gains = links.scores - threshold
    log_odds = np.logaddexp.reduce(gains, axis=1, initial=-np.inf)
    return -costs.alone * np.maximum(log_odds, 0.0)


def _find_conflicts(
    parents: np.ndarray, rule_output: RuleOutput, constraints: Constraints
) -> np.ndarray:
    """Find the first mentions of the clusters that contradict themselves."""
    roots = find_roots(parents)
    order, starts = _group(roots)
    agreement = np.bitwise_and.reduceat(rule_output.agreement[order], starts)
    is_wrong = (agreement == 0).any(1)
    apart = constraints.apart[order]
    if apart.any():
        # Bits are counted, since a bit contradicts only if two mentions have it.
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
    """Find the regions that have to be searched for consistent clusters.

    A region is a connected component of the graph of possible links that contains a
    conflict: no cluster can cross its boundary.
    """
    later, column = np.nonzero(gains >= nulls[:, None])
    (tied,) = np.nonzero(forced >= 0)
    ends = (
        np.concatenate([later, tied]),
        np.concatenate([antecedents[later, column], forced[tied]]),
    )
    labels = number_components(len(nulls), ends)
    regions = split_components(labels)
    return [regions[label] for label in np.unique(labels[conflicts])]


def collect_clusters(decision: Decision, *, singletons: bool = False) -> List[Cluster]:
    """Collect the clusters of a decision.

    singletons (bool): Whether mentions without a link become clusters of one mention,
        if the model predicts entity types. Duplicates of another mention do not.
    """
    links, parents = decision.rules.links, decision.parents
    scores, probs = decision.scores, decision.probs
    order, starts = _group(find_roots(parents))
    # The index of each mention in its cluster.
    ends = np.append(starts[1:], len(order))
    sizes = ends - starts
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order)) - np.repeat(starts, sizes)
    within = np.where(parents == np.arange(len(parents)), -1, position[parents])
    is_kept = sizes > 1
    types = links.types
    if singletons and types is not None:
        is_single = (types != "") & (decision.rules.duplicate_of < 0)
        is_kept |= is_single[order[starts]]
    starts, ends = starts[is_kept], ends[is_kept]
    return [
        Cluster(
            [(start, end) for start, end in links.mentions[members].tolist()],
            within[members].tolist(),
            scores[members].tolist(),
            probs[members].tolist(),
            types=[] if types is None else types[members].tolist(),
        )
        for members in (order[a:z] for a, z in zip(starts, ends, strict=True))
    ]


def _group(roots: np.ndarray):
    """Sort mentions by cluster, and clusters by their root, the first mention."""
    order = np.argsort(roots, kind="stable")
    ordered = roots[order]
    return order, np.flatnonzero(ordered != np.append(-1, ordered[:-1]))


def complete_output(answer: Any, links: Links, rules: Any = None) -> RuleOutput:
    """Validate the output of rules, and fill in the fields that are None.

    answer (Any): A RuleOutput, an array of verdicts, or None to allow all links.
    rules (Any): The rules, for error messages.
    RAISES (ValueError): A field has a wrong shape, or a value that is not valid.
    """
    if not isinstance(answer, RuleOutput):
        answer = RuleOutput(answer)
    name = getattr(rules, "__qualname__", type(rules).__qualname__)
    n, links = len(links), links if answer.links is None else answer.links
    of_each = np.full(n, -1), (n,), -1, n - 1
    verdicts, bits = np.full(links.scores.shape, ALLOWED), np.full((n, 1), ANYTHING)
    # The default, the shape with -1 for any length, the least and the largest value.
    fields = {
        "verdicts": (verdicts, verdicts.shape, FORBIDDEN, ALLOWED),
        "agreement": (bits, (n, -1), -(2**63), 2**64 - 1),
        "is_anaphor": (np.zeros(n, dtype=bool), (n,), 0, 1),
        "conflicts": (np.zeros((0, 2), dtype=int), (-1, 2), 0, n - 1),
        "must_links": of_each,
        "duplicate_of": of_each,
    }
    found = {}
    for key, (default, shape, least, most) in fields.items():
        given = getattr(answer, key)
        if given is None:
            found[key] = default
            continue
        try:
            values = np.asarray(given)
        except ValueError:
            # numpy makes no array of rows of different lengths.
            values = np.asarray(None)
        if key == "agreement" and values.ndim == 1:
            values = values[:, None]
        sizes = zip(values.shape, shape, strict=False)
        is_right = values.ndim == len(shape) and all(
            m in (size, -1) for size, m in sizes
        )
        wrong: Any = [f"an array of the shape {values.shape}"]
        if is_right and values.dtype.kind in "biuf":
            # Refuse fractions. NaN and infinity fail the comparison with the bounds.
            is_wrong = ~((values >= least) & (values <= most))
            wrong = values[is_wrong | (values != np.trunc(values))].tolist()
        if wrong:
            message = Errors.FC045.format(
                rules=name,
                name=key,
                value=wrong[0],
                shape=shape,
                least=least,
                most=most,
            )
            raise ValueError(message)
        found[key] = values.astype(default.dtype)
    if answer.links is None:
        links = links.merge_duplicates(found["duplicate_of"])
    return RuleOutput(**found, links=links)
