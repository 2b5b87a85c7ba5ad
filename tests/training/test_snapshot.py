"""A snapshot is the old one or the new one, whenever a process that writes it dies."""

import json
import os
from types import SimpleNamespace

import numpy as np
import torch
from thinc.api import NumpyOps

from spacy_fastcoref.training import snapshot as module
from spacy_fastcoref.training.loop import SNAPSHOT
from spacy_fastcoref.training.snapshot import (
    Progress,
    Snapshot,
    get_random_state,
    set_random_state,
)

from ..killing import iter_kills, needs_fork


@needs_fork
def test_a_killed_process_leaves_a_whole_snapshot(tiny_nlp, tmp_path):
    path = tmp_path / SNAPSHOT
    optimizer = tiny_nlp.create_optimizer()
    model = tiny_nlp.get_pipe("fastcoref").model
    first = model.get_checkpoint()
    weights = {}

    def write(step):
        tensors = {key: tensor + step for key, tensor in first.tensors.items()}
        checkpoint = type(first)(first.config, tensors, first.tokenizer)
        model.set_checkpoint(checkpoint)
        Snapshot.write(path, tiny_nlp, optimizer, Progress(step=step))

    for step in (2, 1):
        write(step)
        weights[step] = Snapshot(path).tensors
    steps = []
    for kill in iter_kills(lambda: write(2), tmp_path):
        found = Snapshot(path)
        steps.append(found.progress.step)
        expected = weights[steps[-1]]
        assert found.tensors.keys() == expected.keys()
        assert all(torch.equal(t, expected[key]) for key, t in found.tensors.items())
        if steps[-1] == 2 and kill != "done":
            write(1)
    assert set(steps) == {1, 2} and steps[-1] == 2
    assert os.listdir(tmp_path) == [SNAPSHOT]


def test_random_numbers_of_cupy(monkeypatch):
    """Seed CuPy's generator, since its state can't be read."""
    cupy = SimpleNamespace(random=np.random.RandomState(5))
    monkeypatch.setattr(module, "get_current_ops", lambda: SimpleNamespace(xp=cupy))
    state = json.loads(json.dumps(get_random_state()))
    expected = cupy.random.rand(3)
    cupy.random = np.random.RandomState(6)
    set_random_state(state)
    assert cupy.random.rand(3).tolist() == expected.tolist()
    # Each time another, so that dropout does not repeat itself.
    assert get_random_state()["cupy"] != state["cupy"]
    monkeypatch.setattr(module, "get_current_ops", NumpyOps)
    set_random_state(state)
    assert get_random_state()["cupy"] is None
