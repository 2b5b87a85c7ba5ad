"""Test the loss against loops over its definition."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.models.learning.loss import (
    TrainScores,
    get_gradients,
    get_link_loss,
    get_loss,
)
from spacy_fastcoref.pipeline.gold import AlignedGold as Gold


def make_pairs(n, seed):
    pairs = torch.randn(n, n, generator=torch.Generator().manual_seed(seed)) * 3
    return pairs.masked_fill(torch.ones(n, n).triu().bool(), -torch.inf).double()


@given(st.lists(st.integers(-1, 3), min_size=1, max_size=8), st.integers(0, 99))
def test_link_loss(clusters, seed):
    n = len(clusters)
    pairs = make_pairs(n, seed)
    is_sure = torch.tensor([(seed + i) % 3 > 0 for i in range(n)])
    expected = 0.0
    for i in range(n):
        if not is_sure[i]:
            continue
        scores = [0.0] + pairs[i, :i].tolist()
        right = [
            pairs[i, j].item()
            for j in range(i)
            if clusters[j] == clusters[i] and clusters[i] >= 0
        ] or [0.0]
        expected += math.log(sum(map(math.exp, scores)))
        expected -= math.log(sum(map(math.exp, right)))
    found = get_link_loss(pairs[None], torch.tensor(clusters), is_sure)
    assert found.item() == pytest.approx(expected, abs=1e-9)


def make_scores(seed=0):
    """Make scores of a Doc with five tokens, of which the third is white space."""
    generator = torch.Generator().manual_seed(seed)
    band = torch.randn(4, 3, generator=generator)
    band[3, 1:] = band[2, 2] = -torch.inf
    return TrainScores(
        band.requires_grad_(),
        make_pairs(3, seed).float()[None].requires_grad_(),
        torch.tensor([0, 0, 3]),
        torch.tensor([0, 2, 3]),
        np.array([0, 1, 3, 4]),
    )


def test_mention_loss():
    scores = make_scores()
    gold = Gold([[(0, 1), (4, 5)]])
    plain = get_loss(scores, gold, weight=0.0)
    entropy = 0.0
    for i in range(4):
        for d in range(3):
            if scores.band[i, d].isfinite():
                is_mention = (i, d) in {(0, 0), (3, 0)}
                sign = -1 if is_mention else 1
                entropy += math.log1p(math.exp(sign * scores.band[i, d].item()))
    loss = get_loss(scores, gold, weight=0.5)
    assert loss.item() == pytest.approx(plain.item() + 0.5 * entropy, rel=1e-5)


WEIGHTS = {
    "mention_weight": 0.3,
    "partial_mention_weight": 0.0,
    "partial_weight": 1.0,
}


def test_gradients_and_weights():
    golds = [Gold([[(0, 1), (4, 5)]]), Gold([[(0, 1), (4, 5)]], annotated=[(0, 1)])]
    loss, gradients = get_gradients([make_scores(), make_scores()], golds, **WEIGHTS)
    (whole_band, whole_pairs), (partial_band, partial_pairs) = gradients
    assert loss > 0 and whole_band.abs().sum() > 0
    # In partly labelled text, the weight of the mention loss is 0 here.
    assert partial_band.abs().sum() == 0
    assert torch.equal(whole_pairs, partial_pairs) and whole_pairs.isfinite().all()


def test_loss_is_averaged_over_mentions():
    golds = [Gold([]), Gold([[(0, 1), (4, 5)]], annotated=[(0, 1)])]
    batch = [make_scores(1), make_scores(2)]
    weights = {**WEIGHTS, "partial_weight": 3.0}
    loss, _ = get_gradients(batch, golds, **weights)
    whole = get_loss(batch[0], golds[0], weight=0.3).item()
    part = get_loss(batch[1], golds[1], weight=0.0).item()
    assert loss == pytest.approx((whole + 3 * part) / (3 + 3 * 3))


def test_unsure_mentions_have_no_gradients():
    gold = Gold([[(4, 5)]], unsure=[(4, 5)])
    _, ((_, pairs),) = get_gradients([make_scores()], [gold], **WEIGHTS)
    assert pairs[0, 1].abs().sum() > 0 and pairs[0, 2].abs().sum() == 0


def test_document_without_words():
    empty = TrainScores(
        torch.zeros((0, 3)).requires_grad_(),
        torch.zeros((1, 0, 0)).requires_grad_(),
        torch.zeros(0, dtype=torch.long),
        torch.zeros(0, dtype=torch.long),
        np.zeros(0, dtype=np.int64),
    )
    loss, gradients = get_gradients([empty], [Gold([])], **WEIGHTS)
    assert loss == 0 and gradients[0][0].shape == (0, 3)


def make_typed_scores():
    logits = torch.randn(3, 3, generator=torch.Generator().manual_seed(1))
    scores = make_scores()
    scores.types = logits.requires_grad_()
    scores.type_names = ("", "person", "place")
    return scores


def test_type_loss():
    """The mentions that are kept learn their types; what has none is no mention."""
    scores = make_typed_scores()
    gold = Gold(types={(0, 1): "place", (4, 5): "person", (1, 2): "person"})
    plain = get_loss(scores, Gold(), weight=0.0)
    loss = get_loss(scores, gold, weight=0.0, type_weight=0.5)
    chosen = scores.types.log_softmax(-1)[[0, 1, 2], [2, 0, 1]]
    assert loss.item() == pytest.approx((plain - 0.5 * chosen.sum()).item(), rel=1e-5)
    _, ((*_, gradient),) = get_gradients([scores], [gold], **WEIGHTS, type_weight=1.0)
    assert gradient.abs().sum() > 0
    # Where types are not annotated, nothing is learned about them.
    _, ((*_, gradient),) = get_gradients(
        [make_typed_scores()], [Gold()], **WEIGHTS, type_weight=1.0
    )
    assert gradient.abs().sum() == 0
    # A model without types ignores them.
    assert get_loss(make_scores(), gold, weight=0.0, type_weight=0.5) > 0
    gold = Gold(types={(0, 1): "ghost"})
    with pytest.raises(ValueError, match=r"FC133.*ghost"):
        get_loss(make_typed_scores(), gold, weight=0.0, type_weight=1.0)
