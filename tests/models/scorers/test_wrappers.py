"""Scorers that add a term to another's score, against the terms' definitions."""

import math
from dataclasses import replace
from itertools import product

import pytest
import torch

from spacy_fastcoref.models.scorers.lingmess import LingMessBlock
from spacy_fastcoref.models.scorers.s2e import S2EAntecedentScorerBlock
from spacy_fastcoref.models.scorers.spans import Spans
from spacy_fastcoref.models.scorers.wrappers import (
    DistanceScorer,
    DistanceScorerBlock,
    SpeakerScorerBlock,
    TypeScorer,
    TypeScorerBlock,
)

INNER = S2EAntecedentScorerBlock(hidden_size=8)
BLOCKS = [
    DistanceScorerBlock(INNER),
    SpeakerScorerBlock(INNER, rank=3),
    TypeScorerBlock(INNER, n_types=2),
]
# Two adjacent mentions, one nested in the second, and one far away.
FIRSTS, LASTS = [3, 4, 5, 90], [3, 6, 5, 91]
SPEAKERS = [1, 2, 0, 1]


def make_spans(speakers=SPEAKERS, width=6):
    generator = torch.Generator().manual_seed(0)
    vectors = torch.randn(2, 4, width, generator=generator)
    types = torch.randn(4, 3, generator=generator).softmax(-1)
    words, index = torch.arange(100), torch.arange(4)
    codes = {"form": words, "group": words % 2, "is_stop": torch.zeros_like(words)}
    codes["speaker"] = torch.zeros_like(words)
    codes["speaker"][FIRSTS] = torch.tensor(speakers)
    ends = torch.tensor([FIRSTS, LASTS])
    return Spans(*ends, *vectors, codes, index, index, types)


def make_scorer(block):
    torch.manual_seed(0)
    scorer = block.build(6).eval()
    with torch.no_grad():
        for name, parameter in scorer.named_parameters():
            if not name.startswith("scorer."):
                parameter.normal_()
    return scorer


def compute_term(scorer, spans, i, j):
    ends = torch.cat([spans.starts, spans.ends], 1)
    if isinstance(scorer, DistanceScorer):
        slope, intercept = scorer.line(ends[i])
        return slope * math.log(1 + max(FIRSTS[i] - LASTS[j], 0)) + intercept
    if isinstance(scorer, TypeScorer):
        return spans.types[i] @ scorer.table @ spans.types[j]
    if not SPEAKERS[i] or not SPEAKERS[j]:
        return 0.0
    part = slice(0, 3) if SPEAKERS[i] == SPEAKERS[j] else slice(3, 6)
    return scorer.anaphor(ends[i])[part] @ scorer.antecedent(ends[j])[part]


@pytest.mark.parametrize(
    "block", [*BLOCKS, replace(BLOCKS[0], scorer=LingMessBlock(hidden_size=8))]
)
def test_scores_match_the_definition(block):
    """Those of all pairs, those of the loss, and those of single pairs."""
    scorer, spans = make_scorer(block), make_spans()
    anaphors, antecedents = scorer.represent(spans)
    table = scorer(anaphors, antecedents)
    inner = scorer.scorer.represent(spans)
    by_term = scorer.score_for_training(anaphors, antecedents)
    assert torch.allclose(by_term[0], table, atol=1e-4)
    assert torch.equal(by_term[1:], scorer.scorer.score_for_training(*inner)[1:])
    found = scorer.scorer(*inner)
    for i, j in product(range(4), repeat=2):
        expected = (found[i, j] + compute_term(scorer, spans, i, j)).item()
        assert table[i, j].item() == pytest.approx(expected, abs=1e-4)
    pairs = torch.cartesian_prod(torch.arange(4), torch.arange(4)).T
    sides = zip((anaphors, antecedents), pairs, strict=True)
    found = scorer.score_pairs(*(tuple(v[i] for v in side) for side, i in sides))
    assert torch.allclose(found, table.flatten(), atol=1e-4)


@pytest.mark.parametrize("block", BLOCKS)
def test_a_new_term_adds_nothing_and_learns(block):
    scorer, spans = block.build(6).eval(), make_spans()
    inner = scorer.scorer(*scorer.scorer.represent(spans))
    scores = scorer(*scorer.represent(spans))
    assert torch.allclose(scores, inner)
    scores.sum().backward()
    own = [p for name, p in scorer.named_parameters() if not name.startswith("scorer.")]
    assert any(p.grad.abs().sum() > 0 for p in own)


def test_without_speakers_scores_are_those_of_the_inner_scorer():
    scorer, spans = make_scorer(BLOCKS[1]), make_spans([0, 0, 0, 0])
    inner = scorer.scorer(*scorer.scorer.represent(spans))
    assert torch.equal(scorer(*scorer.represent(spans)), inner)
