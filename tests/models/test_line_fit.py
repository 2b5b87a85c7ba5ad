"""What is found of made-up anaphors."""

import math

import pytest
import torch

from spacy_fastcoref.models.line_fit import (
    Rows,
    fit_intercepts,
    fit_slopes,
    is_linked,
    measure_order,
)

WIDTH = 4


def make_rows(n=400, seed=0):
    """Make anaphors that fit two antecedents alike; of those whose first number is
    positive the nearer one is right, of others either.
    """
    generator = torch.Generator().manual_seed(seed)
    vectors = torch.randn(n, WIDTH, generator=generator)
    distances = torch.rand(n, 2, generator=generator) * 5
    is_near = distances == distances.amin(1, keepdim=True)
    either = torch.rand(n, generator=generator) < 0.5
    is_right = torch.stack([either, ~either], 1)
    is_right = torch.where(vectors[:, :1] > 0, is_near, is_right)
    scores = torch.full((n, 2), 3.0)
    is_whole = torch.ones(n, dtype=torch.bool)
    return Rows(is_whole, vectors, scores[:, 0], scores, distances, is_right)


def add(rows, slopes):
    return (rows.vectors @ slopes[:-1] + slopes[-1])[:, None] * rows.distances


def test_slopes_depend_on_the_anaphor():
    rows = make_rows()
    slopes = fit_slopes(rows, decay=0.1)
    assert slopes.shape == (WIDTH + 1,)
    assert slopes[0] < -0.3 and slopes[1:WIDTH].abs().max() < 0.2
    nothing = torch.zeros(WIDTH + 1)
    assert measure_order(rows, nothing) < 0.6 < 0.7 < measure_order(rows, slopes)
    # Others than those they were found by.
    assert measure_order(make_rows(seed=1), slopes) > 0.7


def test_weights_may_cost_so_much_that_all_anaphors_are_alike():
    slopes = fit_slopes(make_rows(), decay=1e7)
    assert slopes[:WIDTH].abs().max() < 1e-2 < -slopes[WIDTH]


def test_slopes_are_what_makes_right_antecedents_likeliest():
    rows, decay = make_rows(), 5.0
    slopes = fit_slopes(rows, decay)
    mean, deviation = rows.vectors.mean(0), rows.vectors.std(0)

    def get_loss(slopes):
        scores = rows.scores + add(rows, slopes)
        right = scores.log_softmax(1)[rows.is_right].sum()
        return decay * (slopes[:-1] * deviation).square().sum() - right

    assert mean.abs().max() > 0.01
    least = get_loss(slopes)
    for change in torch.eye(WIDTH + 1) * 0.05:
        assert least < get_loss(slopes + change) and least < get_loss(slopes - change)


def test_anaphors_without_a_right_antecedent_tell_nothing():
    rows = make_rows()
    n = len(rows.scores)
    others = rows._replace(is_right=torch.zeros((n, 2), dtype=torch.bool))
    both = Rows(*map(torch.cat, zip(rows, others, strict=True)))
    slopes = fit_slopes(rows, 1.0)
    assert measure_order(both, slopes) == measure_order(rows, slopes)
    # Twice the vectors have nearly, not quite, the same deviation.
    assert torch.allclose(fit_slopes(both, 1.0), slopes, atol=1e-3)


def test_intercepts_take_back_what_slopes_add():
    rows = make_rows(2000)
    slopes = fit_slopes(rows, 0.1)
    intercepts = fit_intercepts(rows, slopes)
    back = rows.vectors @ intercepts[:-1] + intercepts[-1]
    sums = add(rows, slopes)[:, 0] + back
    assert sums.mean().item() == pytest.approx(0, abs=1e-3)
    # Not only on the mean of all.
    signs = rows.vectors[:, 0] > 0
    assert sums[signs].mean().abs() < 0.3 < add(rows, slopes)[signs, 0].mean().abs()


def test_links_are_as_strong_as_they_were_by_other_lines():
    rows = make_rows(2000)
    slopes = fit_slopes(rows, 0.1)
    # What those lines gave depends on the anaphor.
    given = 1.5 + rows.vectors[:, 1]
    new = fit_intercepts(rows._replace(strengths=rows.scores[:, 0] + given), slopes)
    more = new - fit_intercepts(rows, slopes)
    assert more.tolist() == pytest.approx([0, 1, 0, 0, 1.5], abs=0.1)


@pytest.mark.parametrize("is_whole, score", [(False, 3.0), (True, -2.0)])
def test_only_links_of_whole_documents_count_for_intercepts(is_whole, score):
    rows, other = make_rows(), make_rows(seed=1)
    slopes = fit_slopes(rows, 0.1)
    other = other._replace(
        is_whole=torch.full_like(other.is_whole, is_whole),
        strengths=torch.full_like(other.strengths, score),
        distances=other.distances + 9,
    )
    both = Rows(*map(torch.cat, zip(rows, other, strict=True)))
    assert torch.equal(fit_intercepts(both, slopes), fit_intercepts(rows, slopes))


def test_what_may_be_linked():
    rows = make_rows(4)._replace(strengths=torch.tensor([-0.5, -1.5, 4, -math.inf]))
    assert is_linked(rows).tolist() == [True, False, True, False]
