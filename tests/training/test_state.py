"""Test that the state of a training run is saved and restored."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from thinc.api import NumpyOps

from spacy_fastcoref.training import state as state_module
from spacy_fastcoref.training.state import get_random_state, set_random_state


@pytest.mark.parametrize("n_devices", [1, 2, 3])
def test_random_numbers_on_another_number_of_gpus(monkeypatch, n_devices):
    made = {i: torch.Generator().manual_seed(i).get_state() for i in range(2)}
    found = {}
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: n_devices)
    monkeypatch.setattr(torch.cuda, "get_rng_state_all", lambda: [*made.values()])
    monkeypatch.setattr(
        torch.cuda, "set_rng_state_all", lambda states: found.update(enumerate(states))
    )
    state = json.loads(json.dumps(get_random_state()))
    expected = torch.rand(3)
    set_random_state(state)
    assert torch.equal(torch.rand(3), expected)
    assert len(found) == min(n_devices, 2)
    assert all(torch.equal(found[i], made[i]) for i in found)


def test_random_numbers_of_cupy(monkeypatch):
    """Seed CuPy's generator, since its state can't be read."""
    cupy = SimpleNamespace(random=np.random.RandomState(5))
    monkeypatch.setattr(
        state_module, "get_current_ops", lambda: SimpleNamespace(xp=cupy)
    )
    state = json.loads(json.dumps(get_random_state()))
    expected = cupy.random.rand(3)
    cupy.random = np.random.RandomState(6)
    set_random_state(state)
    assert cupy.random.rand(3).tolist() == expected.tolist()
    # Each time another, so that dropout does not repeat itself.
    assert get_random_state()["cupy"] != state["cupy"]
    monkeypatch.setattr(state_module, "get_current_ops", NumpyOps)
    set_random_state(state)
    assert get_random_state()["cupy"] is None
