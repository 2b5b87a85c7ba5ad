"""The loss on gold clusters: antecedents, mentions, masked pronouns, entity types."""

from typing import Any, Dict, List, Sequence, Tuple

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from ...errors import Errors
from ...types import Offsets
from ..batching import write_band
from ..network.train_scores import TrainScores
from .soft_loss import get_soft_loss


def get_gradients(
    scores: Sequence[TrainScores],
    golds: Sequence[Any],
    *,
    antecedent_weight: float = 1.0,
    mention_weight: float,
    partial_mention_weight: float,
    partial_weight: float,
    type_weight: float = 0.0,
) -> Tuple[float, List[Tuple[Tensor, ...]]]:
    """Compute the loss of a batch, averaged over its mentions, and its gradients.

    golds (Sequence[AlignedGold]): The gold annotation of each document.
    antecedent_weight, type_weight (float): See `get_loss`.
    mention_weight (float): The `weight` of `get_loss`.
    partial_mention_weight (float): The same for partly labelled documents.
    partial_weight (float): The weight of a mention of a partly labelled document in
        the average. Other mentions have the weight 1.
    RETURNS (Tuple[float, List[Tuple[Tensor, ...]]]): The loss, and for each document
        the gradients of TrainScores.tensors.
    RAISES (ValueError): The model does not know a masked pronoun or an entity type.
    """
    are_partial = [gold.annotated is not None for gold in golds]
    counts = [partial_weight if is_partial else 1.0 for is_partial in are_partial]
    n_mentions = sum(
        count * len(score.starts) for count, score in zip(counts, scores, strict=True)
    )
    total = 0.0
    gradients = []
    for score, gold, is_partial, count in zip(
        scores, golds, are_partial, counts, strict=True
    ):
        loss = get_loss(
            score,
            gold,
            antecedent_weight=antecedent_weight,
            weight=partial_mention_weight if is_partial else mention_weight,
            type_weight=type_weight,
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
    gold: Any,
    *,
    antecedent_weight: float = 1.0,
    weight: float,
    type_weight: float = 0.0,
) -> Tensor:
    """Compute the loss of one document, a weighted sum of L1 to L4.

    L1 is the negative marginal log-likelihood of the gold antecedents (Lee et al.
    2017; F-coref, Otmazgin et al. 2022), summed over mentions, and in LingMess also
    over experts (Otmazgin et al. 2022b). L2 is the cross-entropy of the mention
    scores (Varkel & Globerson 2020, section 4, equation 1), summed over candidate
    spans. L3 is the cross-entropy of masked pronouns (the same, section 3.2), and L4
    that of entity types; both are summed over the mentions that are kept.

    gold (AlignedGold): Its annotation. L1 leaves out mentions whose antecedents are not
        known. If it has the links of a teacher, the loss is `get_soft_loss` instead.
    antecedent_weight (float): The weight of L1; 0 trains the mention scorer alone.
    weight (float): The weight of L2. In a partly labelled document it should be
        small, since L2 counts all spans that are not annotated as no mentions.
    type_weight (float): The weight of L4.
    """
    if gold.links is not None:
        return get_soft_loss(
            scores, gold.links, antecedent_weight=antecedent_weight, weight=weight
        )
    labels = make_labels(scores, gold.clusters)
    is_unsure = make_labels(scores, [[mention] for mention in gold.unsure]) >= 0
    lengths = scores.ends - scores.starts
    kept = labels[scores.starts, lengths]
    is_sure = ~is_unsure[scores.starts, lengths]
    loss = antecedent_weight * get_link_loss(scores.pairs, kept, is_sure)
    candidates = scores.band.isfinite()
    if weight and candidates.any():
        mentions = labels
        if gold.annotated is not None:
            mentions = make_labels(scores, [gold.annotated])
        loss = loss + weight * binary_cross_entropy_with_logits(
            scores.band[candidates],
            (mentions[candidates] >= 0).to(scores.band),
            reduction="sum",
        )
    if gold.pronouns:
        names = list(scores.pronoun_names)
        unknown = sorted(set(gold.pronouns.values()).difference(names))
        if unknown:
            raise ValueError(Errors.FC073.format(pronouns=unknown, available=names))
        classes = _classify(scores, gold.pronouns, names)
        # A span without a masked pronoun has no class.
        loss = loss + cross_entropy(
            scores.pronouns, classes, ignore_index=-1, reduction="sum"
        )
    if gold.types and type_weight and scores.types is not None:
        # The first class is that of no mention, which is a span without a type.
        _, *names = scores.type_names
        unknown = sorted(set(gold.types.values()).difference(names))
        if unknown:
            raise ValueError(Errors.FC133.format(types=unknown, available=names))
        classes = 1 + _classify(scores, gold.types, names)
        loss = loss + type_weight * cross_entropy(
            scores.types, classes, reduction="sum"
        )
    return loss


def _classify(
    scores: TrainScores, labels: Dict[Offsets, str], names: Sequence[str]
) -> Tensor:
    """Get the index of each kept mention's label among names; -1 for none."""
    spans = [[span for span in labels if labels[span] == name] for name in names]
    return make_labels(scores, spans)[scores.starts, scores.ends - scores.starts]


def get_link_loss(pairs: Tensor, clusters: Tensor, is_sure: Tensor) -> Tensor:
    """Compute the negative marginal log-likelihood of the gold antecedents.

    pairs (Tensor): See TrainScores.
    clusters (Tensor): Shape (n_mentions,), the gold cluster of each mention; -1 for
        none.
    is_sure (Tensor): Shape (n_mentions,), bool: which mentions to learn from.
    RETURNS (Tensor): A scalar, summed over terms and mentions. If a mention has no
        gold antecedent among the pairs of a term, the null antecedent is correct.
    """
    is_gold = (clusters[:, None] == clusters) & (clusters >= 0) & pairs.isfinite()
    null = pairs.new_zeros((*pairs.shape[:2], 1))
    # The first mention of a cluster, and a mention without one, has no antecedent.
    is_null = ~is_gold.any(-1, keepdim=True)
    all_scores = torch.cat([null, pairs], -1)
    is_gold = torch.cat([is_null, is_gold], -1)
    gold_scores = all_scores.masked_fill(~is_gold, -torch.inf)
    losses = all_scores.logsumexp(-1) - gold_scores.logsumexp(-1)
    return losses[:, is_sure].sum()


def make_labels(scores: TrainScores, clusters: Sequence[Sequence[Offsets]]) -> Tensor:
    """Write clusters into a band like that of the mention scores; see write_band."""
    band = write_band(scores.tokens, scores.band.shape[1], clusters)
    return torch.from_numpy(band).to(scores.band.device)
