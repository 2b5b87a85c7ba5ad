"""Test the commands in the headers of the configs on a tiny model."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
import spacy
import torch

from ..conftest import make_network, make_nlp, run_spacy
from .corpus import make_rows, write_rows
from .test_train import tiny_encoder  # noqa: F401

CONFIGS = Path(__file__).parents[2] / "configs"
STEPS = {
    "training.max_steps": 4,
    "training.eval_frequency": 2,
    "training.batcher.size": 150,
    "training.optimizer.learn_rate.warmup_steps": 1,
    "training.optimizer.learn_rate.initial_rate": 0.01,
    "components.fastcoref.device": "cpu",
}
SIZES = {
    "components.fastcoref.model.max_segment_len": 32,
    "components.fastcoref.model.mention_scorer.hidden_size": 12,
    "components.fastcoref.model.antecedent_scorer.hidden_size": 12,
}


def list_commands(name):
    head = (CONFIGS / name).read_text("utf8").split("[paths]")[0]
    joined = re.sub(r"\n#     ", " ", head)
    return re.findall(r"python -m spacy (.*)", joined)


def run(command, places, **settings):
    """Run a command after replacing the names in capitals by paths."""
    args = [places.get(word, word) for word in shlex.split(command)]
    for name, value in settings.items():
        args += [f"--{name}", value]
    run_spacy(*args)


def read_weights(path):
    pipe = spacy.load(path).get_pipe("fastcoref")
    return pipe.model.get_checkpoint().tensors


def list_changed(one, two):
    """List the parts of a network whose matrices differ by more than weight decay."""
    return {
        key.split(".")[0]
        for key in one
        if one[key].ndim > 1 and not torch.allclose(one[key], two[key], rtol=0.02)
    }


@pytest.fixture
def places(tiny_encoder, tmp_path, monkeypatch):  # noqa: F811
    """Make all files that the commands need, in the folder in which they run."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(CONFIGS, tmp_path / "configs")
    make_nlp(tmp_path / "weights", make_network()).to_disk(tmp_path / "teacher")
    rows = make_rows(8)
    texts = [" ".join(sum(row["sentences"], [])) for row in rows]
    (tmp_path / "texts.txt").write_text("\n\n".join(texts))
    write_rows(tmp_path / "gold.jsonl", rows)
    return {
        "TEACHER": "teacher",
        "TEXTS": "texts.txt",
        "ENCODER": str(tiny_encoder),
        "DEV.jsonl": "gold.jsonl",
        "GOLD.jsonl": "gold.jsonl",
    }


@pytest.mark.slow
def test_from_text_to_student(places):
    annotate, mentions, clusters, gold, check = list_commands("en_distil.cfg")
    run(annotate, places)
    assert len(list(Path("silver").glob("*.spacy"))) == 1
    plain = {**STEPS, "training.optimizer.use_averages": "false"}
    run(mentions, places, **plain, **SIZES)
    run(clusters, places, **STEPS)
    # At a rate of 0 it stays what it starts from.
    run(gold, places, **{**STEPS, "training.optimizer.learn_rate.initial_rate": 0.0})
    run(check, places)
    last = ["mentions/model-last", "distilled/model-best", "tuned/model-last"]
    learned, distilled, tuned = map(read_weights, last)
    settings = [spacy.load(path).config["components"]["fastcoref"] for path in last]
    assert [s["antecedent_weight"] for s in settings] == [0.0, 1.0, 1.0]
    assert [s["mention_weight"] for s in settings] == [1.0, 0.3, 0.3]
    assert {key: t.shape for key, t in learned.items()} == {
        key: t.shape for key, t in distilled.items()
    }
    assert all(torch.equal(tensor, tuned[key]) for key, tensor in distilled.items())
    changed = list_changed(learned, read_weights("distilled/model-last"))
    assert {"mention_scorer", "antecedent_scorer"} <= changed
    assert spacy.load("tuned/model-best")("anna saw boris and she said so .")
    # With the same random numbers, and no step: only the mention scorer has learned.
    plain["training.optimizer.learn_rate.initial_rate"] = 0.0
    run(mentions, places, **plain, **SIZES)
    changed = list_changed(read_weights("mentions/model-last"), learned)
    assert "mention_scorer" in changed and "antecedent_scorer" not in changed
