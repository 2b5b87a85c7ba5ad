"""Test the antecedent scorer that also sees speakers."""

import numpy as np
import pytest
import spacy
import torch
from spacy.tokens import Doc, Span

from spacy_fastcoref.models.blocks import describe_block
from spacy_fastcoref.models.runtime import Runtime
from spacy_fastcoref.models.scorers.antecedent_scorer import S2EAntecedentScorerBlock
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
    scorer = pipe.model.get_pair_scorer(one)
    (score,) = scorer([(tuple(mentions[row]), tuple(mentions[column]))])
    assert score == pytest.approx(found.scores[row, 0], abs=1e-4)


def _inner_settings():
    settings = dict(make_config()["antecedent_scorer"])
    settings.pop("@coref_layers")
    return settings
