"""Gold labels, and the losses of mention ranking of Clark and Manning (EMNLP 2016).

A loss takes the scores of mentions, shape (n_mentions, 1 + n_candidates), with those of
no link in the first column and -inf for padding, and which of them are right. It
returns its sum over the mentions, and its gradients by the scores.
"""

from collections import defaultdict
from functools import partial
from typing import Any, Callable, Mapping, Sequence, Tuple

import numpy as np
from thinc.types import Floats1d, Floats2d

from ...grammar.heads import find_mention_heads
from ...registry import registry
from .candidates import Candidates
from .storage import Tensors

Losses = Tuple[float, Floats2d]
Loss = Callable[[Floats2d, np.ndarray], Losses]
# The parts of a state of training: the best weights, and numbers of Phases.
_BEST = "best/"
_NUMBERS = ("phase", "n_worse", "best", "goes_back", "is_updated")


def compute_loss(
    loss: Loss, found: Candidates, links: Floats1d, alone: Floats1d, gold: Any
) -> Tuple[float, Floats1d, Floats1d, int]:
    """Compute the loss of a document, its gradients by the scores of links and of no
    link, and the number of mentions with a known label."""
    clusters, is_known = label_mentions(found, gold)
    later, earlier = found.later, found.earlier
    columns = 1 + np.arange(len(later)) - np.searchsorted(later, later)
    shape = len(alone), 1 + columns.max(initial=0)
    scores = np.full(shape, -np.inf, dtype=np.float32)
    scores[:, 0], scores[later, columns] = alone, links
    is_true = np.zeros(shape, dtype=bool)
    is_same = clusters[later] == clusters[earlier]
    is_true[later, columns] = is_same & (clusters[later] >= 0)
    is_true[:, 0] = ~is_true.any(axis=1)
    gradients = np.zeros_like(scores)
    total, gradients[is_known] = loss(scores[is_known], is_true[is_known])
    return total, gradients[later, columns], gradients[:, 0], int(is_known.sum())


