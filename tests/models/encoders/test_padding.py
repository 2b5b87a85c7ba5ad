"""Padded to a few sizes, and the same numbers."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.models.encoders.padding import choose_size, choose_widths
from spacy_fastcoref.models.scorers.layers import (
    Bilinear,
    Dense,
    MlpBlock,
    set_precision,
)

HALF = torch.zeros(1, dtype=torch.bfloat16)


@given(st.integers(0, 1 << 20))
def test_a_size_is_enough_and_not_much_more(n_rows):
    size = choose_size(n_rows, HALF)
    assert n_rows <= size <= max(n_rows + 31, n_rows * 1.125)
    # What has been rounded once stays.
    assert choose_size(size, HALF) == size


@given(st.lists(st.integers(1, 600), min_size=1))
def test_widths_are_enough_and_not_much_more(lengths):
    lengths = np.array(lengths)
    widths = choose_widths(lengths, HALF)
    assert (widths >= lengths).all() and (widths - lengths <= 15).all()
    assert not (widths % 4).any()


@pytest.mark.parametrize(
    "make_layer, dtype",
    [
        (Dense, torch.bfloat16),
        (lambda n_in, n_out: MlpBlock(n_out).make_mlp(n_in).eval(), torch.bfloat16),
        (lambda n_in, n_out: Bilinear(n_in), torch.float32),
    ],
)
def test_a_layer_gives_what_it_was_given(make_layer, dtype):
    """Only what is added up to scores has to be in full precision."""
    layer, inputs = make_layer(64, 64), torch.randn(5, 64)
    with torch.no_grad():
        expected = layer(inputs)
        set_precision(layer, torch.bfloat16)
        found = layer(inputs)
    assert found.shape == (5, 64) and found.dtype == dtype
    assert torch.allclose(found.float(), expected, atol=0.05)
