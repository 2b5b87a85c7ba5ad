"""The loss on gold clusters: antecedents, mentions and masked pronouns."""

from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from ...errors import Errors
from ...types import Links
from ..batching import write_band
from ..network.train_scores import TrainScores
from .soft_loss import get_soft_loss

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
    type_weight: float = 0.0,
) -> Tuple[float, List[Tuple[Tensor, ...]]]:
    """Compute the loss of a batch, averaged over its mentions, and its gradients.

    scores (Sequence[TrainScores]): The scores of each document.
    golds (Sequence[AlignedGold]): The gold annotation of each document, with the
        attributes that `get_loss` takes as arguments.
    antecedent_weight (float): See `get_loss`.
    mention_weight (float): The weight of the mention loss, see `get_loss`.
    partial_mention_weight (float): The same for partly labelled documents.
    partial_weight (float): The weight of a mention of a partly labelled document in
        the average. Other mentions have the weight 1.
    type_weight (float): See `get_loss`.
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
            gold.clusters,
            unsure=gold.unsure,
            annotated=gold.annotated,
            pronouns=gold.pronouns,
            types=gold.types,
            links=gold.links,
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
    clusters: Clusters,
    *,
    unsure: Sequence[Offsets] = (),
    annotated: Optional[Sequence[Offsets]] = None,
    pronouns: Optional[Dict[Offsets, str]] = None,
    types: Optional[Dict[Offsets, str]] = None,
    links: Optional[Links] = None,
    antecedent_weight: float = 1.0,
    weight: float,
    type_weight: float = 0.0,
) -> Tensor:
    """Compute the loss of one document, a weighted sum of L1 to L4.

    L1 is the negative marginal log-likelihood of the gold antecedents (Lee et al.
    2017; F-coref, Otmazgin et al. 2022), summed over mentions, and in LingMess also
    over experts (Otmazgin et al. 2022b). L2 is the cross-entropy of the mention
    scores (Varkel & Globerson 2020, section 4, equation 1), summed over candidate
    spans. L3 is the cross-entropy of masked pronouns, see `get_pronoun_loss`, and L4
    that of entity types, see `get_type_loss`.

    scores (TrainScores): The scores of the document.
    clusters (Clusters): The gold clusters, in token offsets.
    unsure (Sequence[Tuple[int, int]]): Mentions whose antecedents are not known.
        They are left out of L1.
    annotated (Optional[Sequence[Tuple[int, int]]]): The annotated mentions of a
        partly labelled document, in which other spans can also be mentions; None
        for other documents.
    pronouns (Optional[Dict[Tuple[int, int], str]]): The masked pronouns by their
        token offsets.
    types (Optional[Dict[Tuple[int, int], str]]): The entity types of all mentions,
        singletons included, by their token offsets; empty or None if they are not
        annotated.
    links (Optional[Links]): The links that a teacher predicts. If they are given,
        the loss is that of `get_soft_loss` instead.
    antecedent_weight (float): The weight of L1; 0 trains the mention scorer alone.
    weight (float): The weight of L2. In a partly labelled document it should be
        small, since L2 counts all spans that are not annotated as no mentions.
    type_weight (float): The weight of L4.
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
    if types and type_weight and scores.types is not None:
        loss = loss + type_weight * get_type_loss(scores, types)
    return loss


def get_pronoun_loss(scores: TrainScores, pronouns: Dict[Offsets, str]) -> Tensor:
    """Compute the cross-entropy of masked pronouns.

    See Varkel & Globerson (2020), section 3.2.

    scores (TrainScores): The scores of the document.
    pronouns (Dict[Tuple[int, int], str]): The masked pronouns by their token
        offsets.
    RETURNS (Tensor): A scalar, summed over the pronouns that are kept as mentions.
    RAISES (ValueError): A pronoun is not one of the model's pronoun head.
    """
    names = list(scores.pronoun_names)
    unknown = sorted(set(pronouns.values()).difference(names))
    if unknown:
        raise ValueError(Errors.FC073.format(pronouns=unknown, available=names))
    spans_by_name = [
        [span for span, pronoun in pronouns.items() if pronoun == name]
        for name in names
    ]
    labels = make_labels(scores, spans_by_name)
    labels = labels[scores.starts, scores.ends - scores.starts]
    return cross_entropy(scores.pronouns, labels, ignore_index=-1, reduction="sum")


def get_type_loss(scores: TrainScores, types: Dict[Offsets, str]) -> Tensor:
    """Compute the cross-entropy of the entity types of the kept mentions.

    scores (TrainScores): The scores of the document.
    types (Dict[Tuple[int, int], str]): The entity types of all mentions by their token
        offsets. A span without a type is no mention.
    RETURNS (Tensor): A scalar, summed over the kept mentions.
    RAISES (ValueError): The model does not know one of the types.
    """
    # The first class is that of no mention.
    _, *names = scores.type_names
    unknown = sorted(set(types.values()).difference(names))
    if unknown:
        raise ValueError(Errors.FC133.format(types=unknown, available=names))
    spans_by_type = [
        [span for span, label in types.items() if label == name] for name in names
    ]
    labels = make_labels(scores, spans_by_type)
    labels = labels[scores.starts, scores.ends - scores.starts]
    return cross_entropy(scores.types, 1 + labels, reduction="sum")


def get_link_loss(pairs: Tensor, clusters: Tensor, is_sure: Tensor) -> Tensor:
    """Compute the negative marginal log-likelihood of the gold antecedents.

    pairs (Tensor): Shape (n_terms, n_mentions, n_mentions), the score of each
        mention with each earlier one; -inf elsewhere.
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


def make_labels(scores: TrainScores, clusters: Clusters) -> Tensor:
    """Write clusters into a band of the same shape as the mention scores.

    scores (TrainScores): The scores of the document.
    clusters (Clusters): Clusters in token offsets.
    RETURNS (Tensor): Shape (n_words, max_span_length), int64: the cluster of each
        span; -1 for none. Mentions that are too long are left out, and mentions
        that start or end at a token without word pieces.
    """
    band = write_band(scores.tokens, scores.band.shape[1], clusters)
    return torch.from_numpy(band).to(scores.band.device)
