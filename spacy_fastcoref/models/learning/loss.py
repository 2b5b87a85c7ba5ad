"""The loss of a batch of documents, from gold annotation or from a teacher."""

from itertools import accumulate, pairwise
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from ...errors import check_known
from ...types import Links, Offsets
from ..batching import write_band
from ..network.train_scores import DOC_TOKENS, TrainScores


def compute_loss(
    scores: Sequence[TrainScores],
    golds: Sequence[Any],
    *,
    partial_weight: float,
    **weights: float,
) -> Tensor:
    """Compute the loss of a batch, averaged over its mentions; see get_loss.

    partial_weight (float): The weight of a mention of a partly labelled document in
        the average. Other mentions have the weight 1.
    RAISES (ValueError): The model does not know a masked pronoun or an entity type.
    """
    counts = [1.0 if gold.annotated is None else partial_weight for gold in golds]
    sizes = [size for one in scores for size in one.sizes]
    factors = np.array(counts) / max(1.0, float(np.dot(counts, sizes)))
    parts = zip(split_golds(scores, golds), split_golds(scores, factors), strict=True)
    return sum(get_loss(*one, own, **weights) for one, (_, own) in parts)


def split_golds(
    scores: Sequence[TrainScores], golds: Sequence[Any]
) -> List[Tuple[TrainScores, Sequence[Any]]]:
    """Pair scores with the annotation of their documents."""
    ends = [0, *accumulate(len(one.sizes) for one in scores)]
    pairs = zip(scores, pairwise(ends), strict=True)
    return [(one, golds[begin:end]) for one, (begin, end) in pairs]


