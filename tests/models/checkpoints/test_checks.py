"""Broken folders: a message of ours that says which one and why, before any use."""

import copy
import json
from dataclasses import replace

import pytest
import safetensors.torch
import srsly
import torch

from spacy_fastcoref.models.checkpoints.building import build_network
from spacy_fastcoref.models.checkpoints.checkpoint import Checkpoint
from spacy_fastcoref.models.checkpoints.sources import TrainedSource
from spacy_fastcoref.models.folders import SUMS, TOKENIZER, WEIGHTS
from spacy_fastcoref.models.model import NetworkModel
from spacy_fastcoref.models.network.network import CorefNetwork

from ...conftest import (
    ENCODER,
    blank,
    load_model,
    make_config,
    make_nlp,
    make_tokenizer,
    write_fastcoref,
)
from ...fuzz.test_hostile_models import limit
from ..test_architectures import compose, write_encoder
from .test_fastcoref_format import change

SCHEME = {"@coref_layers": "spacy_fastcoref.Scheme.v1"}
SHAPE = {"@coref_layers": "spacy_fastcoref.WordShape.v1"}


@pytest.fixture
def folder(tiny_network, tmp_path):
    tensors = {key: t.clone() for key, t in tiny_network.state_dict().items()}
    path = tmp_path / "model"
    Checkpoint(make_config(), tensors, make_tokenizer().to_str()).to_disk(path)
    # As earlier versions saved it, so that its files can be changed.
    (path / SUMS).unlink()
    return path


@pytest.mark.parametrize(
    "changes, says",
    [
        (change("encoder_config", hidden_act="no-such"), "FC011.*no-such"),
        (change("encoder_config", model_type=["bert"]), "FC011"),
        (change("encoder_config", pad_token_id=999), "FC011"),
        ({"encoder": make_config()["mention_scorer"]}, "FC011.*S2EMentionScorer"),
        (change("mention_scorer", hidden_size=-12), "FC011.*-12"),
        (change("mention_scorer", hidden_size="8"), "FC014.*hidden_size = '8'"),
        (change("mention_scorer", dropout=float("nan")), "FC014.*dropout = nan"),
        (change("encoder", no_such="x"), "FC014.*no_such = 'x'"),
        ({"word_features": {"a.b": SHAPE}}, "FC011.*a.b"),
        ({"word_features": {"scheme": {**SCHEME, "names": [5]}}}, "FC014.*names"),
        ({"top_lambda": float("inf")}, "FC015.*top_lambda.*inf"),
    ],
)
def test_settings(folder, changes, says):
    (folder / "config.json").write_text(json.dumps(make_config(**changes)))
    model = NetworkModel(None).from_disk(folder)
    with pytest.raises(ValueError, match=says) as error:
        model.get_network()
    assert str(folder) in str(error.value)


HUGE = 10**9


@pytest.mark.parametrize("key", ["num_hidden_layers", "vocab_size", "hidden_size"])
@pytest.mark.parametrize("kind", ["encoder", "start_from"])
def test_new_models_on_hostile_encoders(folder, tmp_path, kind, key):
    if kind == "encoder":
        folder = write_encoder(tmp_path, "bert")
        config = {**ENCODER, key: HUGE}
    else:
        config = make_config(**change("encoder_config", **{key: HUGE}))
    (folder / "config.json").write_text(json.dumps(config))
    nlp = compose(folder)
    if kind == "start_from":
        model = nlp.get_pipe("fastcoref").model
        model.source = replace(model.source, start_from=str(folder))
    says = pytest.raises(ValueError, match=f"FC011.*'{folder}'.*{key}")
    with says, limit():
        nlp.initialize()


def test_a_tensor_that_repeats_a_number(tiny_network, tmp_path):
    folder = write_fastcoref(tmp_path / "m", tiny_network, "bin")
    tensors = torch.load(folder / "pytorch_model.bin", weights_only=True)
    tensors["more"] = torch.zeros(1).expand(HUGE)
    torch.save(tensors, folder / "pytorch_model.bin")
    with pytest.raises(ValueError, match="FC011.*fewer weights than it says"):
        TrainedSource(str(folder)).load()


def test_a_learner_is_apart_from_its_checkpoint(folder):
    """Training changes the network's weights in place."""
    model = NetworkModel(None).from_disk(folder)
    network = model.get_learner()[0].network
    for key, tensor in network.state_dict().items():
        assert tensor.device.type == "cpu" and tensor.dtype == torch.float32
        assert torch.equal(tensor, model.checkpoint.tensors[key])
        assert tensor.data_ptr() != model.checkpoint.tensors[key].data_ptr()
    assert all(p.requires_grad for p in network.parameters())


