"""MPNet's attention against transformers' own."""

import copy

import pytest
import torch
from transformers import AutoConfig, AutoModel, MPNetConfig, MPNetModel

from spacy_fastcoref.models.encoders.longformer import use_window_attention
from spacy_fastcoref.models.encoders.mpnet import use_relative_attention
from spacy_fastcoref.models.learning.learner import set_dropout

from ..test_architectures import ENCODERS
from .test_longformer import make_longformer

CONFIG = {**ENCODERS["mpnet"], "max_position_embeddings": 220}


def make_model():
    model = MPNetModel(MPNetConfig(**CONFIG)).eval()
    # As large as they get in training, so that a lost one would be seen.
    model.encoder.relative_attention_bias.weight.data.normal_(std=2.0)
    return model


def make_inputs(lengths):
    ids = torch.ones((len(lengths), max(lengths)), dtype=torch.int64)
    for row, length in enumerate(lengths):
        ids[row, :length] = torch.randint(3, 50, (length,))
    return {"input_ids": ids, "attention_mask": (ids != 1).long()}


@pytest.mark.parametrize("lengths", [(3,), (8, 5), (200, 40, 1)])
def test_the_same_vectors(lengths):
    model, inputs = make_model(), make_inputs(lengths)
    keys = set(model.state_dict())
    mask = inputs["attention_mask"].bool()
    with torch.inference_mode():
        expected = model(**inputs).last_hidden_state
        use_relative_attention(model)
        found = model(**inputs).last_hidden_state
    assert set(model.state_dict()) == keys
    assert found.isfinite().all()
    torch.testing.assert_close(found[mask], expected[mask], atol=1e-5, rtol=1e-4)


def test_all_but_distances_learn_the_same():
    model, inputs = make_model(), make_inputs((20, 9))
    fast = copy.deepcopy(model)
    use_relative_attention(fast)
    for one in (model, fast):
        vectors = one(**inputs).last_hidden_state
        vectors[inputs["attention_mask"].bool()].square().sum().backward()
    expected, found = (
        {key: p.grad for key, p in one.named_parameters()} for one in (model, fast)
    )
    assert found.pop("encoder.relative_attention_bias.weight") is None
    for key, gradient in found.items():
        if gradient is not None:
            torch.testing.assert_close(gradient, expected[key], atol=1e-3, rtol=1e-3)


def test_half_precision():
    model, inputs = make_model(), make_inputs((40, 7))
    mask = inputs["attention_mask"].bool()
    with torch.inference_mode():
        expected = model(**inputs).last_hidden_state
        use_relative_attention(model)
        found = model.to(torch.bfloat16)(**inputs).last_hidden_state
    assert found.dtype == torch.bfloat16
    torch.testing.assert_close(found[mask].float(), expected[mask], atol=0.2, rtol=0.1)


@pytest.mark.parametrize(
    "make, replace",
    [(make_model, use_relative_attention), (make_longformer, use_window_attention)],
)
def test_dropout_is_set_as_that_of_others(make, replace):
    model = make()
    replace(model)
    set_dropout(model, 0.25, 0.0)
    rates = {
        name: module.p
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Dropout)
    }
    # Any other would turn torch's fast attention off.
    assert {r for k, r in rates.items() if ".self." in k or ".attn." in k} == {0.0}
    others = {k: r for k, r in rates.items() if ".self." not in k and ".attn." not in k}
    assert others and set(others.values()) == {0.25}


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
