"""The distillation loss: a student learns a teacher's probabilities."""

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from ...types import Links
from ..batching import write_band
from ..network.train_scores import TrainScores


def get_soft_loss(
    scores: TrainScores, links: Links, *, antecedent_weight: float, weight: float
) -> Tensor:
    """Compute the cross-entropy of a student with its teacher (Hinton et al. 2015).

    Probabilities tell the student how sure the teacher is, which clusters do not. A
    mention that the teacher does not keep has no antecedent.

    RETURNS (Tensor): A scalar, summed over mentions, and over candidate spans.
    """
    spans = [[tuple(offsets)] for offsets in links.mentions.tolist()]
    rows = write_band(scores.tokens, scores.band.shape[1], spans)
    starts, ends = scores.starts.cpu().numpy(), scores.ends.cpu().numpy()
    targets = make_targets(links, rows[starts, ends - starts])
    device = scores.pairs.device
    loss = antecedent_weight * get_soft_link_loss(
        scores.pairs, torch.from_numpy(targets).to(device)
    )
    candidates = scores.band.isfinite()
    if weight and candidates.any():
        # The index -1 finds the last value, for spans that the teacher does not keep.
        logits = np.append(links.mention_scores, -np.inf).astype(np.float32)
        probs = torch.from_numpy(logits[rows]).to(device).sigmoid()
        loss = loss + weight * binary_cross_entropy_with_logits(
            scores.band[candidates], probs[candidates], reduction="sum"
        )
    return loss


def make_targets(links: Links, rows: np.ndarray) -> np.ndarray:
    """Compute the teacher's probabilities of antecedents for the student's mentions.

    rows (numpy.ndarray): Shape (n_mentions,), the index of each of the student's
        mentions among the teacher's; -1 if the teacher does not keep it.
    RETURNS (numpy.ndarray): Shape (n_mentions, n_mentions), float32: the probability
        of each antecedent. What is missing to 1 in a row is the probability of the
        null antecedent. Antecedents that the student does not keep are left out,
        and the others are normalised.
    """
    targets = np.zeros((len(rows), len(rows)), dtype=np.float32)
    shared = np.flatnonzero(rows >= 0)
    if not len(shared) or not links.antecedents.size:
        return targets
    # The student's index of each of the teacher's mentions; -1 for mentions that the
    # student does not keep, and in the last place, for the missing antecedent -1.
    to_student = np.full(len(links) + 1, -1)
    to_student[rows[shared]] = shared
    columns = to_student[links.antecedents[rows[shared]]]
    is_shared = (columns >= 0) & (columns < shared[:, None])
    odds = np.where(is_shared, np.exp(links.scores[rows[shared]].clip(max=60.0)), 0.0)
    probs = odds / (1.0 + odds.sum(1, keepdims=True))
    row_index, _ = np.nonzero(is_shared)
    targets[shared[row_index], columns[is_shared]] = probs[is_shared]
    return targets


def get_soft_link_loss(pairs: Tensor, targets: Tensor) -> Tensor:
    """Compute the cross-entropy of the distributions over antecedents.

    pairs (Tensor): Shape (n_terms, n_mentions, n_mentions), the student's score of
        each mention with each earlier one; -inf elsewhere.
    RETURNS (Tensor): A scalar, summed over terms and mentions. The probability of
        pairs that a term leaves out goes to its null antecedent.
    """
    null = pairs.new_zeros((*pairs.shape[:2], 1))
    log_probs = torch.cat([null, pairs], -1).log_softmax(-1)
    probs = torch.where(pairs.isfinite(), targets.to(pairs), 0.0)
    probs = torch.cat([1.0 - probs.sum(-1, keepdim=True), probs], -1)
    # 0 * -inf would be NaN.
    return -(probs * log_probs.masked_fill(~log_probs.isfinite(), 0.0)).sum()
