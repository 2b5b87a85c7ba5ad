"""Test the experts of LingMess and its checkpoints."""

import pytest
import torch
from spacy.tokens import Doc

from spacy_fastcoref.models.learning.loss import get_link_loss
from spacy_fastcoref.models.runtime import Runtime
from spacy_fastcoref.models.scorers.lingmess import (
    CATEGORIES,
    N_EXPERTS,
    LingMessBlock,
    Words,
    categorize,
)

from ...conftest import blank
from .test_categories import VOCAB, make_spans

WORDS = "he saw him and she saw a cat of the house".split()
OFFSETS = [(0, 1), (2, 3), (4, 5), (6, 8), (6, 11), (9, 11)]
BLOCK = LingMessBlock(hidden_size=5, dropout=0.0)


def make_scorer(width=6):
    torch.manual_seed(3)
    scorer = BLOCK.build(width).eval()
    with torch.no_grad():
        for parameter in scorer.parameters():
            parameter.normal_()
    return scorer


def make_mentions(scorer, width=6):
    spans = make_spans(Doc(VOCAB, words=WORDS), OFFSETS)
    generator = torch.Generator().manual_seed(4)
    starts, ends = torch.randn(2, len(OFFSETS), width, generator=generator)
    return spans._replace(starts=starts, ends=ends)


def test_scores_match_loop_over_experts():
    """Scores match the definition, with weights in the shapes of LingMess."""
    scorer = make_scorer()
    spans = make_mentions(scorer)
    anaphors, antecedents = scorer.represent(spans)
    table = scorer(anaphors, antecedents)
    categories = categorize(Words(*anaphors), Words(*antecedents))
    assert set(categories.flatten().tolist()) == set(range(len(CATEGORIES)))
    start = scorer.start_mlp(spans.starts).view(-1, N_EXPERTS, 5)
    end = scorer.end_mlp(spans.ends).view(-1, N_EXPERTS, 5)
    for i in range(len(OFFSETS)):
        for j in range(len(OFFSETS)):
            expected = 0.0
            for expert in (int(categories[i, j]), N_EXPERTS - 1):
                for bilinear, left, right in (
                    (scorer.start_to_start, start, start),
                    (scorer.end_to_end, end, end),
                    (scorer.start_to_end, start, end),
                    (scorer.end_to_start, end, start),
                ):
                    weight, bias = bilinear.weight[expert], bilinear.bias[expert]
                    product = left[i, expert] @ weight + bias
                    expected = expected + product @ right[j, expert]
            torch.testing.assert_close(table[i, j], expected, rtol=1e-4, atol=1e-3)
    pairs = scorer.score_pairs(anaphors, antecedents)
    torch.testing.assert_close(pairs, table.diagonal(), rtol=1e-4, atol=1e-3)


def test_training_scores_are_model_and_expert_scores():
    scorer = make_scorer()
    anaphors, antecedents = scorer.represent(make_mentions(scorer))
    by_term = scorer.score_for_training(anaphors, antecedents)
    assert by_term.shape == (1 + N_EXPERTS, len(OFFSETS), len(OFFSETS))
    torch.testing.assert_close(by_term[0], scorer(anaphors, antecedents))
    experts = by_term[1:].masked_fill(by_term[1:].isinf(), 0.0)
    torch.testing.assert_close(experts.sum(0), by_term[0])
    # One expert for the category, and the general expert.
    assert (by_term[1:-1].isfinite().sum(0) == 1).all() and by_term[-1].isfinite().all()


def test_loss_has_gradients_for_experts_of_pairs():
    scorer = make_scorer().train()
    anaphors, antecedents = scorer.represent(make_mentions(scorer))
    by_term = scorer.score_for_training(anaphors, antecedents)
    is_later = torch.ones(by_term.shape[1:], dtype=torch.bool).triu()
    clusters = torch.tensor([0, 0, 1, 1, -1, -1])
    by_term = by_term.masked_fill(is_later, -torch.inf)
    get_link_loss(by_term, clusters, clusters > -2).backward()
    for bilinear in (scorer.start_to_start, scorer.end_to_start):
        seen = bilinear.weight.grad.abs().sum((1, 2)) > 0
        categories = categorize(Words(*anaphors), Words(*antecedents))
        expected = set(categories[~is_later].tolist()) | {N_EXPERTS - 1}
        assert set(seen.nonzero().flatten().tolist()) == expected


@pytest.mark.parametrize("lang, is_pronoun", [("de", True), ("en", False)])
def test_categories_by_the_language_of_the_document(lang, is_pronoun):
    block = LingMessBlock(lang=None)
    doc = Doc(blank(lang).vocab, words=["sie", "kam"])
    groups = block.read(doc, Runtime())["group"].tolist()
    assert [group > 0 for group in groups] == [is_pronoun, False]
    assert block.build(4).shape[-1] == block.hidden_size
