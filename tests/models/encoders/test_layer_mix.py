"""The mix of the last layers against transformers' own hidden states."""

import numpy as np
import pytest
import spacy
import torch
from transformers import AutoConfig, AutoModel

from spacy_fastcoref.models.batching import Batch, Pieces
from spacy_fastcoref.models.blocks import describe_block
from spacy_fastcoref.models.checkpoints.checkpoint import Checkpoint
from spacy_fastcoref.models.checkpoints.fastcoref_format import write_fastcoref
from spacy_fastcoref.models.encoders import packed
from spacy_fastcoref.models.encoders.encoder import Transformer, TransformerBlock
from spacy_fastcoref.models.encoders.layer_mix import LayerMix
from spacy_fastcoref.models.learning.optimizer import group_parameters
from spacy_fastcoref.models.runtime import Runtime

from ...conftest import ENCODER, TEXT, make_config, make_network, make_nlp
from ..test_architectures import ENCODERS, compose, write_encoder
from .test_longformer import CONFIG as LONGFORMER

SETTINGS = {**ENCODERS, "longformer": {**LONGFORMER, "attention_window": [8] * 4}}
LENGTHS = (30, 7, 1, 16)
MIX = {"encoder": describe_block(TransformerBlock(mix_layers=2))}


def make_encoder_config(model_type):
    settings = SETTINGS[model_type]
    layers = {key: 4 for key in settings if key in ("num_hidden_layers", "n_layers")}
    return AutoConfig.for_model(model_type, **{**settings, **layers})


def mix_naively(encoder, model, documents, max_length):
    """Average the hidden states of transformers' own model, segment by segment."""
    # The pooler is not ours.
    model.eval().load_state_dict(encoder.transformer.state_dict(), strict=False)
    powers = encoder.mix.weights.exp()
    mixed = []
    for ids in documents:
        for begin in range(0, len(ids), max_length):
            part = torch.from_numpy(ids[begin : begin + max_length])[None]
            states = model(input_ids=part, output_hidden_states=True).hidden_states
            last = torch.stack(states[-len(powers) :])[:, 0]
            weighted = (powers[:, None, None] * last).sum(0) / powers.sum()
            mixed.append(encoder.mix.scale * weighted)
    return torch.cat(mixed)


@pytest.mark.parametrize("is_packed", [True, False])
@pytest.mark.parametrize("model_type", sorted(SETTINGS))
def test_it_is_the_average_of_hidden_states(model_type, is_packed, monkeypatch):
    if not is_packed:
        monkeypatch.setattr(packed, "AttentionInterface", None)
    torch.manual_seed(0)
    encoder = Transformer(make_encoder_config(model_type), 3).eval()
    model = AutoModel.from_config(make_encoder_config(model_type))
    rng = np.random.default_rng(0)
    documents = [rng.integers(5, 40, n) for n in LENGTHS]
    pieces = [Pieces.from_words(ids, list(range(len(ids)))) for ids in documents]
    batch = Batch.from_pieces(pieces)
    with torch.inference_mode():
        encoder.mix.weights.copy_(torch.tensor([0.5, -1.0, 2.0]))
        encoder.mix.scale.fill_(1.5)
        found = encoder.encode(batch, Runtime(), 16, torch.from_numpy)
        expected = mix_naively(encoder, model, documents, 16)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)


def test_layers_weigh_the_same_at_the_start():
    torch.manual_seed(0)
    mix = LayerMix(4)
    layers = torch.randn(4, 5, 3)
    torch.testing.assert_close(mix(layers), layers.mean(0))


@pytest.mark.parametrize("mix_layers", [None, 0, 1])
def test_off_is_as_if_it_were_not_there(mix_layers):
    plain = make_network()
    block = describe_block(TransformerBlock(mix_layers=mix_layers))
    network = make_network(encoder=block)
    assert list(network.state_dict()) == list(plain.state_dict())
    assert not any("mix" in key for key in plain.state_dict())
    added = set(make_network(**MIX).state_dict()) - set(plain.state_dict())
    assert added == {"encoder.mix.weights", "encoder.mix.scale"}


@pytest.mark.parametrize("mix_layers", [3, -1, 1.5])
def test_layers_that_are_not_there(mix_layers):
    block = TransformerBlock(mix_layers=mix_layers)
    with pytest.raises(ValueError, match=f"FC090.*{mix_layers}.*up to 2"):
        block.build(ENCODER, "a path")


def test_it_learns_at_the_scorers_rate(tmp_path):
    nlp = make_nlp(tmp_path / "model", make_network(**MIX), **MIX)
    shim = nlp.get_pipe("fastcoref").model.shim
    scores, backprop = shim.begin_update([nlp.make_doc(TEXT)])
    backprop([(torch.ones_like(scores[0].band), torch.zeros_like(scores[0].pairs))])
    network = shim.get_learner()[0].network
    groups = group_parameters(network, encoder_learn_rate=0.5, layer_decay=0.5)
    groups = {id(p): group for group in groups for p in group["params"]}
    for parameter in network.encoder.mix.parameters():
        assert parameter.grad.abs().min() > 0
        group = groups[id(parameter)]
        assert group["lr_factor"] == 1 and group["decays"] == 0


def test_it_is_saved(tmp_path):
    network = make_network(**MIX)
    with torch.no_grad():
        network.encoder.mix.weights += torch.tensor([1.0, -1.0])
    nlp = make_nlp(tmp_path / "model", network, **MIX)
    plain = make_nlp(tmp_path / "plain", make_network())
    nlp.to_disk(tmp_path / "nlp")
    pipelines = [nlp, spacy.load(tmp_path / "nlp"), plain]
    pipelines.append(spacy.blank("en").from_config(nlp.config))
    pipelines[-1].from_bytes(nlp.to_bytes())
    first, loaded, other, from_bytes = (
        pipeline.get_pipe("fastcoref").predict([pipeline.make_doc(TEXT)])[0]
        for pipeline in pipelines
    )
    assert first.scores.tolist() == loaded.scores.tolist() == from_bytes.scores.tolist()
    assert first.mention_scores.tolist() != other.mention_scores.tolist()


def test_a_config_turns_it_on(tmp_path):
    nlp = compose(write_encoder(tmp_path, "bert"))
    config = nlp.config.copy()
    config["components"]["fastcoref"]["model"]["encoder"]["mix_layers"] = 2
    nlp = spacy.blank("en").from_config(config)
    nlp.initialize()
    network, _ = nlp.get_pipe("fastcoref").model.shim.get_network()
    assert network.encoder.mix.weights.tolist() == [0, 0]
    assert len(nlp(TEXT)) > 0


def test_half_precision():
    network = make_network(**MIX)
    with torch.no_grad():
        network.encoder.mix.weights += torch.tensor([1.0, -1.0])
    layers = torch.randn(2, 1000, 16)
    expected = network.encoder.mix(layers)
    halved = network.encoder.mix.to(torch.bfloat16)(layers.to(torch.bfloat16))
    assert halved.dtype == torch.float32
    # No more is lost than the layers have lost before they are mixed.
    torch.testing.assert_close(halved, expected, atol=0.02, rtol=0.01)


def test_fastcoref_does_not_have_it(tmp_path):
    with pytest.raises(ValueError, match="FC008.*mix_layers"):
        write_fastcoref(Checkpoint(make_config(**MIX), {}, "{}"), tmp_path / "theirs")
