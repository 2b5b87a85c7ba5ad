"""What a student learns from a teacher that says how sure it is."""

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from ...batching import write_band
from ...types import Links
from .train_scores import TrainScores


def get_soft_loss(
    scores: TrainScores, links: Links, *, antecedent_weight: float, weight: float
) -> Tensor:
    """Get the cross-entropy of a student with its teacher (Hinton et al. 2015).

    A teacher is often wrong, and says so by its probabilities: what it is not sure of
    is not taught as if it were right. What the teacher keeps no mention for has no
    antecedent.

    scores (TrainScores): What the student says of a document.
    links (Links): What the teacher says of it.
    antecedent_weight (float): The weight of the distributions over antecedents.
    weight (float): The weight of the probabilities of mentions.
    RETURNS (Tensor): A scalar, a sum over mentions, and over candidates.
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
        # One more, of what is no mention of the teacher's.
        logits = np.append(links.mention_scores, -np.inf).astype(np.float32)
        chances = torch.from_numpy(logits[rows]).to(device).sigmoid()
        loss = loss + weight * binary_cross_entropy_with_logits(
            scores.band[candidates], chances[candidates], reduction="sum"
        )
    return loss


def make_targets(links: Links, rows: np.ndarray) -> np.ndarray:
    """Make the teacher's distributions over the student's mentions.

    links (Links): What the teacher says.
    rows (numpy.ndarray): Shape (n_mentions,), for each of the student's mentions its
        index among the teacher's, -1 if it is none of them.
    RETURNS (numpy.ndarray): Shape (n_mentions, n_mentions), float32: how likely each
        is an antecedent, the rest of each row being the null antecedent's. What the
        teacher gives to others is left out of its distribution.
    """
    targets = np.zeros((len(rows), len(rows)), dtype=np.float32)
    known = np.flatnonzero(rows >= 0)
    if not len(known) or not links.antecedents.size:
        return targets
    places = np.full(len(links) + 1, -1)
    places[rows[known]] = known
    columns = places[links.antecedents[rows[known]]]
    # Of no antecedent, too, and of what is none of the student's, the last place tells.
    is_known = (columns >= 0) & (columns < known[:, None])
    odds = np.where(is_known, np.exp(links.scores[rows[known]].clip(max=60.0)), 0.0)
    chances = odds / (1.0 + odds.sum(1, keepdims=True))
    at, _ = np.nonzero(is_known)
    targets[known[at], columns[is_known]] = chances[is_known]
    return targets


def get_soft_link_loss(pairs: Tensor, targets: Tensor) -> Tensor:
    """Get the cross-entropy of distributions over antecedents.

    pairs (Tensor): Shape (n_parts, n_mentions, n_mentions), -inf but for earlier
        mentions.
    targets (Tensor): Shape (n_mentions, n_mentions), see make_targets.
    RETURNS (Tensor): A scalar, the sum over parts and mentions. What a part has no say
        in is its null antecedent's.
    """
    null = pairs.new_zeros((*pairs.shape[:2], 1))
    logs = torch.cat([null, pairs], -1).log_softmax(-1)
    right = torch.where(pairs.isfinite(), targets.to(pairs), 0.0)
    right = torch.cat([1.0 - right.sum(-1, keepdim=True), right], -1)
    # A product of 0 with the logarithm of 0 is no number.
    return -(right * logs.masked_fill(~logs.isfinite(), 0.0)).sum()
