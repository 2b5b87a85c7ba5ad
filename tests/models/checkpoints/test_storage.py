"""The formats that weights are stored in."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.models.checkpoints.storage import (
    Float16,
    Int8Rows,
    get_storage,
)
from spacy_fastcoref.registry import registry

SIZES = st.lists(st.integers(1, 5), min_size=1, max_size=3)


def make_tensor(sizes, exponent, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(sizes, generator=generator) * 10.0**exponent


@given(SIZES, st.integers(-9, 9), st.integers(0, 99))
def test_rounding_is_bounded(sizes, exponent, seed):
    """Half a step for each weight, and a step is a 127th of the largest of the row."""
    tensor = make_tensor([2, *sizes], exponent, seed)
    encoded = Int8Rows().encode({"w": tensor})
    assert encoded["w"].dtype == torch.int8
    (decoded,) = Int8Rows().decode(encoded).values()
    step = tensor.abs().amax(-1, keepdim=True) / 127
    assert decoded.dtype == torch.float32
    assert ((decoded - tensor).abs() <= 0.52 * step + 0.002 * tensor.abs()).all()


@pytest.mark.parametrize("storage", [Float16(), Int8Rows()])
@given(sizes=SIZES, exponent=st.integers(-4, 3), seed=st.integers(0, 99))
def test_encoding_twice_changes_nothing(storage, sizes, exponent, seed):
    tensors = {
        "matrix": make_tensor([2, *sizes], exponent, seed),
        "zeros": torch.zeros(2, 3),
        "vector": make_tensor(sizes[:1], exponent, seed),
        "whole": torch.tensor([1, 2]),
    }
    once = storage.decode(storage.encode(tensors))
    assert once.keys() == tensors.keys()
    assert all(one.isfinite().all() for one in once.values())
    encoded = storage.encode(once)
    again = storage.decode(encoded)
    for name in tensors:
        assert torch.equal(once[name], again[name])
        assert encoded[name].element_size() < 4 or name == "whole"


@pytest.mark.parametrize(
    "change, reason",
    [
        ({"w:scale": None}, "w has 8 bits without a scale"),
        ({"w": torch.zeros(2, 3)}, "w has 8 bits without a scale, or the reverse"),
        ({"w:scale": torch.zeros(3)}, "not one scale for each row"),
        ({"v:scale": torch.zeros(3)}, "a scale without weights"),
    ],
)
def test_broken_tensors(change, reason):
    encoded = {**Int8Rows().encode({"w": torch.ones(2, 3)}), **change}
    encoded = {name: tensor for name, tensor in encoded.items() if tensor is not None}
    with pytest.raises(ValueError, match=reason):
        Int8Rows().decode(encoded)


def test_formats_are_registered():
    for name in ("Float16", "Int8Rows"):
        storage = get_storage(f"spacy_fastcoref.{name}.v1", "a model")
        assert type(storage).__name__ == name
    assert "spacy_fastcoref.Int8Rows.v1" in registry.coref_storage
    for wrong in ("spacy_fastcoref.Int9.v1", 8, ["spacy_fastcoref.Int8Rows.v1"]):
        with pytest.raises(ValueError, match="FC134.*a model.*Int8Rows"):
            get_storage(wrong, "a model")
