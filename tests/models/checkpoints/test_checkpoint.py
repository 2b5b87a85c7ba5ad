import hashlib
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
