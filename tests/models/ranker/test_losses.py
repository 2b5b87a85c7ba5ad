"""Gold labels and losses of the ranker, against definitions and finite differences."""

from types import SimpleNamespace

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_fastcoref.grammar.auto import find_rules
from spacy_fastcoref.models.ranker.candidates import Limits, find_candidates
from spacy_fastcoref.models.ranker.losses import (
    Phases,
    Ranking,
    label_mentions,
    make_all_pairs,
    make_marginal,
    make_ranking,
    make_three_phases,
    make_top_pairs,
)

from ...grammar.docs import parse

LOSSES = {
    "all_pairs": make_all_pairs(),
    "top_pairs": make_top_pairs(),
    "marginal": make_marginal(),
    "ranking": make_ranking(),
    "ranking of averages": make_ranking(averages=True),
}


@st.composite
def rankings(draw):
    n_mentions = draw(st.integers(1, 5))
    pairs = [(j, i) for j in range(n_mentions) for i in range(j)]
    pairs = [pair for pair in pairs if draw(st.booleans())]
    n_pairs = len(pairs)
    # Different scores, so that the best one is not changed by a small step.
    scores = draw(st.permutations(range(n_pairs + n_mentions)))
    scores = np.array(scores, dtype=np.float32) * 0.37 - 1.1
    labels = draw(st.lists(st.booleans(), min_size=n_pairs, max_size=n_pairs))
    known = draw(st.lists(st.booleans(), min_size=n_mentions, max_size=n_mentions))
    return Ranking(
        np.array([later for later, _ in pairs], dtype=np.int64),
        scores[:n_pairs],
        scores[n_pairs:],
        np.array(labels, dtype=bool),
        np.array(known, dtype=bool),
    )


@pytest.mark.parametrize("name", sorted(LOSSES))
@settings(max_examples=60, deadline=None)
@given(ranking=rankings())
def test_gradients(name, ranking):
    loss = LOSSES[name]
    value, d_links, d_alone = loss(ranking)
    assert value >= 0
    step = 1e-3
    for scores, gradient in ((ranking.links, d_links), (ranking.alone, d_alone)):
        for i in range(len(scores)):
            before = scores[i]
            values = []
            for change in (step, -step):
                scores[i] = before + change
                values.append(loss(ranking)[0])
            scores[i] = before
            expected = (values[0] - values[1]) / (2 * step)
            assert gradient[i] == pytest.approx(expected, abs=0.02)


def make(links, alone, is_true, is_known=None):
    n_mentions = len(alone)
    later = np.array([j for j in range(n_mentions) for _ in range(j)])
    is_known = np.ones(n_mentions, dtype=bool) if is_known is None else is_known
    return Ranking(
        later,
        np.array(links, dtype=np.float32),
        np.array(alone, dtype=np.float32),
        np.array(is_true, dtype=bool),
        np.array(is_known),
    )


def test_costs_of_mistakes():
    # The second mention has a true link, which is worse than none by 3.
    no_link = make([-3], [-9, 0], [True])
    assert make_ranking(false_new=0.5)(no_link)[0] == pytest.approx(0.5 * 4)
    # It has none, but its link is better than none by 2.
    link = make([2], [-9, 0], [False])
    assert make_ranking(false_link=0.25)(link)[0] == pytest.approx(0.25 * 3)
    # The third mention has a true link and a better false one.
    wrong = make([-9, 1, 3], [-9, 0, -9], [False, True, False])
    assert make_ranking(wrong_link=2.0)(wrong)[0] == pytest.approx(2 * 3)


def test_averages_count_all_mistakes():
    ranking = make([-9, 1, 1], [-9, 0, -1], [False, False, False])
    worst, mean = make_ranking(), make_ranking(averages=True)
    assert (worst(ranking)[1] != 0).sum() == 1
    assert (mean(ranking)[1] != 0).sum() == 2
    assert worst(ranking)[0] == pytest.approx(mean(ranking)[0])


def test_unknown_mentions_cost_nothing():
    ranking = make([2], [0, 0], [False], is_known=[True, False])
    for name in sorted(LOSSES):
        _, d_links, d_alone = LOSSES[name](ranking)
        assert not d_links.any() and not d_alone[1]


def test_top_pairs_are_the_best_ones():
    ranking = make([-9, 1, 2, 0, 5, 4], [0] * 4, [False, True, True, True, False, True])
    _, d_links, _ = LOSSES["top_pairs"](ranking)
    assert np.flatnonzero(d_links).tolist() == [0, 2, 4, 5]


def test_marginal_is_the_probability_of_all_true_links():
    ranking = make([0.3, 1.2, -0.5], [0, 0.1, 0.2], [False, True, True])
    exps = np.exp([0.2, 1.2, -0.5])
    expected = -np.log(exps[1:].sum() / exps.sum())
    expected -= np.log(np.exp(0.1) / np.exp([0.1, 0.3]).sum())
    assert LOSSES["marginal"](ranking)[0] == pytest.approx(expected, rel=1e-5)


def test_phases_go_on_when_the_score_stops_rising():
    phases = make_three_phases(patience=2)
    assert isinstance(phases, Phases)
    seen = [phases.observe_score(score) for score in (0.5, 0.4, 0.6, 0.5, 0.6, 0.7)]
    best, no, on = (True, False), (False, False), (False, True)
    assert seen == [best, no, best, no, on, best]
    assert phases.phase == 1
    # After the last phase, there is no other one.
    for _ in range(10):
        phases.observe_score(0.1)
    assert phases.phase == 2
    ranking = make([-3], [-9, 0], [True])
    assert phases(ranking)[0] == make_ranking()(ranking)[0]


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
    doc = parse(spacy.blank("en").vocab, TEXT)
    found = find_candidates(find_rules("en"), doc, Limits())
    spans = [tuple(span) for span in found.mentions.tolist()]
    assert spans == [(0, 2), (0, 4), (3, 4), (6, 7)]
    clusters = [[gold, (6, 7)]]
    annotation = SimpleNamespace(annotated=None, clusters=clusters, unsure=[])
    labels, is_known = label_mentions(found, annotation)
    assert {spans[row] for row in (labels >= 0).nonzero()[0]} == labelled | {(6, 7)}
    assert is_known.all()
