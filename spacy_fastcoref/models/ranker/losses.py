"""Gold labels, and losses of mention ranking.

All losses are those of the mention-ranking model of Clark and Manning (EMNLP 2016),
which NeuralCoref adapts. Each takes a Ranking, and returns the loss and its gradients
by the scores of links and of no link; all are sums over mentions.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
from thinc.types import Floats1d

from ...grammar.heads import find_mention_heads
from ...registry import registry
from ...types import Offsets
from .candidates import Candidates


def label_mentions(candidates: Candidates, gold: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Find the gold cluster of each mention.

    The mentions of grammar and of the gold annotation can differ in their modifiers, so
    a mention that is not annotated has the label of an annotated one with the same head
    that no other mention matches.

    candidates (Candidates): The mentions.
    gold (AlignedGold): The gold annotation.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_mentions,): the
        number of the cluster, -1 for none; and whether the label is known.
    """
    mentions = [tuple(span) for span in candidates.mentions.tolist()]
    rows = {span: row for row, span in enumerate(mentions)}
    clusters = np.full(len(mentions), -1)
    is_known = np.full(len(mentions), gold.annotated is None)
    annotated = {
        span: number for number, cluster in enumerate(gold.clusters) for span in cluster
    }
    if gold.annotated is not None:
        for span in gold.annotated:
            annotated.setdefault(span, -1)
    unmatched = []
    for span, number in annotated.items():
        row = rows.get(span)
        if row is None:
            unmatched.append((span, number))
            continue
        clusters[row], is_known[row] = number, True
    for row, number in _match_heads(candidates, annotated, unmatched):
        clusters[row], is_known[row] = number, True
    for span in gold.unsure:
        if span in rows:
            is_known[rows[span]] = False
    return clusters, is_known


def _match_heads(
    candidates: Candidates,
    annotated: Dict[Offsets, int],
    unmatched: Sequence[Tuple[Offsets, int]],
) -> List[Tuple[int, int]]:
    """Match annotated spans with mentions that have the same head.

    Coordinations are left out, since their head is that of their first member.
    """
    if not unmatched:
        return []
    facts = candidates.facts
    spans = candidates.mentions.tolist()
    by_head: Dict[int, List[int]] = {}
    for row, head in enumerate(facts.heads.tolist()):
        if tuple(spans[row]) not in annotated and not facts.is_joined[row]:
            by_head.setdefault(head, []).append(row)
    offsets = np.array([span for span, _ in unmatched], dtype=np.int64)
    heads, is_joined = find_mention_heads(offsets, facts.annotation)
    return [
        (row, number)
        for (_, number), head, joined in zip(
            unmatched, heads.tolist(), is_joined.tolist(), strict=True
        )
        if not joined
        for row in by_head.pop(head, ())
    ]


