"""Test the antecedent scorer that also sees distances."""

import math

import pytest
import torch

from spacy_fastcoref.models.scorers.antecedent_scorer import S2EAntecedentScorerBlock
from spacy_fastcoref.models.scorers.distance import DistanceScorerBlock
from spacy_fastcoref.models.scorers.lingmess import LingMessBlock
from spacy_fastcoref.models.scorers.spans import Spans

INNER = S2EAntecedentScorerBlock(hidden_size=8)
# Two adjacent mentions, one nested in the second, and one far away.
FIRSTS, LASTS = [3, 4, 5, 90], [3, 6, 5, 91]


def make_spans(width=6):
    generator = torch.Generator().manual_seed(0)
    vectors = torch.randn(2, len(FIRSTS), width, generator=generator)
    index = torch.arange(len(FIRSTS))
    spans = torch.tensor([FIRSTS, LASTS])
    codes = {
        "form": torch.arange(100),
        "group": torch.arange(100) % 2,
        "is_stop": torch.zeros(100, dtype=torch.long),
    }
    return Spans(*spans, *vectors, codes, index, index)


def make_scorer(inner=INNER, *, is_new=False):
    torch.manual_seed(0)
    scorer = DistanceScorerBlock(inner).build(6).eval()
    if not is_new:
        with torch.no_grad():
            scorer.line.weight.normal_()
            scorer.line.bias.normal_()
    return scorer


@pytest.mark.parametrize("inner", [INNER, LingMessBlock(hidden_size=8)])
def test_scores_match_loop_over_pairs(inner):
    """Scores of all pairs, for training and of single pairs match the definition."""
    scorer, spans = make_scorer(inner), make_spans()
    anaphors, antecedents = scorer.represent(spans)
    table = scorer(anaphors, antecedents)
    found = scorer.scorer(*scorer.scorer.represent(spans))
    by_term = scorer.score_for_training(anaphors, antecedents)
    assert torch.allclose(by_term[0], table, atol=1e-4)
    others = scorer.scorer.score_for_training(*scorer.scorer.represent(spans))[1:]
    assert torch.equal(by_term[1:], others)
    lines = scorer.line(torch.cat([spans.starts, spans.ends], 1))
    for i, (slope, intercept) in enumerate(lines.tolist()):
        row = tuple(part[i : i + 1] for part in anaphors)
        for j in range(i):
            column = tuple(part[j : j + 1] for part in antecedents)
            between = max(FIRSTS[i] - LASTS[j], 0)
            added = slope * math.log(1 + between) + intercept
            expected = pytest.approx(found[i, j].item() + added, abs=1e-4)
            assert table[i, j].item() == expected
            assert scorer.score_pairs(row, column).item() == expected


def test_new_scorer_gives_inner_scores():
    scorer, spans = make_scorer(is_new=True), make_spans()
    inner = scorer.scorer(*scorer.scorer.represent(spans))
    assert torch.equal(scorer(*scorer.represent(spans)), inner)
    # But it has gradients to learn from.
    scorer(*scorer.represent(spans)).sum().backward()
    assert scorer.line.weight.grad.abs().sum() > 0
