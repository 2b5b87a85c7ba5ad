"""Test the loss against loops over its definition."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.models.batching import Batch, Pieces
from spacy_fastcoref.models.learning import loss as loss_module
from spacy_fastcoref.models.learning.loss import (
    get_link_loss,
    get_loss,
    get_soft_link_loss,
)
from spacy_fastcoref.models.network import train_scores
from spacy_fastcoref.models.network.train_scores import TrainScores, score_for_training
from spacy_fastcoref.models.runtime import Runtime
from spacy_fastcoref.pipeline.gold import AlignedGold as Gold
from spacy_fastcoref.types import Links


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
        [3],
    )


def compute_loss(scores, gold, weight=0.0, **weights):
    """Compute the loss of one document, with one weight for whole and partial text."""
    weights |= {"mention_weight": weight, "partial_mention_weight": weight}
    return get_loss(scores, [gold], [1.0], **weights)


def test_mention_loss():
    scores = make_scores()
    gold = Gold([[(0, 1), (4, 5)]])
    plain = compute_loss(scores, gold, weight=0.0)
    entropy = 0.0
    for i in range(4):
        for d in range(3):
            if scores.band[i, d].isfinite():
                is_mention = (i, d) in {(0, 0), (3, 0)}
                sign = -1 if is_mention else 1
                entropy += math.log1p(math.exp(sign * scores.band[i, d].item()))
    loss = compute_loss(scores, gold, weight=0.5)
    assert loss.item() == pytest.approx(plain.item() + 0.5 * entropy, rel=1e-5)


WEIGHTS = {
    "mention_weight": 0.3,
    "partial_mention_weight": 0.0,
    "partial_weight": 1.0,
}


def find_gradients(scores, golds, **weights):
    loss = loss_module.compute_loss(scores, golds, **weights)
    loss.backward()
    tensors = [(s.band, s.pairs, s.types) for s in scores]
    return loss.item(), [[getattr(t, "grad", None) for t in one] for one in tensors]


def test_gradients_and_weights():
    golds = [Gold([[(0, 1), (4, 5)]]), Gold([[(0, 1), (4, 5)]], annotated=[(0, 1)])]
    loss, gradients = find_gradients([make_scores(), make_scores()], golds, **WEIGHTS)
    (whole_band, whole_pairs, _), (partial_band, partial_pairs, _) = gradients
    assert loss > 0 and whole_band.abs().sum() > 0
    # In partly labelled text, the weight of the mention loss is 0 here.
    assert partial_band is None
    assert torch.equal(whole_pairs, partial_pairs) and whole_pairs.isfinite().all()


def test_loss_is_averaged_over_mentions():
    golds = [Gold([]), Gold([[(0, 1), (4, 5)]], annotated=[(0, 1)])]
    batch = [make_scores(1), make_scores(2)]
    weights = {**WEIGHTS, "partial_weight": 3.0}
    loss, _ = find_gradients(batch, golds, **weights)
    whole = compute_loss(batch[0], golds[0], weight=0.3).item()
    part = compute_loss(batch[1], golds[1], weight=0.0).item()
    assert loss == pytest.approx((whole + 3 * part) / (3 + 3 * 3))


def test_unsure_mentions_have_no_gradients():
    gold = Gold([[(4, 5)]], unsure=[(4, 5)])
    _, ((_, pairs, _),) = find_gradients([make_scores()], [gold], **WEIGHTS)
    assert pairs[0, 1].abs().sum() > 0 and pairs[0, 2].abs().sum() == 0


def test_document_without_words():
    empty = TrainScores(
        torch.zeros((0, 3)).requires_grad_(),
        torch.zeros((1, 0, 0)).requires_grad_(),
        torch.zeros(0, dtype=torch.long),
        torch.zeros(0, dtype=torch.long),
        np.zeros(0, dtype=np.int64),
        [0],
    )
    assert find_gradients([empty], [Gold([])], **WEIGHTS)[0] == 0


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
    plain = compute_loss(scores, Gold(), weight=0.0)
    loss = compute_loss(scores, gold, weight=0.0, type_weight=0.5)
    chosen = scores.types.log_softmax(-1)[[0, 1, 2], [2, 0, 1]]
    assert loss.item() == pytest.approx((plain - 0.5 * chosen.sum()).item(), rel=1e-5)
    _, ((*_, gradient),) = find_gradients([scores], [gold], **WEIGHTS, type_weight=1.0)
    assert gradient.abs().sum() > 0
    # Where types are not annotated, nothing is learned about them.
    _, ((*_, gradient),) = find_gradients(
        [make_typed_scores()], [Gold()], **WEIGHTS, type_weight=1.0
    )
    assert gradient is None
    # A model without types ignores them.
    assert compute_loss(make_scores(), gold, weight=0.0, type_weight=0.5) > 0
    gold = Gold(types={(0, 1): "ghost"})
    with pytest.raises(ValueError, match=r"FC024.*ghost"):
        compute_loss(make_typed_scores(), gold, weight=0.0, type_weight=1.0)


# The mentions of make_scores, in tokens. The third token is white space.
MENTIONS = [(0, 1), (0, 4), (4, 5)]


def make_links(pairs, mentions=MENTIONS, mention_scores=(0.0, 0.0, 0.0)):
    """Make the links of a teacher with these scores. All links are kept."""
    scores, antecedents = pairs.sort(1, descending=True)
    is_link = scores.isfinite()
    all_scores = torch.cat([torch.zeros(len(pairs), 1), pairs], 1)
    return Links(
        np.array(mentions, dtype=np.int32),
        np.array(mention_scores, dtype=np.float32),
        antecedents.where(is_link, -1).numpy().astype(np.int32),
        scores.numpy().astype(np.float32),
        all_scores.logsumexp(1).numpy().astype(np.float32),
    )


@given(st.lists(st.integers(-1, 2), min_size=1, max_size=7), st.integers(0, 99))
def test_certain_teacher_equals_gold(clusters, seed):
    n = len(clusters)
    terms = torch.stack([make_pairs(n, seed), make_pairs(n, seed + 1)])
    # The second term leaves out every third pair.
    terms[1][torch.arange(n * n).view(n, n) % 3 == 0] = -torch.inf
    targets = torch.zeros(n, n)
    for i, cluster in enumerate(clusters):
        earlier = [j for j in range(i) if clusters[j] == cluster and cluster >= 0]
        if earlier:
            targets[i, earlier[-1]] = 1.0
    # The definition, with one gold antecedent for each mention.
    expected = 0.0
    for term in terms:
        for i in range(n):
            scores = [0.0, *(x for x in term[i].tolist() if math.isfinite(x))]
            (right,) = targets[i].nonzero(as_tuple=True)
            right = [term[i, j].item() for j in right if term[i, j].isfinite()] or [0.0]
            expected += math.log(sum(map(math.exp, scores))) - right[0]
    found = get_soft_link_loss(terms, targets, torch.ones(n))
    assert found.item() == pytest.approx(expected, abs=1e-6)
    pairs_of_two = all(clusters.count(c) <= 2 for c in clusters if c >= 0)
    if pairs_of_two:
        labels, is_sure = torch.tensor(clusters), torch.ones(n, dtype=torch.bool)
        hard = get_link_loss(terms, labels, is_sure)
        assert found.item() == pytest.approx(hard.item(), abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_gradients_vanish_if_student_equals_teacher(seed):
    scores = make_scores(seed)
    own = scores.band[scores.starts, scores.ends - scores.starts].detach()
    links = make_links(scores.pairs[0].detach(), mention_scores=own.tolist())
    compute_loss(scores, Gold(links=links)).backward()
    assert scores.pairs.grad.abs().max() < 1e-5
    # A student with other scores has gradients.
    other = make_scores(seed + 10)
    compute_loss(other, Gold(links=links), 1.0).backward()
    assert other.pairs.grad.abs().max() > 0.05
    kept = other.band.grad[scores.starts, scores.ends - scores.starts]
    theirs = other.band[scores.starts, scores.ends - scores.starts].sigmoid()
    assert torch.allclose(kept, theirs.detach() - own.sigmoid(), atol=1e-5)
    # Spans that are not candidates, such as those that end in white space, have none.
    assert not other.band.grad[~other.band.isfinite()].any()


@pytest.mark.parametrize("weight", [0.0, 0.3])
def test_teacher_without_mentions(weight):
    scores = make_scores()
    loss = compute_loss(scores, Gold(links=Links.empty()), weight)
    loss.backward()
    assert loss.isfinite() and scores.pairs.grad.isfinite().all()


def make_gold(i):
    clusters = [[(0, 1), (3, 4)], [(5, 6), (7, 8)]]
    if i % 4 == 1:
        spans = [(3, 4), (5, 6)]
        return Gold([[(0, 1), (3, 4)]], annotated=spans, others=[(7, 8)])
    if i % 4 == 2:
        return Gold(clusters[:1], unsure=[(7, 8)])
    if i % 4 == 3:
        return Gold(links=make_links(make_pairs(4, i), sum(clusters, []), [2.0] * 4))
    return Gold(clusters)


def test_documents_that_are_scored_as_one(tiny_network, monkeypatch):
    """The loss and the gradients are those of each document on its own."""
    golds = [make_gold(i) for i in range(8)]
    lengths = [9, 8, 9, 9, 1, 9, 8, 9]
    batch = Batch.from_pieces(
        [Pieces.from_words(np.arange(5, 5 + n), np.arange(n)) for n in lengths]
    )
    losses, gradients = [], []
    for most in (1, 12, 1000):
        monkeypatch.setattr(train_scores, "MAX_TRAINED", most)
        tiny_network.zero_grad()
        scores = score_for_training(tiny_network, batch, Runtime())
        weights = {**WEIGHTS, "partial_mention_weight": 0.1, "partial_weight": 2.0}
        loss = loss_module.compute_loss(scores, golds, **weights)
        loss.backward()
        losses.append(loss.item())
        gradients.append(
            [p.grad.clone() for p in tiny_network.parameters() if p.grad is not None]
        )
    assert len(scores) == 1 and losses == pytest.approx([losses[0]] * 3, rel=1e-5)
    for one, *others in zip(*gradients, strict=True):
        for other in others:
            torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)