def get_loss(
    scores: TrainScores,
    golds: Sequence[Any],
    factors: Sequence[float],
    *,
    antecedent_weight: float = 1.0,
    mention_weight: float,
    partial_mention_weight: float,
    type_weight: float = 0.0,
) -> Tensor:
    """Compute the loss of documents, a weighted sum of L1 to L4.

    L1 is the negative marginal log-likelihood of the gold antecedents (Lee et al.
    2017; F-coref, Otmazgin et al. 2022), summed over mentions, and in LingMess also
    over experts (Otmazgin et al. 2022b). L2 is the cross-entropy of the mention
    scores (Varkel & Globerson 2020, section 4, equation 1), summed over candidate
    spans. L3 is the cross-entropy of masked pronouns (the same, section 3.2), and L4
    that of entity types; both are summed over the mentions that are kept.

    A document with the links of a teacher has the cross-entropies with the teacher's
    probabilities as L1 and L2 (Hinton et al. 2015). They tell how sure the teacher is,
    which clusters do not. A mention that the teacher does not keep has no antecedent.

    golds (Sequence[AlignedGold]): The annotation of each document. L1 leaves out
        mentions whose antecedents are not known.
    factors (Sequence[float]): The factor of each document's loss.
    antecedent_weight, mention_weight, type_weight (float): Those of L1, L2 and L4.
    partial_mention_weight (float): That of L2 in a partly labelled document. It should
        be small, since L2 counts all spans that are not annotated as no mentions.
    """
    factors = np.asarray(factors)
    of_mentions = np.repeat(factors, scores.sizes)
    clusters = [_list_clusters(gold) for gold in golds]
    labels = make_labels(scores, clusters)
    kept = _choose_kept(scores, labels)
    is_sure = _choose_kept(scores, make_labels(scores, [[g.unsure] for g in golds])) < 0
    has_teacher = np.repeat([gold.links is not None for gold in golds], scores.sizes)
    of_sure = is_sure * _move(scores, of_mentions * ~has_teacher)
    loss = get_link_loss(scores.pairs, kept, of_sure)
    if has_teacher.any():
        targets = _make_targets(scores, golds, clusters, kept.cpu().numpy())
        of_taught = _move(scores, of_mentions * has_teacher)
        loss = loss + get_soft_link_loss(scores.pairs, targets, of_taught)
    loss = antecedent_weight * loss
    weights = [
        mention_weight if gold.annotated is None else partial_mention_weight
        for gold in golds
    ]
    is_candidate = scores.band.isfinite()
    if any(weights) and is_candidate.any():
        probs = [_list_probs(*pair) for pair in zip(golds, clusters, strict=True)]
        # The label -1 finds the last value.
        probs = _move(scores, np.concatenate([*probs, [0.0]]))[labels]
        of_words = (factors * weights)[scores.tokens // DOC_TOKENS]
        of_words = _move(scores, of_words)[:, None].expand_as(labels)
        parts = (one[is_candidate] for one in (scores.band, probs, of_words))
        loss = loss + binary_cross_entropy_with_logits(*parts, reduction="sum")
    # A span without a masked pronoun has no class. A span without a type is no mention,
    # which is the first class. Types are no task of a model without a head for them.
    heads: List[Tuple] = [
        ("pronouns", "pronoun_head", scores.pronouns, scores.pronoun_names, -1, 1.0)
    ]
    if type_weight and scores.types is not None:
        own = scores.types, scores.type_names, 0, type_weight
        heads.append(("types", "mention_types", *own))
    for key, head, logits, names, default, weight in heads:
        found = [getattr(gold, key) for gold in golds]
        if any(found):
            kind = f"name in the block [components.fastcoref.model.{head}],"
            for name in {name for one in found for name in one.values()}:
                check_known(kind, name, names)
            classes = _find_classes(scores, found, names, default)
            losses = cross_entropy(logits, classes, ignore_index=-1, reduction="none")
            is_labelled = np.repeat([bool(one) for one in found], scores.sizes)
            of_labelled = _move(scores, of_mentions * is_labelled)
            loss = loss + weight * (losses @ of_labelled)
    return loss


def _list_clusters(gold: Any) -> Sequence[Sequence[Offsets]]:
    """List what a document's spans are to be: its clusters, and single mentions."""
    if gold.links is not None:
        return [[(start, end)] for start, end in gold.links.mentions.tolist()]
    known = {span for cluster in gold.clusters for span in cluster}
    others = [span for span in gold.annotated or () if span not in known]
    return [*gold.clusters, *([span] for span in others)]


def _list_probs(gold: Any, clusters: Sequence[Any]) -> np.ndarray:
    if gold.links is None:
        return np.ones(len(clusters))
    # The sigmoid, which can't overflow in this form.
    return 0.5 + 0.5 * np.tanh(0.5 * gold.links.mention_scores)


def _find_classes(
    scores: TrainScores,
    labels: Sequence[Dict[Offsets, str]],
    names: Sequence[str],
    default: int,
) -> Tensor:
    """Find the class of each kept mention, which is the default of one without."""
    spans = [
        [[span for span in one if one[span] == name] for name in names]
        for one in labels
    ]
    found = _choose_kept(scores, make_labels(scores, spans))
    return torch.where(found < 0, default, found % len(names))


def _choose_kept(scores: TrainScores, band: Tensor) -> Tensor:
    return band[scores.starts, scores.ends - scores.starts]


def _move(scores: TrainScores, values: np.ndarray) -> Tensor:
    return torch.from_numpy(values.astype(np.float32)).to(scores.band.device)


def make_labels(
    scores: TrainScores, clusters: Sequence[Sequence[Sequence[Offsets]]]
) -> Tensor:
    """Number the clusters of all documents from 0 on, and write them into a band."""
    moved = [
        [(start + i * DOC_TOKENS, end + i * DOC_TOKENS) for start, end in cluster]
        for i, found in enumerate(clusters)
        for cluster in found
    ]
    band = write_band(scores.tokens, scores.band.shape[1], moved)
    return torch.from_numpy(band).to(scores.band.device)


def get_link_loss(pairs: Tensor, clusters: Tensor, weights: Tensor) -> Tensor:
    """Compute the negative marginal log-likelihood of the gold antecedents.

    pairs (Tensor): See TrainScores.
    clusters, weights (Tensor): Shape (n_mentions,), the gold cluster of each mention,
        -1 for none, and its weight in the sum.
    """
    is_gold = (clusters[:, None] == clusters) & (clusters >= 0) & pairs.isfinite()
    null = pairs.new_zeros((*pairs.shape[:2], 1))
    # A mention without a gold antecedent among the pairs of a term has the null one.
    is_null = ~is_gold.any(-1, keepdim=True)
    all_scores = torch.cat([null, pairs], -1)
    is_gold = torch.cat([is_null, is_gold], -1)
    gold_scores = all_scores.masked_fill(~is_gold, -torch.inf)
    losses = all_scores.logsumexp(-1) - gold_scores.logsumexp(-1)
    return (losses * weights).sum()


def get_soft_link_loss(pairs: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Compute the cross-entropy of the distributions over antecedents.

    The probability of pairs that a term leaves out goes to its null antecedent.

    targets (Tensor): Shape (n_mentions, n_mentions), the teacher's probabilities.
    """
    null = pairs.new_zeros((*pairs.shape[:2], 1))
    log_probs = torch.cat([null, pairs], -1).log_softmax(-1)
    probs = torch.where(pairs.isfinite(), targets.to(pairs), 0.0)
    probs = torch.cat([1.0 - probs.sum(-1, keepdim=True), probs], -1)
    # 0 * -inf would be NaN.
    losses = -(probs * log_probs.masked_fill(~log_probs.isfinite(), 0.0)).sum(-1)
    return (losses * weights).sum()


def _make_targets(
    scores: TrainScores,
    golds: Sequence[Any],
    clusters: Sequence[Sequence[Any]],
    labels: np.ndarray,
) -> Tensor:
    """Compute the teachers' probabilities of antecedents for the student's mentions.

    Antecedents that the student does not keep are left out, and the others normalised.

    labels (numpy.ndarray): Shape (n_mentions,), the number of each mention's cluster,
        which for documents with a teacher are its mentions.
    RETURNS (Tensor): Shape (n_mentions, n_mentions); what is missing to 1 in a row is
        the probability of the null antecedent.
    """
    targets = np.zeros((len(labels), len(labels)), dtype=np.float32)
    n_before = end = 0
    for gold, own, size in zip(golds, clusters, scores.sizes, strict=True):
        begin, end = end, end + size
        links: Links = gold.links
        if links is not None:
            # The mentions that both keep, as the student and the teacher number them.
            shared = np.flatnonzero(labels[begin:end] >= 0)
            rows = labels[begin:end][shared] - n_before
            # -1 for mentions that the student does not keep, and in the last place, for
            # the missing antecedent -1.
            to_student = np.full(len(links) + 1, -1)
            to_student[rows] = shared
            columns = to_student[links.antecedents[rows]]
            is_shared = (columns >= 0) & (columns < shared[:, None])
            odds = np.where(is_shared, np.exp(links.scores[rows].clip(max=60.0)), 0.0)
            probs = odds / (1.0 + odds.sum(1, keepdims=True))
            places = begin + shared[is_shared.nonzero()[0]], begin + columns[is_shared]
            targets[places] = probs[is_shared]
        n_before += len(own)
    return _move(scores, targets)
