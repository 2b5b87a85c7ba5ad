"""Test that `nlp.update(drop=...)` sets the rate of layers with `dropout = null`."""

from dataclasses import replace

import pytest
import torch
from spacy.training import Example
from thinc.api import Adam
from transformers import AutoConfig, AutoModel

from spacy_fastcoref import set_clusters
from spacy_fastcoref.models.blocks import describe_block
from spacy_fastcoref.models.encoders.encoder import (
    TransformerBlock,
    use_window_attention,
)
from spacy_fastcoref.models.learning.learner import set_dropout
from spacy_fastcoref.models.scorers.s2e import (
    S2EAntecedentScorerBlock,
    S2EMentionScorerBlock,
)

from ...conftest import make_network, make_nlp
from ..encoders.test_longformer import make_longformer

LAYER = {"hidden_size": 24, "eps": 1e-12}


def make_pipeline(path, dropout, encoder_dropout):
    changes = {
        "encoder": describe_block(replace(TransformerBlock(), dropout=encoder_dropout)),
        "mention_scorer": describe_block(
            S2EMentionScorerBlock(dropout=dropout, **LAYER)
        ),
        "antecedent_scorer": describe_block(
            S2EAntecedentScorerBlock(dropout=0.3, **LAYER)
        ),
    }
    return make_nlp(path, make_network(**changes), **changes)


def update(nlp, drop):
    doc = nlp.make_doc("she said that she left")
    reference = doc.copy()
    set_clusters(reference, [[(0, 1), (3, 4)]])
    nlp.update([Example(doc, reference)], drop=drop, sgd=Adam(0.0))
    learner, _ = nlp.get_pipe("fastcoref").model.get_learner()
    return learner


def find_rates(module):
    return {m.p for m in module.modules() if isinstance(m, torch.nn.Dropout)}


def test_null_uses_rate_of_update(tmp_path):
    nlp = make_pipeline(tmp_path, None, None)
    for drop in (0.25, 0.0, 0.5):
        learner = update(nlp, drop)
        assert find_rates(learner.network.mention_scorer) == {drop}
        assert find_rates(learner.network.antecedent_scorer) == {0.3}
        assert find_rates(learner.network.encoder) == {drop}
        # Without dropout, the encoder uses PyTorch's fast attention.
        assert learner.has_encoder_dropout == (drop > 0)


def test_rate_of_block_has_priority(tmp_path):
    nlp = make_pipeline(tmp_path, 0.125, 0.0)
    learner = update(nlp, 0.5)
    assert find_rates(learner.network.mention_scorer) == {0.125}
    assert not learner.has_encoder_dropout


def test_dropout_of_an_own_layer_is_set_as_that_of_others():
    model = make_longformer()
    use_window_attention(model)
    set_dropout(model, 0.25, 0.0)
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.Dropout):
            # Any other would turn torch's fast attention off.
            assert module.p == (0.0 if ".self." in name else 0.25)


@pytest.mark.parametrize(
    ("kind", "of_attention"),
    [
        ("bert", "attention.self.dropout"),
        ("albert", "attention.attention_dropout"),
        ("distilbert", "attention.dropout"),
    ],
)
def test_dropout_of_attention_is_known_by_where_queries_are(kind, of_attention):
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    if kind == "distilbert":
        sizes = {"dim": 8, "hidden_dim": 8, "n_layers": 1, "n_heads": 2}
    model = AutoModel.from_config(AutoConfig.for_model(kind, vocab_size=9, **sizes))
    set_dropout(model, 0.25, 0.0)
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.Dropout):
            assert module.p == (0.0 if name.endswith(of_attention) else 0.25)
