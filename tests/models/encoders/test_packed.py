"""Segments end to end against segments side by side, with padding."""

import sys

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import AutoModel

from spacy_fastcoref.models.batching import Batch, Pieces
from spacy_fastcoref.models.encoders import encoder as encoder_module
from spacy_fastcoref.models.encoders import packed
from spacy_fastcoref.models.encoders.encoder import Transformer
from spacy_fastcoref.models.runtime import Runtime

from ..test_architectures import ENCODERS, write_encoder


def make_batch(lengths, seed=0):
    rng = np.random.default_rng(seed)
    return Batch.from_pieces([make_pieces(rng.integers(5, 20, n)) for n in lengths])


def make_pieces(ids):
    return Pieces.from_words(ids, list(range(len(ids))))


def make_encoder(tmp_path, model_type):
    config = AutoModel.from_pretrained(write_encoder(tmp_path, model_type)).config
    torch.manual_seed(0)
    return Transformer(config).eval()


def make_padded(tmp_path, model_type, monkeypatch):
    """Make an encoder whose segments transformers reads side by side."""
    for name in ("is_bert", "use_packed_attention"):
        monkeypatch.setattr(encoder_module, name, lambda _: False)
    return make_encoder(tmp_path, model_type)


def encode(encoder, batch, max_tokens=10_000):
    runtime = Runtime(max_tokens_in_batch=max_tokens)
    with torch.inference_mode():
        return encoder.encode(batch, runtime, 16, torch.from_numpy)


@pytest.mark.parametrize("model_type", sorted(ENCODERS))
def test_the_same_vectors(tmp_path, model_type, monkeypatch):
    batch = make_batch([40, 16, 3, 16, 1, 7, 7])
    packs = make_encoder(tmp_path / "one", model_type)
    pads = make_padded(tmp_path / "two", model_type, monkeypatch)
    assert not pads.is_packed and not pads.is_bert
    pads.load_state_dict(packs.state_dict())
    expected = encode(pads, batch)
    for max_tokens in (10_000, 20, 1):
        found = encode(packs, batch, max_tokens)
        assert torch.allclose(found, expected, atol=1e-5), model_type


@pytest.mark.parametrize("model_type", ["bert", "roberta"])
@pytest.mark.parametrize("setting", ["torch", "onnx"])
def test_layers_alone_give_the_same_vectors(tmp_path, model_type, setting, monkeypatch):
    if setting == "onnx":
        pytest.importorskip("onnxruntime")
    batch = make_batch([40, 16, 3, 16, 1, 7, 7])
    encoder = make_encoder(tmp_path, model_type)
    expected = encode(encoder, batch)
    encoder.prepare(setting)
    if setting == "onnx":
        monkeypatch.setattr(encoder.transformer.encoder, "forward", None)
    for max_tokens in (10_000, 1):
        assert torch.allclose(encode(encoder, batch, max_tokens), expected, atol=1e-5)


@pytest.mark.parametrize("model_type", ["distilbert", "bert"])
def test_torch_runs_what_onnx_runtime_does_not(tmp_path, model_type, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    batch = make_batch([7, 3])
    encoder = make_encoder(tmp_path, model_type)
    expected = encode(encoder, batch)
    with pytest.warns(UserWarning, match="FCW41"):
        encoder.prepare("onnx")
    assert torch.allclose(encode(encoder, batch), expected, atol=1e-5)


@pytest.mark.parametrize(
    "dtype, in_steps",
    [(torch.float32, False), (torch.bfloat16, False), (torch.bfloat16, True)],
)
def test_pieces_attend_to_their_own_segment(dtype, in_steps, monkeypatch):
    def has_capability(name):
        return in_steps and name == "avx512_bf16"

    monkeypatch.setattr(packed, "has_capability", has_capability)
    if in_steps:
        # The fused one is not to be asked.
        monkeypatch.setattr(packed, "scaled_dot_product_attention", None)
    lengths = [15, 14, 14, 13, 4, 3, 1]
    torch.manual_seed(0)
    factor = torch.zeros(1, dtype=dtype)
    layout = packed.Layout.from_lengths(np.array(lengths), factor)
    sides = torch.randn(3, 1, 2, len(layout.steps), 4).to(dtype)
    is_piece = torch.from_numpy(layout.is_piece)
    with torch.inference_mode():
        found, _ = packed.attend_packed(
            None, *sides, None, layout=layout, is_piece=is_piece
        )
    found = found[0, is_piece].float()
    pieces = sides[:, :, :, is_piece].float()
    begin = 0
    for length in lengths:
        parts = pieces[:, :, :, begin : begin + length]
        expected = scaled_dot_product_attention(*parts)[0].transpose(0, 1)
        assert torch.allclose(found[begin : begin + length], expected, atol=0.1)
        begin += length
    assert len(found) == begin == sum(lengths)
    assert layout.steps[layout.is_piece].tolist() == [
        step for length in lengths for step in range(length)
    ]


def test_learning_is_the_same(tmp_path, monkeypatch):
    batch = make_batch([20, 9, 9])
    packs = make_encoder(tmp_path / "one", "roberta")
    pads = make_padded(tmp_path / "two", "roberta", monkeypatch)
    pads.load_state_dict(packs.state_dict())
    gradients = []
    for encoder in (packs, pads):
        vectors = encoder.encode(batch, Runtime(), 16, torch.from_numpy)
        vectors.square().sum().backward()
        named = encoder.named_parameters()
        gradients.append({name: p.grad for name, p in named if p.grad is not None})
    one, other = gradients
    assert one.keys() == other.keys() and len(one) > 10
    for name in one:
        assert torch.allclose(one[name], other[name], atol=1e-3, rtol=1e-3)
