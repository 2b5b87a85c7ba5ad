"""What a training run goes on from."""

import json

import pytest
import torch

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