def test_encoders_that_share_weights_do_so_again(tmp_path):
    config = {
        "model_type": "t5",
        "d_model": 16,
        "num_layers": 1,
        "num_heads": 2,
        "d_ff": 8,
        "d_kv": 8,
        "vocab_size": 200,
    }
    changes = {"encoder_config": config}
    network = CorefNetwork(make_config(**changes), "a test")
    tensors = {key: t.clone() for key, t in network.state_dict().items()}
    checkpoint = Checkpoint(make_config(**changes), tensors, make_tokenizer().to_str())
    built = build_network(checkpoint, "a test")
    for key, tensor in built.state_dict().items():
        assert torch.equal(tensor, tensors[key])
    assert len([*built.parameters()]) == len([*network.parameters()]) < len(tensors)


@pytest.mark.parametrize("tokenizer", ["", "{}", "[]", make_tokenizer().to_str()[:300]])
def test_tokenizers(folder, tokenizer):
    """When they are loaded, not when a text comes."""
    data = Checkpoint.from_disk(folder)
    data.tokenizer = tokenizer
    (folder / TOKENIZER).write_text(tokenizer)
    with pytest.raises(ValueError, match="FC011.*tokenizer.json"):
        Checkpoint.from_disk(folder)
    with pytest.raises(ValueError, match="FC018.*tokenizer.json"):
        NetworkModel(None).from_bytes(srsly.msgpack_dumps(data.make_files()))


def test_pieces_that_the_encoder_does_not_have(folder):
    data = json.loads((folder / TOKENIZER).read_text())
    data["model"]["vocab"]["she"] = 200
    (folder / TOKENIZER).write_text(json.dumps(data))
    nlp = load_model(folder)
    nlp("He left.")
    with pytest.raises(ValueError, match=f"FC093.*'{folder}'.*number 200.*for 200"):
        nlp("She left.")
    data["post_processor"]["special_tokens"]["[CLS]"]["ids"] = [10**9]
    (folder / TOKENIZER).write_text(json.dumps(data))
    # Those around every text are known when the model is loaded.
    with pytest.raises(ValueError, match=f"FC093.*'{folder}'.*number 1000000000"):
        NetworkModel(None).from_disk(folder).get_network()


@pytest.mark.parametrize("has_tokenizer", [True, False])
def test_encoders_of_another_kind(folder, has_tokenizer):
    block = {"@coref_layers": "spacy_fastcoref.TokenVectors.v1", "width": 16}
    data = Checkpoint.from_disk(folder)
    data.config["encoder"] = block
    data.tensors = {k: t for k, t in data.tensors.items() if "encoder." not in k}
    if not has_tokenizer:
        data.tokenizer = ""
        del data.config["encoder_config"]
    data.to_disk(folder)
    model = NetworkModel(None).from_disk(folder)
    with pytest.raises(ValueError, match="FC085.*reads vectors"):
        model([blank("en")("She left.")], False)


def test_half_an_encoder(tmp_path):
    """Its other layers would be random."""
    folder = write_encoder(tmp_path, "bert")
    tensors = safetensors.torch.load_file(folder / WEIGHTS)
    second = {key for key in tensors if "layer.1." in key}
    # No scorer reads what sums up a text.
    unused = {key for key in tensors if key.startswith("pooler.")}
    assert second and unused
    kept = {key: tensors[key] for key in tensors.keys() - unused}
    safetensors.torch.save_file(kept, folder / WEIGHTS, {"format": "pt"})
    compose(folder).initialize()
    kept = {key: kept[key] for key in kept.keys() - second}
    safetensors.torch.save_file(kept, folder / WEIGHTS, {"format": "pt"})
    with pytest.raises(ValueError, match="FC011.*Missing.*encoder.layer.1"):
        compose(folder).initialize()
    data = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(data[:-100])
    with pytest.raises(ValueError, match="FC011"):
        compose(folder).initialize()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("kind", ["ours", "fastcoref"])
def test_weights_that_are_no_numbers(tiny_network, tmp_path, kind, value):
    network = copy.deepcopy(tiny_network)
    with torch.no_grad():
        network.mention_scorer.start_mlp.dense.weight[1, 2] = value
    if kind == "ours":
        nlp = make_nlp(tmp_path / "m", network)
    else:
        nlp = load_model(write_fastcoref(tmp_path / "m", network))
    says = f"FC100.*'{tmp_path / 'm'}'.*: mention_scorer.start_mlp.dense.weight\\."
    with pytest.raises(ValueError, match=says):
        nlp("She left.")