def label_mentions(candidates: Candidates, gold: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Find the gold cluster of each mention, -1 for none, and whether that is known.

    The mentions of grammar and of the gold annotation can differ in their modifiers, so
    a mention that is not annotated has the label of an annotated one with the same head
    that no other mention matches.
    """
    facts, labels = candidates.facts, {}
    for number, cluster in enumerate(gold.clusters):
        labels.update(dict.fromkeys(cluster, number))
    for span in gold.annotated or ():
        labels.setdefault(span, -1)
    rows = {tuple(span): i for i, span in enumerate(candidates.mentions.tolist())}
    found = {rows[span]: label for span, label in labels.items() if span in rows}
    # Coordinations are left out, since their head is that of their first member.
    by_head = defaultdict(list)
    for row in np.flatnonzero(~facts.is_joined).tolist():
        if row not in found:
            by_head[int(facts.heads[row])].append(row)
    others = [span for span in labels if span not in rows]
    offsets = np.array(others, dtype=np.int64).reshape(-1, 2)
    heads, is_joined = find_mention_heads(offsets, facts.tokens)
    for i in np.flatnonzero(~is_joined).tolist():
        matches = by_head.pop(int(heads[i]), ())
        found.update(dict.fromkeys(matches, labels[others[i]]))
    clusters = np.full(len(rows), -1)
    is_known = np.full(len(rows), gold.annotated is None)
    clusters[[*found]], is_known[[*found]] = [*found.values()], True
    is_known[[rows[span] for span in gold.unsure if span in rows]] = False
    return clusters, is_known


@registry.coref_losses("spacy_fastcoref.all_pairs.v1")
def make_all_pairs() -> Loss:
    """Make the cross-entropy of each link and of no link, each on its own.

    RETURNS (Callable): The loss.
    """
    return partial(_cross_entropy, is_top=False)


@registry.coref_losses("spacy_fastcoref.top_pairs.v1")
def make_top_pairs() -> Loss:
    """Make the cross-entropy of the best true link and the best false link.

    RETURNS (Callable): The loss.
    """
    return partial(_cross_entropy, is_top=True)


def _cross_entropy(scores: Floats2d, is_true: np.ndarray, is_top: bool) -> Losses:
    is_used = np.isfinite(scores)
    if is_top:
        is_used[:, 1:] = False
        for is_candidate in (is_true, ~is_true):
            links = np.where(is_candidate, scores, -np.inf)
            links[:, 0] = -np.inf
            # Without such a link, this is the first column, which is used in any case.
            is_used[np.arange(len(links)), links.argmax(axis=1)] = True
    signed = np.where(is_true, scores, -scores).astype(np.float64)
    loss = np.logaddexp(0.0, -signed) * is_used
    probs = 1 / (1 + np.exp(-scores.astype(np.float64)))
    return float(loss.sum()), ((probs - is_true) * is_used).astype(np.float32)


@registry.coref_losses("spacy_fastcoref.ranking.v1")
def make_ranking(
    false_new: float = 0.8, false_link: float = 0.4, wrong_link: float = 1.0
) -> Loss:
    """Make the max-margin loss with slack-rescaled costs of the worst mistake.

    The margin is measured against the best true link, or against no link if there is no
    true one.

    false_new (float): The cost of no link for a mention that has a true one.
    false_link (float): The cost of a link of a mention that has no true one.
    wrong_link (float): The cost of a false link of a mention that has a true one.
    RETURNS (Callable): The loss.
    """
    return partial(_rank, costs=(false_new, false_link, wrong_link))


def _rank(
    scores: Floats2d, is_true: np.ndarray, costs: Tuple[float, float, float]
) -> Losses:
    false_new, false_link, wrong_link = costs
    rows, has_true = np.arange(len(scores)), ~is_true[:, 0]
    best = np.where(is_true, scores, -np.inf).argmax(axis=1)
    cost = np.where(has_true, wrong_link, false_link)[:, None]
    cost = np.where(is_true, 0.0, cost)
    cost[:, 0] = np.where(has_true, false_new, 0.0)
    slack = cost * np.maximum(1 + scores - scores[rows, best][:, None], 0)
    worst = slack.argmax(axis=1)
    weights = cost[rows, worst] * (slack[rows, worst] > 0)
    gradients = np.zeros_like(scores)
    gradients[rows, worst] = weights
    gradients[rows, best] -= weights
    return float(slack[rows, worst].sum()), gradients


class Phases:
    """Apply one loss, and go on to the next when the score stops rising."""

    def __init__(self, losses: Sequence[Loss], patience: int) -> None:
        self.losses = list(losses)
        self.patience = patience
        # The index of the loss, the best score, and the number of evaluations since it.
        self.phase = self.n_worse = 0
        self.best = -np.inf
        self.weights: Tensors = {}
        # Whether the next update starts from the best weights, and whether there was an
        # update since the last score.
        self.goes_back = self.is_updated = False

    def __call__(self, scores: Floats2d, is_true: np.ndarray) -> Losses:
        return self.losses[self.phase](scores, is_true)

    def observe_score(self, score: float, get_weights: Callable[[], Tensors]) -> None:
        # Only the first score after an update counts. Others are not of training: they
        # are those of a pipeline that is in use, or of a test corpus.
        if not self.is_updated:
            return
        self.is_updated = False
        self.n_worse += 1
        if score > self.best:
            self.best, self.n_worse, self.weights = score, 0, get_weights()
        elif self.n_worse >= self.patience and self.phase + 1 < len(self.losses):
            self.phase, self.n_worse, self.goes_back = self.phase + 1, 0, True

    def start_update(self, set_weights: Callable[[Tensors], None]) -> None:
        """Return to the best weights, if a new phase of training begins."""
        # An evaluation may use the averages of weights, so it does not.
        if self.goes_back:
            set_weights(self.weights)
        self.goes_back, self.is_updated = False, True

    def get_state(self) -> Tensors:
        """Get what training needs to resume, as arrays by name."""
        best = {_BEST + name: one for name, one in self.weights.items()}
        return {**{name: np.array(vars(self)[name]) for name in _NUMBERS}, **best}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resume training from what get_state returned, as arrays or tensors."""
        vars(self).update({name: state[name].item() for name in _NUMBERS})
        names = [name for name in state if name.startswith(_BEST)]
        self.weights = {n.removeprefix(_BEST): np.asarray(state[n]) for n in names}


@registry.coref_losses("spacy_fastcoref.three_phases.v1")
def make_three_phases(
    patience: int = 3,
    false_new: float = 0.8,
    false_link: float = 0.4,
    wrong_link: float = 1.0,
) -> Loss:
    """Make the loss of all pairs, then that of top pairs, and then ranking.

    patience (int): The number of evaluations without a better score, after which the
        next loss is used, starting from the best weights.
    false_new, false_link, wrong_link (float): The costs of ranking, see make_ranking.
    RETURNS (Phases): The losses.
    """
    ranking = make_ranking(false_new, false_link, wrong_link)
    return Phases([make_all_pairs(), make_top_pairs(), ranking], patience)
