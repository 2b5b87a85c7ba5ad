"""The lines of a DistanceScorer, found by which antecedents of mentions are right."""

from typing import Callable, NamedTuple, Tuple

import torch
from torch import Tensor, nn

# What keeps intercepts from using differences that hardly any mention has.
_RIDGE = 100.0
_N_STEPS = 80
# From which score on, below that of no antecedent, a link is worth a thought.
_WEAKEST_LINK = -1.0


class Rows(NamedTuple):
    """Hold anaphors and their best antecedents.

    is_whole (Tensor): Shape (n,), bool: whether all of their document is labelled.
    vectors (Tensor): Shape (n, 2 * width), the anaphors' two ends.
    strengths (Tensor): Shape (n,), the score of the best link, by the lines that the
        model has.
    scores (Tensor): Shape (n, n_best), those of links without lines, beginning with
        the best one's; -inf for none.
    distances (Tensor): Shape (n, n_best), see measure_distances.
    is_right (Tensor): Shape (n, n_best), bool.
    """

    is_whole: Tensor
    vectors: Tensor
    strengths: Tensor
    scores: Tensor
    distances: Tensor
    is_right: Tensor

    def take(self, chosen: Tensor) -> "Rows":
        """Take some of the rows.

        chosen (Tensor): Shape (n,), bool.
        RETURNS (Rows): The rows.
        """
        return Rows(*(field[chosen] for field in self))


def fit_slopes(rows: Rows, decay: float) -> Tensor:
    """Find the slopes by which right antecedents are likely, if there is one.

    rows (Rows): The anaphors; those without a right antecedent do not count.
    decay (float): What the squares of weights cost, of vectors that are made alike.
    RETURNS (Tensor): Shape (2 * width + 1,), the constant last.
    """
    rows = rows.take(rows.is_right.any(1))
    vectors, restore = _make_alike(rows.vectors)
    weights = torch.zeros(vectors.shape[1], requires_grad=True)
    optimizer = torch.optim.LBFGS(
        [weights], max_iter=_N_STEPS, line_search_fn="strong_wolfe"
    )

    def get_loss() -> Tensor:
        optimizer.zero_grad()
        scores = rows.scores + (vectors @ weights)[:, None] * rows.distances
        right = scores.masked_fill(~rows.is_right, -torch.inf)
        loss = (scores.logsumexp(1) - right.logsumexp(1)).sum()
        loss = loss + decay * weights[:-1].square().sum()
        loss.backward()
        return loss

    optimizer.step(get_loss)
    return restore(weights.detach())


def fit_intercepts(rows: Rows, slopes: Tensor) -> Tensor:
    """Find what makes each mention's best link as strong as it was.

    rows (Rows): The anaphors; only whole documents count.
    slopes (Tensor): Shape (2 * width + 1,).
    RETURNS (Tensor): Shape (2 * width + 1,), by least squares.
    """
    rows = rows.take(rows.is_whole & is_linked(rows))
    added = (_widen(rows.vectors) @ slopes) * rows.distances[:, 0]
    added += rows.scores[:, 0] - rows.strengths
    vectors, restore = _make_alike(rows.vectors)
    vectors = vectors.double()
    cost = torch.full((vectors.shape[1],), _RIDGE).double()
    cost[-1] = 0
    products = vectors.T @ vectors + cost.diag()
    weights = torch.linalg.solve(products, -vectors.T @ added.double())
    return restore(weights.float())


def is_linked(rows: Rows) -> Tensor:
    """Tell which anaphors the model may link.

    rows (Rows): The anaphors.
    RETURNS (Tensor): Shape (n,), bool.
    """
    return rows.strengths > _WEAKEST_LINK


def measure_order(rows: Rows, slopes: Tensor) -> float:
    """Tell how often the best antecedent is right where a right one is there.

    rows (Rows): The anaphors.
    slopes (Tensor): Shape (2 * width + 1,).
    RETURNS (float): The share.
    """
    rows = rows.take(rows.is_right.any(1))
    scores = rows.scores + (_widen(rows.vectors) @ slopes)[:, None] * rows.distances
    best = scores.argmax(1, keepdim=True)
    return rows.is_right.gather(1, best).float().mean().item()


def _make_alike(vectors: Tensor) -> Tuple[Tensor, Callable[[Tensor], Tensor]]:
    """Give all dimensions a mean of 0 and a deviation of 1, and add a constant.

    vectors (Tensor): Shape (n, width).
    RETURNS (Tuple[Tensor, Callable]): Shape (n, width + 1), and what makes, of weights
        for these, weights for _widen of the vectors as they were.
    """
    mean, deviation = vectors.mean(0), vectors.std(0) + 1e-6

    def restore(weights: Tensor) -> Tensor:
        own = weights[:-1] / deviation
        return torch.cat([own, weights[-1:] - own @ mean])

    return _widen((vectors - mean) / deviation), restore


def _widen(vectors: Tensor) -> Tensor:
    """Add a constant 1."""
    return nn.functional.pad(vectors, (0, 1), value=1.0)
