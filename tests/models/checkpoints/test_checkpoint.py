import hashlib
import json
import os

import pytest
import torch

from spacy_fastcoref.models.checkpoints.checkpoint import Checkpoint
from spacy_fastcoref.models.folders import CONFIG, SUMS, TOKENIZER, WEIGHTS

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


def test_disk_replaces_the_whole_folder(checkpoint, tmp_path):
    checkpoint.to_disk(tmp_path / "model")
    (tmp_path / "model" / "stale.bin").write_text("old")
    checkpoint.config["top_lambda"] = 0.7
    checkpoint.to_disk(tmp_path / "model")
    assert_equal(Checkpoint.from_disk(tmp_path / "model"), checkpoint)
    assert not (tmp_path / "model" / "stale.bin").exists()
    assert os.listdir(tmp_path) == ["model"]


def truncate(path):
    path.write_bytes(path.read_bytes()[:-100])


@pytest.mark.parametrize(
    "damage, says",
    [
        (lambda p: truncate(p / WEIGHTS), "FC011.*model"),
        (lambda p: truncate(p / CONFIG), "FC011.*model"),
        (lambda p: (p / TOKENIZER).unlink(), "FC011.*tokenizer.json"),
        (lambda p: (p / CONFIG).write_text("[]"), "FC011.*format"),
        (lambda p: (p / CONFIG).write_text(json.dumps({"format": "x"})), "FC011"),
        (lambda p: (p / WEIGHTS).write_bytes(b"\x80\x04pickle"), "FC011"),
    ],
)
def test_broken_folders(checkpoint, tmp_path, damage, says):
    checkpoint.to_disk(tmp_path / "model")
    damage(tmp_path / "model")
    # As earlier versions saved it.
    (tmp_path / "model" / SUMS).unlink()
    with pytest.raises(ValueError, match=says):
        Checkpoint.from_disk(tmp_path / "model")


def test_word_features_keep_their_order(checkpoint, tmp_path):
    """In training each draws random numbers, so that a resumed run depends on it."""
    blocks = {name: {"@coref_layers": name} for name in ("b", "c", "a")}
    checkpoint.config["word_features"] = blocks
    checkpoint.to_disk(tmp_path / "model")
    for found in (
        Checkpoint.from_disk(tmp_path / "model"),
        Checkpoint.from_files(checkpoint.make_files()),
    ):
        assert [*found.config["word_features"]] == [*blocks]


def test_checksums_are_those_of_sha256sum(checkpoint, tmp_path):
    checkpoint.to_disk(tmp_path / "model")
    lines = (tmp_path / "model" / SUMS).read_text().splitlines()
    found = dict(reversed(line.split("  ")) for line in lines)
    assert found == {
        name: hashlib.sha256((tmp_path / "model" / name).read_bytes()).hexdigest()
        for name in (CONFIG, WEIGHTS, TOKENIZER)
    }
