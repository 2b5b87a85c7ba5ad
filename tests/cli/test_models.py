"""`spacy coref pack`, `export` and `average`."""

import json
from dataclasses import replace

import numpy as np
import pytest
import safetensors.torch
import spacy
import torch
from spacy.training import Example

from spacy_fastcoref.cli.models import average, average_checkpoints
from spacy_fastcoref.models.checkpoints.checkpoint import Checkpoint
from spacy_fastcoref.models.checkpoints.storage import Int8Groups
from spacy_fastcoref.training.model_card import make_card

from ..conftest import blank, load_model
from ..conftest import invoke_coref as run
from ..models.test_tok2vec import make_nlp as make_listener

TEXT = "She said that he ate the cake and they left."


@pytest.fixture(autouse=True)
def round_small_matrices(monkeypatch):
    monkeypatch.setattr(Int8Groups, "min_size", 0)


@pytest.fixture
def folder(tiny_nlp, tmp_path):
    tiny_nlp.to_disk(tmp_path / "pipeline")
    return tmp_path / "pipeline"


def read_links(nlp):
    (links,) = nlp.get_pipe("fastcoref").predict([nlp.make_doc(TEXT)])
    return links


def test_packed_model(folder, tmp_path):
    out = tmp_path / "out"
    found = run("pack", folder, out)
    assert found.exit_code == 0 and "Written to" in found.stdout
    stored = safetensors.torch.load_file(out / "model.safetensors")
    matrices = [t for k, t in stored.items() if t.dim() > 1 and ":scale" not in k]
    assert {tensor.dtype for tensor in matrices} == {torch.int8}
    assert json.loads((out / "config.json").read_text())["storage"]
    before = Checkpoint.from_disk(folder / "fastcoref" / "model").tensors
    after = Checkpoint.from_disk(out).tensors
    for name, tensor in before.items():
        assert torch.allclose(tensor, after[name], atol=0.01 * tensor.abs().max())
    assert len(read_links(load_model(out))) == len(read_links(spacy.load(folder)))
    # A pipeline with it is saved in the same format, bit by bit.
    nlp = load_model(out)
    read_links(nlp)
    nlp.to_disk(tmp_path / "again")
    again = tmp_path / "again" / "fastcoref" / "model" / "model.safetensors"
    assert again.read_bytes() == (out / "model.safetensors").read_bytes()


def test_no_path_of_this_machine(folder, tmp_path):
    """Neither the card nor the config tells where a model was made."""
    nlp = spacy.load(folder)
    checkpoint = nlp.get_pipe("fastcoref").model.get_checkpoint()
    checkpoint.config["encoder"]["name"] = str(tmp_path / "encoder")
    nlp.to_disk(folder)
    config = folder / "config.cfg"
    path = json.dumps(str(tmp_path / "weights"))
    text = config.read_text().replace("model_path = null", f"model_path = {path}")
    config.write_text(text.replace("name_or_path = null", f"name_or_path = {path}"))
    run("pack", folder, tmp_path / "out")
    for name in ("README.md", "config.json"):
        text = (tmp_path / "out" / name).read_text("utf8")
        assert str(tmp_path) not in text
    assert '"name": "encoder"' in text


FROM = ["--from", "brackets"]


def test_rounding_for_texts(folder, tmp_path):
    """Other weights come out, and wrong corpora are named."""
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("# 1 | x\n[a Ann] said [a she] ran.\n" * 20)
    run("pack", folder, tmp_path / "plain")
    found = run("pack", folder, tmp_path / "out", "--texts", corpus, *FROM)
    assert found.exit_code == 0
    plain, out = (
        safetensors.torch.load_file(tmp_path / name / "model.safetensors")
        for name in ("plain", "out")
    )
    key = "encoder.transformer.encoder.layer.0.output.dense.weight"
    assert torch.equal(plain[f"{key}:scale"], out[f"{key}:scale"])
    assert not torch.equal(plain[key], out[key])
    assert (plain[key].int() - out[key].int()).abs().max() < 64
    corpus.write_text("[a Ann")
    found = run("pack", folder, tmp_path / "other", "--texts", corpus, *FROM)
    assert found.exit_code == 1 and "corpus.txt, line 1" in found.stderr
    assert not (tmp_path / "other").exists()


