"""What a model learns from: links to the right antecedents, and mentions."""

from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from ...batching import write_band
from ...errors import Errors
from ...types import Links
from .soft_loss import get_soft_loss
from .train_scores import TrainScores

Offsets = Tuple[int, int]
Clusters = Sequence[Sequence[Offsets]]


def get_gradients(
    scores: Sequence[TrainScores],
    golds: Sequence[Any],
    *,
    antecedent_weight: float = 1.0,
    mention_weight: float,
    partial_mention_weight: float,
    partial_weight: float,
) -> Tuple[float, List[Tuple[Tensor, ...]]]:
    """Get the loss of a batch, the mean over its mentions, and its gradients.

    scores (Sequence[TrainScores]): What the network says of each document.
    golds (Sequence[Any]): What is right for each, see get_loss.
    antecedent_weight (float): See get_loss.
    mention_weight (float): See get_loss.
    partial_mention_weight (float): The same for documents that are labelled in part.
    partial_weight (float): What one of their mentions counts in the mean, where that
        of another document counts 1.
    RETURNS (Tuple[float, List[Tuple[Tensor, ...]]]): The loss, and for each document
        its gradients to TrainScores.tensors.
    RAISES (ValueError): A pronoun that the model does not tell apart from others.
    """
    parts = [gold.annotated is not None for gold in golds]
    counts = [partial_weight if is_part else 1.0 for is_part in parts]
    n_mentions = sum(
        count * len(score.starts) for count, score in zip(counts, scores, strict=True)
    )
    total = 0.0
    gradients = []
    for score, gold, is_part, count in zip(scores, golds, parts, counts, strict=True):
        loss = get_loss(
            score,
            gold.clusters,
            unsure=gold.unsure,
            annotated=gold.annotated,
            pronouns=gold.pronouns,
            links=gold.links,
            antecedent_weight=antecedent_weight,
            weight=partial_mention_weight if is_part else mention_weight,
        )
        loss = loss * (count / max(1.0, n_mentions))
        total += float(loss.detach())
        found = torch.autograd.grad(
            loss, score.tensors, allow_unused=True, materialize_grads=True
        )
        gradients.append(found)
    return total, gradients


def get_loss(
    scores: TrainScores,
    clusters: Clusters,
    *,
    unsure: Sequence[Offsets] = (),
    annotated: Optional[Sequence[Offsets]] = None,
    pronouns: Optional[Dict[Offsets, str]] = None,
    links: Optional[Links] = None,
    antecedent_weight: float = 1.0,
    weight: float,
) -> Tensor:
    """Get one document's loss: the weighted sum of L1 and L2, and of masked pronouns.

    L1 is the marginal log-likelihood of the right antecedents (Lee et al. 2017;
    F-coref, Otmazgin et al. 2022), a sum over mentions, and over experts, where there
    are any (LingMess, Otmazgin et al. 2022b). L2 is the cross-entropy of the
    mention scores (Varkel & Globerson 2020, section 4, equation 1), a sum over
    candidates.

    scores (TrainScores): What the network says.
    clusters (Clusters): The gold clusters, in token offsets.
    unsure (Sequence[Tuple[int, int]]): Mentions whose antecedents are not known, so
        that nothing is to be learned from their links.
    annotated (Optional[Sequence[Tuple[int, int]]]): The mentions of a document that is
        labelled in part: what is in no cluster may be one. None for other documents.
    pronouns (Optional[Dict[Tuple[int, int], str]]): Which pronouns were masked where.
    links (Optional[Links]): What a teacher says, to be learned in place of all that,
        see get_soft_loss.
    antecedent_weight (float): That of L1; 0 to train the mention scorer alone.
    weight (float): That of L2. Where nothing is known to be no mention, a large weight
        teaches that all spans are some.
    RETURNS (Tensor): A scalar.
    """
    if links is not None:
        return get_soft_loss(
            scores, links, antecedent_weight=antecedent_weight, weight=weight
        )
    labels = make_labels(scores, clusters)
    is_unsure = make_labels(scores, [[mention] for mention in unsure]) >= 0
    lengths = scores.ends - scores.starts
    kept = labels[scores.starts, lengths]
    is_sure = ~is_unsure[scores.starts, lengths]
    loss = antecedent_weight * get_link_loss(scores.pairs, kept, is_sure)
    candidates = scores.band.isfinite()
    if weight and candidates.any():
        mentions = labels if annotated is None else make_labels(scores, [annotated])
        loss = loss + weight * binary_cross_entropy_with_logits(
            scores.band[candidates],
            (mentions[candidates] >= 0).to(scores.band),
            reduction="sum",
        )
    if pronouns:
        loss = loss + get_pronoun_loss(scores, pronouns)
    return loss


def get_pronoun_loss(scores: TrainScores, pronouns: Dict[Offsets, str]) -> Tensor:
    """Get the cross-entropy of masked pronouns (Varkel & Globerson 2020, section 3.2).

    scores (TrainScores): What the network says.
    pronouns (Dict[Tuple[int, int], str]): The pronouns that were there, by token
        offsets.
    RETURNS (Tensor): A scalar, the sum over pronouns that are mentions.
    RAISES (ValueError): A pronoun that the model does not tell apart from others.
    """
    names = list(scores.pronoun_names)
    unknown = sorted(set(pronouns.values()).difference(names))
    if unknown:
        raise ValueError(Errors.FC073.format(pronouns=unknown, available=names))
    places = [
        [span for span, pronoun in pronouns.items() if pronoun == name]
        for name in names
    ]
    right = make_labels(scores, places)[scores.starts, scores.ends - scores.starts]
    return cross_entropy(scores.pronouns, right, ignore_index=-1, reduction="sum")


def get_link_loss(pairs: Tensor, clusters: Tensor, is_sure: Tensor) -> Tensor:
    """Get the negative marginal log-likelihood of the right antecedents.

    pairs (Tensor): Shape (n_parts, n_mentions, n_mentions), -inf but for earlier
        mentions.
    clusters (Tensor): Shape (n_mentions,), each mention's gold cluster, -1 for none.
    is_sure (Tensor): Shape (n_mentions,), bool: which mentions to learn from.
    RETURNS (Tensor): A scalar, the sum over parts and mentions. Where a part has no
        say in any of the right ones, the null antecedent is right for it.
    """
    is_right = (clusters[:, None] == clusters) & (clusters >= 0) & pairs.isfinite()
    null = pairs.new_zeros((*pairs.shape[:2], 1))
    # The first of a cluster, and what is in none, has the null antecedent.
    is_first = ~is_right.any(-1, keepdim=True)
    everything = torch.cat([null, pairs], -1)
    right = torch.cat([is_first, is_right], -1)
    likelihood = everything.masked_fill(~right, -torch.inf).logsumexp(-1)
    losses = everything.logsumexp(-1) - likelihood
    return losses[:, is_sure].sum()


def make_labels(scores: TrainScores, clusters: Clusters) -> Tensor:
    """Write clusters into the band of candidates.

    scores (TrainScores): What the network says.
    clusters (Clusters): Clusters in token offsets.
    RETURNS (Tensor): Shape (n_words, max_span_length), int64: the cluster of each
        span, -1 for none. Mentions that are longer, or start or end in what is no
        word, are left out.
    """
    band = write_band(scores.tokens, scores.band.shape[1], clusters)
    return torch.from_numpy(band).to(scores.band.device)