@dataclass
class Ranking:
    """Hold the scores of a document with the gold labels.

    later (numpy.ndarray): Shape (n_pairs,), int64, the mention of each pair, sorted.
    links (Floats1d): Shape (n_pairs,), the scores of the pairs.
    alone (Floats1d): Shape (n_mentions,), the scores of no link.
    is_true (numpy.ndarray): Shape (n_pairs,), bool, pairs that corefer.
    is_known (numpy.ndarray): Shape (n_mentions,), bool, mentions with a gold label.
    """

    later: np.ndarray
    links: Floats1d
    alone: Floats1d
    is_true: np.ndarray
    is_known: np.ndarray

    @property
    def has_true(self) -> np.ndarray:
        """Shape (n_mentions,), bool: mentions with a true antecedent."""
        found = np.zeros(len(self.alone), dtype=bool)
        found[self.later[self.is_true]] = True
        return found

    def find_best(self, is_candidate: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        """Find the pair with the highest score of each mention.

        is_candidate (numpy.ndarray): Shape (n_pairs,), bool, the pairs to choose from.
        RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): The mentions that have such a
            pair, and the index of the pair of each.
        """
        (pairs,) = np.nonzero(is_candidate)
        order = np.lexsort((-self.links[pairs], self.later[pairs]))
        mentions, places = np.unique(self.later[pairs][order], return_index=True)
        return mentions, pairs[order][places]

    def sum_by_mention(self, values: np.ndarray) -> np.ndarray:
        """Sum values of pairs.

        values (numpy.ndarray): Shape (n_pairs,).
        RETURNS (numpy.ndarray): Shape (n_mentions,).
        """
        return np.bincount(self.later, values, minlength=len(self.alone))

    def max_by_mention(self, values: np.ndarray) -> np.ndarray:
        """Find the highest value of the pairs of each mention.

        values (numpy.ndarray): Shape (n_pairs,).
        RETURNS (numpy.ndarray): Shape (n_mentions,), -inf without pairs.
        """
        found = np.full(len(self.alone), -np.inf)
        np.maximum.at(found, self.later, values)
        return found


Losses = Tuple[float, Floats1d, Floats1d]
Loss = Callable[[Ranking], Losses]


@registry.coref_losses("spacy_fastcoref.all_pairs.v1")
def make_all_pairs() -> Loss:
    """Make the cross-entropy of each link and of no link, each on its own.

    RETURNS (Callable): The loss.
    """
    return _all_pairs


def _all_pairs(ranking: Ranking) -> Losses:
    return _cross_entropy(ranking, np.ones(len(ranking.links), dtype=bool))


@registry.coref_losses("spacy_fastcoref.top_pairs.v1")
def make_top_pairs() -> Loss:
    """Make the cross-entropy of the best true link and the best false link.

    RETURNS (Callable): The loss.
    """
    return _top_pairs


def _top_pairs(ranking: Ranking) -> Losses:
    is_top = np.zeros(len(ranking.links), dtype=bool)
    for is_candidate in (ranking.is_true, ~ranking.is_true):
        is_top[ranking.find_best(is_candidate)[1]] = True
    return _cross_entropy(ranking, is_top)


def _cross_entropy(ranking: Ranking, is_used: np.ndarray) -> Losses:
    """Compute the cross-entropy of some pairs, and of no link for all mentions."""
    is_used = is_used & ranking.is_known[ranking.later]
    links, d_links = _add_entropy(ranking.links, ranking.is_true, is_used)
    alone, d_alone = _add_entropy(ranking.alone, ~ranking.has_true, ranking.is_known)
    return links + alone, d_links, d_alone


def _add_entropy(
    scores: Floats1d, labels: np.ndarray, is_used: np.ndarray
) -> Tuple[float, Floats1d]:
    signed = np.where(labels, scores, -scores).astype(np.float64)
    loss = np.logaddexp(0.0, -signed) * is_used
    gradient = (1 / (1 + np.exp(-scores.astype(np.float64))) - labels) * is_used
    return float(loss.sum()), gradient.astype(np.float32)


@registry.coref_losses("spacy_fastcoref.marginal.v1")
def make_marginal() -> Loss:
    """Make the negative log likelihood of all true links together.

    RETURNS (Callable): The loss.
    """
    return _marginal


def _marginal(ranking: Ranking) -> Losses:
    later, has_true, is_known = ranking.later, ranking.has_true, ranking.is_known
    highest = np.maximum(ranking.max_by_mention(ranking.links), ranking.alone)
    links = np.exp(ranking.links.astype(np.float64) - highest[later])
    alone = np.exp(ranking.alone.astype(np.float64) - highest)
    norms = alone + ranking.sum_by_mention(links)
    true = np.where(has_true, ranking.sum_by_mention(links * ranking.is_true), alone)
    true = np.maximum(true, np.finfo(np.float64).tiny)
    loss = float((np.log(norms / true) * is_known).sum())
    d_links = links / norms[later] - links * ranking.is_true / true[later]
    d_alone = alone / norms - np.where(has_true, 0.0, 1.0)
    d_links, d_alone = d_links * is_known[later], d_alone * is_known
    return loss, d_links.astype(np.float32), d_alone.astype(np.float32)


@registry.coref_losses("spacy_fastcoref.ranking.v1")
def make_ranking(
    false_new: float = 0.8,
    false_link: float = 0.4,
    wrong_link: float = 1.0,
    averages: bool = False,
) -> Loss:
    """Make the max-margin loss with slack-rescaled costs.

    The margin is measured against the best true link, or against no link if there is no
    true one.

    false_new (float): The cost of no link for a mention that has a true one.
    false_link (float): The cost of a link of a mention that has no true one.
    wrong_link (float): The cost of a false link of a mention that has a true one.
    averages (bool): Whether to average over all mistakes of a mention, rather than to
        count the worst one alone.
    RETURNS (Callable): The loss.
    """
    weigh = _weigh_all if averages else _weigh_worst
    return partial(_rank, costs=(false_new, false_link, wrong_link), weigh=weigh)


def _rank(
    ranking: Ranking, costs: Tuple[float, float, float], weigh: Callable
) -> Losses:
    later, links, alone = ranking.later, ranking.links, ranking.alone
    has_true, is_known = ranking.has_true, ranking.is_known
    false_new, false_link, wrong_link = costs
    # The best true choice of each mention.
    mentions, best = ranking.find_best(ranking.is_true)
    target = alone.copy()
    target[mentions] = links[best]
    cost = np.where(has_true, wrong_link, false_link)[later]
    cost = np.where(ranking.is_true, 0.0, cost) * is_known[later]
    cost_alone = np.where(has_true, false_new, 0.0) * is_known
    slack = cost * np.maximum(1 + links - target[later], 0)
    slack_alone = cost_alone * np.maximum(1 + alone - target, 0)
    weights, weights_alone = weigh(ranking, slack, slack_alone)
    loss = float((slack * weights).sum() + (slack_alone * weights_alone).sum())
    d_links = cost * (slack > 0) * weights
    d_alone = cost_alone * (slack_alone > 0) * weights_alone
    totals = ranking.sum_by_mention(d_links) + d_alone
    d_links[best] -= totals[mentions]
    d_alone -= np.where(has_true, 0.0, totals)
    return loss, d_links.astype(np.float32), d_alone.astype(np.float32)


def _weigh_all(
    ranking: Ranking, slack: np.ndarray, slack_alone: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """Weigh each mistake by the number of mistakes of its mention."""
    counts = ranking.sum_by_mention(slack > 0)
    weights = 1 / np.maximum(counts + (slack_alone > 0), 1)
    return weights[ranking.later], weights


def _weigh_worst(
    ranking: Ranking, slack: np.ndarray, slack_alone: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """Count the worst mistake of each mention alone."""
    later = ranking.later
    worst = np.maximum(ranking.max_by_mention(slack), slack_alone)
    is_worst_alone = (slack_alone == worst) & (worst > 0)
    is_worst = (slack == worst[later]) & (slack > 0) & ~is_worst_alone[later]
    # One of those with the same slack.
    firsts = np.unique(later[is_worst], return_index=True)[1]
    weights = np.zeros(len(slack))
    weights[np.flatnonzero(is_worst)[firsts]] = 1.0
    return weights, is_worst_alone.astype(float)


class Phases:
    """Apply one loss, and go on to the next one when the score stops rising.

    losses (Sequence[Callable]): The losses, in order.
    patience (int): The number of evaluations without a better score, after which the
        next loss is used.
    """

    def __init__(self, losses: Sequence[Loss], patience: int) -> None:
        self.losses: List[Loss] = list(losses)
        self.patience = patience
        # The index of the loss, the best score, and the number of evaluations since it.
        self.phase = 0
        self.best: Optional[float] = None
        self.n_worse = 0

    def __call__(self, ranking: Ranking) -> Losses:
        """Compute the loss of the current phase.

        ranking (Ranking): The scores and labels of a document.
        RETURNS (Tuple[float, Floats1d, Floats1d]): The loss and its gradients.
        """
        return self.losses[self.phase](ranking)

    def observe_score(self, score: float) -> Tuple[bool, bool]:
        """Observe the score of an evaluation.

        score (float): The score.
        RETURNS (Tuple[bool, bool]): Whether the weights are the best ones so far, and
            whether the next phase begins, with the best weights.
        """
        if self.best is None or score > self.best:
            self.best, self.n_worse = score, 0
            return True, False
        self.n_worse += 1
        if self.n_worse < self.patience or self.phase + 1 == len(self.losses):
            return False, False
        self.phase, self.n_worse = self.phase + 1, 0
        return False, True

    @property
    def state(self) -> Dict[str, Any]:
        """What a run that goes on depends on, serializable as JSON."""
        return {"phase": self.phase, "best": self.best, "n_worse": self.n_worse}


@registry.coref_losses("spacy_fastcoref.three_phases.v1")
def make_three_phases(
    patience: int = 3,
    false_new: float = 0.8,
    false_link: float = 0.4,
    wrong_link: float = 1.0,
    averages: bool = False,
) -> Loss:
    """Make the loss of all pairs, then that of top pairs, and then ranking.

    patience (int): The number of evaluations without a better score, after which the
        next loss is used, starting from the best weights.
    false_new, false_link, wrong_link (float): The costs of ranking, see make_ranking.
    averages (bool): Whether ranking averages over all mistakes of a mention.
    RETURNS (Phases): The losses.
    """
    ranking = make_ranking(false_new, false_link, wrong_link, averages)
    return Phases([_all_pairs, _top_pairs, ranking], patience)
