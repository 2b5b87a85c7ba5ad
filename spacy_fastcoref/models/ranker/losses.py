"""Losses of mention ranking, as functions of the scores of links and of no link.

All of them are those of the mention-ranking model of Clark and Manning (EMNLP 2016),
which NeuralCoref adapts.
"""

from dataclasses import dataclass
from typing import Callable, Tuple

import numpy as np
from thinc.types import Floats1d

from ...registry import registry


@dataclass
class Ranking:
    """Hold the scores of a batch with the gold labels.

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


# The loss, and its gradients by the scores of links and of no link. They are sums over
# mentions.
Loss = Callable[[Ranking], Tuple[float, Floats1d, Floats1d]]


@registry.coref_losses("spacy_fastcoref.all_pairs.v1")
def make_all_pairs() -> Loss:
    """Make the cross-entropy of each link and of no link, each on its own.

    RETURNS (Callable): The loss.
    """
    return all_pairs


def all_pairs(ranking: Ranking) -> Tuple[float, Floats1d, Floats1d]:
    """Compute the cross-entropy of all pairs; see make_all_pairs.

    ranking (Ranking): The scores and labels of a batch.
    RETURNS (Tuple[float, Floats1d, Floats1d]): The loss and its gradients.
    """
    return _cross_entropy(ranking, np.ones(len(ranking.links), dtype=bool))


@registry.coref_losses("spacy_fastcoref.top_pairs.v1")
def make_top_pairs() -> Loss:
    """Make the cross-entropy of the best true link and the best false link.

    RETURNS (Callable): The loss.
    """
    return top_pairs


def top_pairs(ranking: Ranking) -> Tuple[float, Floats1d, Floats1d]:
    """Compute the cross-entropy of the top pairs; see make_top_pairs.

    ranking (Ranking): The scores and labels of a batch.
    RETURNS (Tuple[float, Floats1d, Floats1d]): The loss and its gradients.
    """
    is_top = np.zeros(len(ranking.links), dtype=bool)
    for is_candidate in (ranking.is_true, ~ranking.is_true):
        is_top[ranking.find_best(is_candidate)[1]] = True
    return _cross_entropy(ranking, is_top)


@dataclass
class RankingLoss:
    """Compute the max-margin loss with slack-rescaled costs.

    The margin is measured against the best true link, or against no link if there is no
    true one.

    false_new (float): The cost of no link for a mention that has a true one.
    false_link (float): The cost of a link of a mention that has no true one.
    wrong_link (float): The cost of a false link of a mention that has a true one.
    averages (bool): Whether to average over all mistakes of a mention, rather than to
        count the worst one alone.
    """

    false_new: float
    false_link: float
    wrong_link: float
    averages: bool

    def __call__(self, ranking: Ranking) -> Tuple[float, Floats1d, Floats1d]:
        """Compute the loss.

        ranking (Ranking): The scores and labels of a batch.
        RETURNS (Tuple[float, Floats1d, Floats1d]): The loss and its gradients.
        """
        later, links, alone = ranking.later, ranking.links, ranking.alone
        has_true, n_mentions = ranking.has_true, len(alone)
        # The best true choice of each mention.
        mentions, best = ranking.find_best(ranking.is_true)
        target = alone.copy()
        target[mentions] = links[best]
        costs = np.where(has_true, self.wrong_link, self.false_link)[later]
        costs = np.where(ranking.is_true, 0.0, costs) * ranking.is_known[later]
        cost_alone = np.where(has_true, self.false_new, 0.0) * ranking.is_known
        slack = costs * np.maximum(1 + links - target[later], 0)
        slack_alone = cost_alone * np.maximum(1 + alone - target, 0)
        weigh = _weigh_all if self.averages else _weigh_worst
        weights, weights_alone = weigh(slack, slack_alone, later)
        d_links = costs * (slack > 0) * weights
        d_alone = cost_alone * (slack_alone > 0) * weights_alone
        totals = np.bincount(later, d_links, minlength=n_mentions) + d_alone
        loss = float((slack * weights).sum() + (slack_alone * weights_alone).sum())
        d_links[best] -= totals[mentions]
        d_alone -= np.where(has_true, 0.0, totals)
        return loss, _cast(d_links), _cast(d_alone)


def _weigh_all(
    slack: np.ndarray, slack_alone: np.ndarray, later: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """Weigh each mistake by the number of mistakes of its mention."""
    counts = np.bincount(later[slack > 0], minlength=len(slack_alone))
    weights = 1 / np.maximum(counts + (slack_alone > 0), 1)
    return weights[later], weights


def _weigh_worst(
    slack: np.ndarray, slack_alone: np.ndarray, later: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    """Count the worst mistake of each mention alone."""
    worst = np.maximum(_max_by(slack, later, len(slack_alone)), slack_alone)
    is_worst_alone = (slack_alone == worst) & (worst > 0)
    is_worst = (slack == worst[later]) & (slack > 0) & ~is_worst_alone[later]
    # One of those with the same slack.
    firsts = np.unique(later[is_worst], return_index=True)[1]
    weights = np.zeros(len(slack))
    weights[np.flatnonzero(is_worst)[firsts]] = 1.0
    return weights, is_worst_alone.astype(float)


@registry.coref_losses("spacy_fastcoref.ranking.v1")
def make_ranking(
    false_new: float = 0.8,
    false_link: float = 0.4,
    wrong_link: float = 1.0,
    averages: bool = False,
) -> Loss:
    """Make the max-margin loss with slack-rescaled costs.

    false_new, false_link, wrong_link (float): The costs, see RankingLoss.
    averages (bool): Whether to average over all mistakes of a mention.
    RETURNS (Callable): The loss.
    """
    return RankingLoss(false_new, false_link, wrong_link, averages)


@registry.coref_losses("spacy_fastcoref.marginal.v1")
def make_marginal() -> Loss:
    """Make the negative log likelihood of all true links together.

    RETURNS (Callable): The loss.
    """
    return marginal


def marginal(ranking: Ranking) -> Tuple[float, Floats1d, Floats1d]:
    """Compute the marginal likelihood; see make_marginal.

    ranking (Ranking): The scores and labels of a batch.
    RETURNS (Tuple[float, Floats1d, Floats1d]): The loss and its gradients.
    """
    later, n_mentions = ranking.later, len(ranking.alone)
    has_true, is_known = ranking.has_true, ranking.is_known
    highest = np.maximum(_max_by(ranking.links, later, n_mentions), ranking.alone)
    links = np.exp(ranking.links.astype(np.float64) - highest[later])
    alone = np.exp(ranking.alone.astype(np.float64) - highest)
    norms = alone + np.bincount(later, links, minlength=n_mentions)
    true = np.bincount(later, links * ranking.is_true, minlength=n_mentions)
    true = np.where(has_true, true, alone)
    true = np.maximum(true, np.finfo(np.float64).tiny)
    loss = float((np.log(norms / true) * is_known).sum())
    d_links = links / norms[later] - links * ranking.is_true / true[later]
    d_alone = alone / norms - np.where(has_true, 0.0, 1.0)
    return loss, _cast(d_links * is_known[later]), _cast(d_alone * is_known)


def _cross_entropy(
    ranking: Ranking, is_used: np.ndarray
) -> Tuple[float, Floats1d, Floats1d]:
    """Compute the cross-entropy of some pairs, and of no link for all mentions."""
    is_used = is_used & ranking.is_known[ranking.later]
    pairs = _add_entropy(ranking.links, ranking.is_true, is_used)
    alone = _add_entropy(ranking.alone, ~ranking.has_true, ranking.is_known)
    return pairs[0] + alone[0], pairs[1], alone[1]


def _add_entropy(
    scores: Floats1d, labels: np.ndarray, is_used: np.ndarray
) -> Tuple[float, Floats1d]:
    signed = np.where(labels, scores, -scores).astype(np.float64)
    loss = np.logaddexp(0.0, -signed) * is_used
    gradient = (1 / (1 + np.exp(-scores.astype(np.float64))) - labels) * is_used
    return float(loss.sum()), _cast(gradient)


def _max_by(values: np.ndarray, rows: np.ndarray, n_rows: int) -> np.ndarray:
    found = np.full(n_rows, -np.inf)
    np.maximum.at(found, rows, values)
    return found


def _cast(gradient: np.ndarray) -> Floats1d:
    return gradient.astype(np.float32)
