"""Longformer's window against transformers' own attention."""

import pytest
import torch
from transformers import LongformerConfig, LongformerModel

from spacy_fastcoref.models.encoders import encoder
from spacy_fastcoref.models.encoders.encoder import use_window_attention

WINDOW = 8
CONFIG = {
    "vocab_size": 50,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
    "max_position_embeddings": 120,
    "attention_window": [WINDOW, WINDOW],
    "pad_token_id": 1,
}


def make_longformer():
    return LongformerModel(LongformerConfig(**CONFIG)).eval()


@pytest.mark.parametrize("block_windows", [1, 2, 50])
@pytest.mark.parametrize("lengths", [(3,), (8, 5), (61, 40, 1), (100,)])
def test_the_same_vectors(monkeypatch, block_windows, lengths):
    monkeypatch.setattr(encoder, "_BLOCK_WINDOWS", block_windows)
    model = make_longformer()
    ids = torch.full((len(lengths), max(lengths)), 1)
    mask = torch.zeros_like(ids)
    for row, length in enumerate(lengths):
        ids[row, :length] = torch.randint(3, 50, (length,))
        mask[row, :length] = 1
    keys = set(model.state_dict())
    with torch.inference_mode():
        expected = model(input_ids=ids, attention_mask=mask).last_hidden_state
        use_window_attention(model)
        found = model(input_ids=ids, attention_mask=mask).last_hidden_state
    assert set(model.state_dict()) == keys
    assert found.isfinite().all()
    torch.testing.assert_close(
        found[mask.bool()], expected[mask.bool()], atol=1e-5, rtol=1e-4
    )
