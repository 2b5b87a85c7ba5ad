"""Test the antecedent scorer that also sees speakers."""

import numpy as np
import pytest
import spacy
import torch
from spacy.tokens import Doc, Span

from spacy_fastcoref.models.blocks import describe_block
from spacy_fastcoref.models.runtime import Runtime
from spacy_fastcoref.models.scorers.antecedent_scorer import S2EAntecedentScorerBlock
from spacy_fastcoref.models.scorers.spans import Spans
from spacy_fastcoref.models.scorers.speakers import SpeakerScorerBlock

from ...conftest import make_config, make_network, make_nlp

BLOCK = SpeakerScorerBlock(S2EAntecedentScorerBlock(hidden_size=8), rank=3)


def make_doc(turns, vocab=None):
    doc = Doc(vocab or spacy.blank("en").vocab, words="I saw you . I left .".split())
    doc.spans["speakers"] = [Span(doc, *turn) for turn in turns]
    return doc


def test_speakers_are_numbered_within_a_document():
    doc = make_doc([(0, 2, "Ann"), (2, 4, "Bob"), (5, 6, "Ann")])
    codes = BLOCK.read(doc, Runtime())["speaker"]
    assert codes.tolist() == [1, 1, 2, 2, 0, 1, 0]
    doc = Doc(doc.vocab, words=["I"])
    assert BLOCK.read(doc, Runtime())["speaker"].tolist() == [0]


def make_spans(speakers, width=6, seed=0):
    generator = torch.Generator().manual_seed(seed)
    n_spans = len(speakers)
    vectors = torch.randn(2, n_spans, width, generator=generator)
    index = torch.arange(n_spans)
    codes = {"speaker": torch.tensor(speakers)}
    return Spans(index, index, *vectors, codes, index, index)


def make_scorer(seed=0):
    torch.manual_seed(seed)
    scorer = BLOCK.build(6).eval()
    with torch.no_grad():
        scorer.antecedent.weight.normal_()
        scorer.antecedent.bias.normal_()
    return scorer


def test_scores_match_loop_over_pairs():
    """Scores of all pairs and of single pairs match the definition."""
    scorer = make_scorer()
    spans = make_spans([1, 2, 0, 1])
    anaphors, antecedents = scorer.represent(spans)
    table = scorer(anaphors, antecedents)
    inner = scorer.scorer(*scorer.scorer.represent(spans))
    for i in range(4):
        for j in range(4):
            row = tuple(part[i : i + 1] for part in anaphors)
            column = tuple(part[j : j + 1] for part in antecedents)
            added = 0.0
            speaker, other_speaker = int(anaphors[0][i]), int(antecedents[0][j])
            if speaker and other_speaker:
                part = slice(0, 3) if speaker == other_speaker else slice(3, 6)
                added = (anaphors[1][i, part] * antecedents[1][j, part]).sum().item()
                assert abs(added) > 1e-4
            assert table[i, j].item() == pytest.approx(
                inner[i, j].item() + added, abs=1e-4
            )
            assert scorer.score_pairs(row, column).item() == pytest.approx(
                table[i, j].item(), abs=1e-4
            )


def test_inner_scores_without_speakers():
    scorer = make_scorer()
    spans = make_spans([0, 0, 0])
    inner = scorer.scorer(*scorer.scorer.represent(spans))
    assert torch.equal(scorer(*scorer.represent(spans)), inner)


def test_new_scorer_gives_inner_scores():
    spans = make_spans([1, 2, 1])
    scorer = BLOCK.build(6).eval()
    inner = scorer.scorer(*scorer.scorer.represent(spans))
    assert torch.allclose(scorer(*scorer.represent(spans)), inner)


def test_speakers_affect_links_and_pair_scores(tmp_path):
    inner = S2EAntecedentScorerBlock(**_inner_settings())
    block = describe_block(SpeakerScorerBlock(inner, rank=4))
    network = make_network(antecedent_scorer=block)
    with torch.no_grad():
        network.antecedent_scorer.antecedent.weight.normal_(std=5.0)
    nlp = make_nlp(tmp_path / "model", network, antecedent_scorer=block)
    pipe = nlp.get_pipe("fastcoref")
    one = make_doc([(0, 4, "Ann"), (4, 7, "Ann")], nlp.vocab)
    two = make_doc([(0, 4, "Ann"), (4, 7, "Bob")], nlp.vocab)
    found, other = pipe.predict([one, two])
    assert np.array_equal(found.mentions, other.mentions)
    assert not np.allclose(found.scores, other.scores)
    # Scores on demand are the same.
    mentions = found.mentions.tolist()
    row = max(i for i in range(len(mentions)) if found.antecedents[i, 0] >= 0)
    column = int(found.antecedents[row, 0])
    scorer = pipe.model.shim.get_pair_scorer(one)
    (score,) = scorer([(tuple(mentions[row]), tuple(mentions[column]))])
    assert score == pytest.approx(found.scores[row, 0], abs=1e-4)


def _inner_settings():
    settings = dict(make_config()["antecedent_scorer"])
    settings.pop("@coref_layers")
    return settings
