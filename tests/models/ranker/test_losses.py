"""Gold labels and losses of the ranker, against definitions and finite differences."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.models.ranker.losses import (
    compute_loss,
    label_mentions,
    make_all_pairs,
    make_ranking,
    make_three_phases,
    make_top_pairs,
)

from ...conftest import blank
from ...grammar.docs import parse
from .conftest import find

LOSSES = {
    "all_pairs": make_all_pairs(),
    "top_pairs": make_top_pairs(),
    "ranking": make_ranking(),
}


@st.composite
def scored(draw):
    n_mentions, n_links = draw(st.integers(1, 5)), draw(st.integers(0, 5))
    shape = n_mentions, 1 + n_links
    # Different scores, so that the best one is not changed by a small step.
    scores = np.array(draw(st.permutations(range(shape[0] * shape[1]))))
    scores = (scores * 0.37 - 1.1).astype(np.float32).reshape(shape)
    masks = st.lists(st.booleans(), min_size=scores.size, max_size=scores.size)
    is_padding, is_true = (np.array(draw(masks)).reshape(shape) for _ in range(2))
    is_padding[:, 0] = False
    scores[is_padding] = -np.inf
    is_true &= ~is_padding
    is_true[:, 0] = ~is_true[:, 1:].any(axis=1)
    return scores, is_true


@pytest.mark.parametrize("name", sorted(LOSSES))
@given(scored=scored())
def test_gradients(name, scored):
    loss, (scores, is_true) = LOSSES[name], scored
    value, gradients = loss(scores, is_true)
    assert value >= 0
    step = 1e-3
    for place in np.ndindex(scores.shape):
        before, values = scores[place], []
        for change in (step, -step):
            scores[place] = before + change
            values.append(loss(scores, is_true)[0])
        scores[place] = before
        expected = (values[0] - values[1]) / (2 * step)
        assert gradients[place] == pytest.approx(expected, abs=0.02)


def make(scores, is_true):
    return np.array([scores], dtype=np.float32), np.array([is_true])


def test_costs_of_mistakes():
    # There is a true link, which is worse than none by 3.
    no_link = make([0, -3], [False, True])
    assert make_ranking(false_new=0.5)(*no_link)[0] == pytest.approx(0.5 * 4)
    # There is none, but the link is better than none by 2.
    link = make([0, 2], [True, False])
    assert make_ranking(false_link=0.25)(*link)[0] == pytest.approx(0.25 * 3)
    # There is a true link and a better false one; the worst mistake counts.
    wrong = make([-9, 1, 3, 2], [False, True, False, False])
    value, gradients = make_ranking(wrong_link=2.0)(*wrong)
    assert value == pytest.approx(2 * 3)
    assert gradients.tolist() == [[0, -2, 2, 0]]


def test_top_pairs_are_the_best_ones():
    pairs = make([0, -9, 1, 2, 0], [False, True, False, True, False])
    _, gradients = LOSSES["top_pairs"](*pairs)
    assert np.flatnonzero(gradients).tolist() == [0, 2, 3]


def test_unknown_mentions_cost_nothing():
    doc = parse(blank("en").vocab, TEXT)
    found = find(doc)
    last = len(found.facts) - 1
    links = np.ones(len(found.later), dtype=np.float32)
    alone = np.zeros(last + 1, dtype=np.float32)
    span = tuple(found.mentions[last].tolist())
    gold = SimpleNamespace(annotated=None, clusters=[], unsure=[span])
    for loss in LOSSES.values():
        _, d_links, d_alone, n_known = compute_loss(loss, found, links, alone, gold)
        assert n_known == last and not d_alone[last]
        assert not d_links[found.later == last].any()


def test_phases_go_on_when_the_score_stops_rising():
    phases = make_three_phases(patience=2)
    seen, restored = [], []
    for step, score in enumerate((0.5, 0.4, 0.6, 0.5, 0.6, 0.7)):
        phases.start_update(restored.append)
        phases.observe_score(score, lambda step=step: {"step": step})
        # That of a test corpus.
        phases.observe_score(0.9, dict)
        seen.append((phases.weights["step"], phases.phase))
    assert seen == [(0, 0), (0, 0), (2, 0), (2, 0), (2, 1), (5, 1)]
    assert restored == [{"step": 2}]
    # After the last phase, there is no other one.
    for _ in range(10):
        phases.start_update(restored.append)
        phases.observe_score(0.1, dict)
    assert phases.phase == 2
    pairs = make([0, -3], [False, True])
    assert phases(*pairs)[0] == make_ranking()(*pairs)[0]


TEXT = (
    "Both/CCONJ/preconj/1 Ann/PROPN/nsubj/4 and/CCONJ/cc/1 Bob/PROPN/conj/1 "
    "met/VERB/ROOT/- ./PUNCT/punct/4 They/PRON/nsubj/7 left/VERB/ROOT/- "
    "./PUNCT/punct/7"
)


@pytest.mark.parametrize(
    ("gold", "labelled"),
    [
        # The same mention, and one with the same head.
        ((3, 4), {(3, 4)}),
        ((1, 2), {(0, 2)}),
        # A coordination, which is not its first member.
        ((0, 4), {(0, 4)}),
        ((1, 4), set()),
    ],
)
def test_mentions_with_the_head_of_a_gold_mention(gold, labelled):
    doc = parse(blank("en").vocab, TEXT)
    found = find(doc)
    spans = [tuple(span) for span in found.mentions.tolist()]
    assert spans == [(0, 2), (0, 4), (3, 4), (6, 7)]
    clusters = [[gold, (6, 7)]]
    annotation = SimpleNamespace(annotated=None, clusters=clusters, unsure=[])
    labels, is_known = label_mentions(found, annotation)
    assert {spans[row] for row in (labels >= 0).nonzero()[0]} == labelled | {(6, 7)}
    assert is_known.all()