def test_card(folder, tmp_path):
    run("pack", folder, tmp_path / "out")
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf8")
    assert "spacy_fastcoref.Int8Groups.v1" in card and "Training data" not in card
    nlp = blank("en")
    nlp.add_pipe("fastcoref")
    nlp.config["training"] = {
        "train_corpus": "corpora.train",
        "dev_corpus": "corpora.dev",
        "max_steps": 7,
        "seed": 3,
    }
    reader = {"@readers": "spacy_fastcoref.JsonlCorpus.v1"}
    nlp.config["corpora"] = {
        "train": {
            "corpora": {
                "a": reader,
                "b": reader,
                "pl": {"corpus": {"corpora": {"c": reader}, "weights": {"c": 4.0}}},
            },
            "weights": {"b": 0.5, "pl": 0.5},
        }
    }
    # Without scores nobody has trained it: the config's other sections are defaults.
    assert "Training" not in make_card(nlp, "fastcoref", "int8")
    nlp.meta["performance"] = {"coref_f": 0.6543}
    card = make_card(nlp, "fastcoref", "int8")
    assert "| a | `spacy_fastcoref.JsonlCorpus.v1` | 1.0 |" in card
    assert "| b | `spacy_fastcoref.JsonlCorpus.v1` | 0.5 |" in card
    assert "| pl c | `spacy_fastcoref.JsonlCorpus.v1` | 2.0 |" in card
    assert "At most 7 steps, seed 3." in card and "| CoNLL F1 | 65.4 |" in card
    assert "- model: `spacy_fastcoref.Pretrained.v1`, lang en" in card


def test_the_mean_of_two_pipelines(tiny_nlp, tmp_path):
    tiny_nlp.to_disk(tmp_path / "one")
    model = tmp_path / "other" / "fastcoref" / "model"
    tiny_nlp.to_disk(tmp_path / "other")
    checkpoint = Checkpoint.from_disk(model)
    for tensor in checkpoint.tensors.values():
        tensor += 1.0
    checkpoint.to_disk(model)
    assert not run(
        "average", *(tmp_path / n for n in ("mean", "one", "other"))
    ).exit_code
    found = spacy.load(tmp_path / "mean").get_pipe("fastcoref").model.get_checkpoint()
    for key, tensor in found.tensors.items():
        assert torch.allclose(tensor, checkpoint.tensors[key] - 0.5, atol=1e-5)


def test_training_settings_may_differ(tiny_nlp):
    checkpoint = tiny_nlp.get_pipe("fastcoref").model.get_checkpoint()
    encoder = {**checkpoint.config["encoder"], "learn_rate": 0.01, "name": "elsewhere"}
    for changes in ({"encoder": encoder}, {"min_mentions": 8}):
        other = replace(checkpoint, config={**checkpoint.config, **changes})
        found = average_checkpoints([checkpoint, other], ["a", "b"])
        assert found.config == checkpoint.config


@pytest.mark.parametrize("part", ["top_lambda", "weights", "tokenizer"])
def test_error_names_difference(tiny_nlp, part):
    checkpoint = tiny_nlp.get_pipe("fastcoref").model.get_checkpoint()
    key = next(iter(checkpoint.tensors))
    changes = {
        "top_lambda": {"config": {**checkpoint.config, "top_lambda": 0.9}},
        "weights": {"tensors": {**checkpoint.tensors, key: torch.zeros(1, 2, 3)}},
        "tokenizer": {"tokenizer": "{}"},
    }
    other = replace(checkpoint, **changes[part])
    with pytest.raises(
        ValueError, match=rf"FC092.*'mine' and 'yours'.*in \['{part}'\]\."
    ):
        average_checkpoints([checkpoint, other], ["mine", "yours"])


def test_vectors_of_other_components_have_to_be_the_same():
    nlp = make_listener()
    text = nlp.make_doc("Ann left. She ran.")
    nlp.initialize(lambda: [Example(text, text.copy())])
    other = make_listener().from_bytes(nlp.to_bytes())
    models = [pipeline.get_pipe("fastcoref").model for pipeline in (nlp, other)]
    one, two = (model.get_checkpoint() for model in models)
    for tensor in two.tensors.values():
        tensor += 1.0
    models[1].set_checkpoint(two)
    before = {key: tensor.clone() for key, tensor in one.tensors.items()}
    average([nlp, other], ["a", "b"])
    for key, tensor in models[0].get_checkpoint().tensors.items():
        assert torch.allclose(tensor, before[key] + 0.5, atol=1e-5)
    node = next(n for n in other.get_pipe("tok2vec").model.walk() if n.has_param("E"))
    node.set_param("E", np.ones_like(node.get_param("E")))
    with pytest.raises(ValueError, match=r"FC092.*'a' and 'b'.*\['tok2vec'\]"):
        average([nlp, other], ["a", "b"])
