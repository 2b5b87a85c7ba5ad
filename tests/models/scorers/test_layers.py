import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.models.scorers.layers import Bilinear, compute_band


@given(st.integers(1, 40), st.integers(1, 9), st.integers(1, 12), st.integers(0, 99))
def test_band_matches_diagonals_of_product(n, width, chunk, seed):
    rows, columns = torch.randn(
        2, n, 5, generator=torch.Generator().manual_seed(seed), dtype=torch.float64
    )
    band = compute_band(rows, columns, width, chunk)
    assert band.shape == (n, width)
    whole = rows @ columns.T
    for i in range(n):
        for d in range(width):
            expected = whole[i, i + d] if i + d < n else 0.0
            assert band[i, d].item() == pytest.approx(float(expected), abs=1e-12)


def test_initial_bilinear_products_are_small():
    torch.manual_seed(0)
    width = 256
    vectors = torch.nn.functional.layer_norm(torch.randn(2, 500, width), (width,))
    products = (Bilinear(width)(vectors[0]) * vectors[1]).sum(-1)
    assert 0.2 < products.std() < 2
