import json
import os

import pytest
import torch

from spacy_fastcoref.models.checkpoints import checkpoint as checkpoint_module
from spacy_fastcoref.models.checkpoints.checkpoint import (
    CONFIG,
    TOKENIZER,
    WEIGHTS,
    Checkpoint,
)

from ...conftest import make_config, make_tokenizer


@pytest.fixture
def checkpoint(tiny_network):
    tensors = {key: t.half() for key, t in tiny_network.state_dict().items()}
    return Checkpoint(make_config(), tensors, make_tokenizer().to_str())


def assert_equal(one, two):
    assert one.config == two.config and one.tokenizer == two.tokenizer
    assert one.tensors.keys() == two.tensors.keys()
    for key, tensor in one.tensors.items():
        assert two.tensors[key].dtype == tensor.dtype == torch.float16
        assert torch.equal(two.tensors[key], tensor)


def test_bytes(checkpoint):
    assert_equal(Checkpoint.from_bytes(checkpoint.to_bytes()), checkpoint)


def test_disk(checkpoint, tmp_path):
    checkpoint.to_disk(tmp_path / "a" / "model")
    assert_equal(Checkpoint.from_disk(tmp_path / "a" / "model"), checkpoint)
    assert sorted(os.listdir(tmp_path / "a" / "model")) == [CONFIG, WEIGHTS, TOKENIZER]
    assert os.listdir(tmp_path / "a") == ["model"]


def test_disk_replaces_the_whole_folder(checkpoint, tmp_path):
    checkpoint.to_disk(tmp_path / "model")
    (tmp_path / "model" / "stale.bin").write_text("old")
    checkpoint.config["top_lambda"] = 0.7
    checkpoint.to_disk(tmp_path / "model")
    assert Checkpoint.from_disk(tmp_path / "model").config["top_lambda"] == 0.7
    assert not (tmp_path / "model" / "stale.bin").exists()
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.parametrize("fails", ["write", "move"])
def test_a_full_disk_leaves_the_last_whole_model(
    checkpoint, tmp_path, monkeypatch, fails
):
    checkpoint.to_disk(tmp_path / "model")

    def fail(*args, **kwargs):
        raise OSError("No space left on device")

    if fails == "write":
        monkeypatch.setattr(checkpoint_module.Path, "write_bytes", fail)
    else:
        replace, calls = os.replace, []

        def fail_once(source, target):
            calls.append(target)
            return fail() if len(calls) == 2 else replace(source, target)

        monkeypatch.setattr(os, "replace", fail_once)
    with pytest.raises(OSError, match="No space"):
        checkpoint.to_disk(tmp_path / "model")
    monkeypatch.undo()
    assert_equal(Checkpoint.from_disk(tmp_path / "model"), checkpoint)
    assert os.listdir(tmp_path) == ["model"]


def truncate(path):
    path.write_bytes(path.read_bytes()[:-100])


@pytest.mark.parametrize(
    "damage, says",
    [
        (lambda p: truncate(p / WEIGHTS), "FC011.*model"),
        (lambda p: truncate(p / CONFIG), "FC011.*model"),
        (lambda p: (p / TOKENIZER).unlink(), "FC011.*tokenizer.json"),
        (lambda p: (p / CONFIG).write_text("[]"), "FC015.*format"),
        (lambda p: (p / CONFIG).write_text(json.dumps({"format": "x"})), "FC015"),
        (lambda p: (p / WEIGHTS).write_bytes(b"\x80\x04pickle"), "FC011"),
    ],
)
def test_broken_folders(checkpoint, tmp_path, damage, says):
    checkpoint.to_disk(tmp_path / "model")
    damage(tmp_path / "model")
    with pytest.raises(ValueError, match=says):
        Checkpoint.from_disk(tmp_path / "model")


@pytest.mark.parametrize("n", [0, 1, 50, -1])
def test_broken_bytes(checkpoint, n):
    with pytest.raises(ValueError, match="FC018"):
        Checkpoint.from_bytes(checkpoint.to_bytes()[:n])
    with pytest.raises(ValueError, match="FC018"):
        Checkpoint.from_bytes(b"\x81\xa1a\x01")
