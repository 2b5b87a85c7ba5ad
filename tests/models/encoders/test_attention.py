"""Attention in steps against torch's own, in double precision."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from spacy_fastcoref.models.encoders import packed


def make_sides(n_segments, n_heads, length, dtype=torch.bfloat16):
    torch.manual_seed(0)
    # As an encoder has them: heads side by side in each row.
    sides = torch.randn(3, n_segments, length, n_heads, 8).to(dtype)
    return list(sides.transpose(2, 3))


def attend_exactly(query, key, value, n_pieces, scaling=None):
    parts = [
        scaled_dot_product_attention(
            query[i : i + 1].double(),
            key[i : i + 1, :, :n].double(),
            value[i : i + 1, :, :n].double(),
            scale=scaling,
        )
        for i, n in enumerate(n_pieces)
    ]
    return torch.cat(parts)


@pytest.fixture
def steps(monkeypatch):
    """Do attention in steps: the fused one is not to be asked."""
    monkeypatch.setattr(packed, "scaled_dot_product_attention", None)
    set_capabilities(monkeypatch, "avx512_bf16")


def set_capabilities(monkeypatch, *names):
    monkeypatch.setattr(packed, "has_capability", lambda name: name in names)


@pytest.mark.parametrize("scaling", [None, 0.7])
@pytest.mark.parametrize("most", [1, 64, 1 << 20])
@pytest.mark.parametrize(
    ("n_heads", "n_pieces"), [(3, [8, 8]), (3, [8, 7, 1]), (1, [5]), (4, [8])]
)
def test_as_torch_attends(steps, monkeypatch, n_heads, n_pieces, most, scaling):
    """However many heads are at hand at once, the last ones too."""
    length = 8
    # One head of one segment is the least.
    monkeypatch.setattr(packed, "_MAX_SCORES", max(most, length**2))
    sides = make_sides(len(n_pieces), n_heads, length)
    is_piece = torch.arange(length) < torch.tensor(n_pieces)[:, None]
    with torch.inference_mode():
        found = packed.attend(
            *sides,
            is_piece=is_piece,
            has_padding=not bool(is_piece.all()),
            scaling=scaling,
        )
    assert found.shape == sides[0].shape
    expected = attend_exactly(*sides, n_pieces, scaling)
    assert torch.allclose(found.double(), expected, atol=0.03)


@pytest.mark.parametrize("names", [("avx512_bf16",), ("avx512_bf16", "amx_bf16")])
@pytest.mark.parametrize("most", [1, 1 << 20])
def test_learns_as_torch_does(steps, monkeypatch, most, names):
    """Also where a caller's autocast takes what it can in float32."""
    set_capabilities(monkeypatch, *names)
    monkeypatch.setattr(packed, "_MAX_SCORES", max(most, 64))
    is_piece = torch.arange(8) < torch.tensor([[8], [6], [1]])
    sides = [side.requires_grad_() for side in make_sides(3, 2, 8)]
    weights = torch.randn(3, 2, 8, 8, generator=torch.Generator().manual_seed(1))
    with torch.autocast("cpu", torch.bfloat16):
        found = packed.attend(*sides, is_piece=is_piece, has_padding=True)
    assert found.dtype == torch.bfloat16
    found_grads = torch.autograd.grad((found * weights).sum(), sides)
    exact = [side.detach().double().requires_grad_() for side in sides]
    expected = attend_exactly(*exact, [8, 6, 1])
    assert torch.allclose(found.double(), expected, atol=0.03)
    grads = torch.autograd.grad((expected * weights).sum(), exact)
    for one, other in zip(found_grads, grads, strict=True):
        assert torch.allclose(one.double(), other, atol=0.06)
