"""Test the distillation loss against its definition."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.models.learning.loss import get_link_loss
from spacy_fastcoref.models.learning.soft_loss import (
    get_soft_link_loss,
    get_soft_loss,
)
from spacy_fastcoref.types import Links

from .test_loss import make_pairs, make_scores

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
    found = get_soft_link_loss(terms, targets)
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
    get_soft_loss(scores, links, antecedent_weight=1.0, weight=0.0).backward()
    assert scores.pairs.grad.abs().max() < 1e-5
    # A student with other scores has gradients.
    other = make_scores(seed + 10)
    get_soft_loss(other, links, antecedent_weight=1.0, weight=1.0).backward()
    assert other.pairs.grad.abs().max() > 0.05
    kept = other.band.grad[scores.starts, scores.ends - scores.starts]
    theirs = other.band[scores.starts, scores.ends - scores.starts].sigmoid()
    assert torch.allclose(kept, theirs.detach() - own.sigmoid(), atol=1e-5)
    # Spans that are not candidates, such as those that end in white space, have none.
    assert not other.band.grad[~other.band.isfinite()].any()


@pytest.mark.parametrize("weight", [0.0, 0.3])
def test_teacher_without_mentions(weight):
    scores = make_scores()
    loss = get_soft_loss(scores, Links.empty(), antecedent_weight=1.0, weight=weight)
    loss.backward()
    assert loss.isfinite() and scores.pairs.grad.isfinite().all()
