"""The formats that weights are stored in."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.models.checkpoints.storage import (
    Float16,
    Int8Groups,
    collect_inputs,
)


class Small(Int8Groups):
    """Round small matrices, too."""

    min_size = 0


SIZES = st.lists(st.integers(1, 5), min_size=1, max_size=3)


def make_tensor(sizes, exponent, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(sizes, generator=generator) * 10.0**exponent


@given(SIZES, st.integers(-9, 9), st.integers(0, 99))
def test_rounding_is_bounded(sizes, exponent, seed):
    """Half a step for each weight, and a step is a 127th of the group's largest."""
    tensor = make_tensor([2, *sizes], exponent, seed)
    encoded = Small().encode({"w": tensor})
    assert encoded["w"].dtype == torch.int8
    (decoded,) = Small().decode(encoded).values()
    step = tensor.abs().amax(-1, keepdim=True) / 127
    assert decoded.dtype == torch.float32
    assert ((decoded - tensor).abs() <= 0.52 * step + 0.002 * tensor.abs()).all()


@pytest.mark.parametrize("storage", [Float16(), Small()])
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
        ({"w:scale": torch.zeros(3)}, "not one scale for each group"),
        ({"v:scale": torch.zeros(3)}, "a scale without weights"),
    ],
)
def test_broken_tensors(change, reason):
    encoded = {**Small().encode({"w": torch.ones(2, 3)}), **change}
    encoded = {name: tensor for name, tensor in encoded.items() if tensor is not None}
    with pytest.raises(ValueError, match=reason):
        Small().decode(encoded)


def test_later_columns_make_up_for_the_error():
    """With inputs, the outputs of a layer are closer than by plain rounding."""
    generator = torch.Generator().manual_seed(0)
    layer = torch.nn.Linear(128, 32)
    mixed = torch.randn(16, 128, generator=generator)
    rows = torch.randn(500, 16, generator=generator) @ mixed
    with collect_inputs(torch.nn.Sequential(layer)) as inputs:
        layer(rows[:300])
        layer(rows[None, 300:])
    assert torch.allclose(inputs["0.weight"], rows.T @ rows, rtol=1e-3, atol=1e-2)
    weight = {"0.weight": layer.weight.detach()}
    errors = []
    for given_inputs in (None, inputs):
        decoded = Small().decode(Small().encode(weight, given_inputs))
        errors.append((rows @ (decoded["0.weight"] - weight["0.weight"]).T).norm())
    assert errors[1] < 0.5 * errors[0]
    # Outside of the context nothing is collected.
    layer(rows)
    assert torch.allclose(inputs["0.weight"], rows.T @ rows, rtol=1e-3, atol=1e-2)
