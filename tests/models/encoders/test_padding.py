"""Padded to a few sizes, and the same numbers."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.models.encoders.padding import choose_size, choose_widths

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
