"""A snapshot is the old one or the new one, whenever a process that writes it dies."""

import os

import pytest

from spacy_fastcoref.training.loop import SNAPSHOT
from spacy_fastcoref.training.snapshot import Progress, Snapshot

from ..killing import iter_kills, needs_fork


@pytest.mark.slow
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
        weights[step] = Snapshot(path).state["pipes"]
    steps = []
    for kill in iter_kills(lambda: write(2), tmp_path):
        found = Snapshot(path)
        steps.append(found.progress.step)
        assert found.state["pipes"] == weights[steps[-1]]
        if steps[-1] == 2 and kill != "done":
            write(1)
    assert set(steps) == {1, 2} and steps[-1] == 2
    assert os.listdir(tmp_path) == [SNAPSHOT]
