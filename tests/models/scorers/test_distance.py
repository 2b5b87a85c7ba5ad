"""Test the antecedent scorer that also sees distances."""

import math

import numpy as np
import pytest
import torch

from spacy_fastcoref.models.blocks import describe_block, make_block
from spacy_fastcoref.models.scorers.antecedent_scorer import S2EAntecedentScorerBlock
from spacy_fastcoref.models.scorers.distance import DistanceScorerBlock
from spacy_fastcoref.models.scorers.lingmess import LingMessBlock
from spacy_fastcoref.models.scorers.spans import Spans

from ...conftest import make_config, make_network, make_nlp

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


def test_distance_decides_links_in_pipeline(tmp_path):
    inner = make_config()["antecedent_scorer"]
    block = describe_block(DistanceScorerBlock(make_block(inner, "a test")))
    network = make_network(antecedent_scorer=block)
    nlp = make_nlp(tmp_path / "any", network, antecedent_scorer=block)
    with torch.no_grad():
        network.antecedent_scorer.line.bias[0] = -1e4
    near = make_nlp(tmp_path / "near", network, antecedent_scorer=block)
    doc = nlp.make_doc("anna met boris and she said her dog ran . " * 4)
    (any_links,), (links,) = (
        one.get_pipe("fastcoref").predict([doc]) for one in (nlp, near)
    )
    assert np.array_equal(any_links.mentions, links.mentions)
    starts, ends = links.mentions.T
    for i in range(1, len(links)):
        # The best antecedent is the nearest one.
        least = np.maximum(starts[i] - ends[:i] + 1, 0).min()
        best = links.antecedents[i, 0]
        assert max(starts[i] - ends[best] + 1, 0) == least
    # Scores on demand are the same.
    row = len(links) - 1
    pair = [tuple(links.mentions[i].tolist()) for i in (row, links.antecedents[row, 0])]
    (score,) = near.get_pipe("fastcoref").model.score_pairs(doc, [tuple(pair)])
    assert score == pytest.approx(links.scores[row, 0], rel=1e-4)
