"""A new model on the weights of a trained one."""

import warnings

import pytest
import torch

from spacy_fastcoref.models.architectures import CorefModel
from spacy_fastcoref.models.blocks import make_block
from spacy_fastcoref.models.encoders.encoder import TransformerBlock
from spacy_fastcoref.models.encoders.word_features import WordShapeBlock
from spacy_fastcoref.models.scorers.s2e import (
    S2EAntecedentScorerBlock,
    S2EMentionScorerBlock,
)
from spacy_fastcoref.models.scorers.wrappers import (
    DistanceScorerBlock,
    SpeakerScorerBlock,
)

from ...conftest import make_config, make_network, make_nlp
from ..scorers.test_pronouns import HEAD
from ..test_tok2vec import make_own


@pytest.fixture
def trained(tmp_path):
    """A pretrained model, with a layer that only pretraining has."""
    nlp = make_nlp(tmp_path / "trained", make_network(**HEAD), **HEAD)
    return nlp.get_pipe("fastcoref").model.get_checkpoint()


def load(path, **changes):
    config = make_config()
    blocks = {
        "encoder": TransformerBlock(name="nowhere"),
        "mention_scorer": make_block(config["mention_scorer"], "a test"),
        "antecedent_scorer": make_block(config["antecedent_scorer"], "a test"),
        **changes,
    }
    model = CorefModel(**blocks, max_segment_len=32, start_from=str(path))
    model.initialize()
    return model.get_checkpoint()


def test_all_that_fits_is_taken(trained, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = load(tmp_path / "trained")
    assert found.tensors.keys() == {
        key for key in trained.tensors if not key.startswith("pronoun_head.")
    }
    assert all(torch.equal(t, trained.tensors[key]) for key, t in found.tensors.items())
    assert found.tokenizer == trained.tokenizer
    assert "pronoun_head" not in found.config
    # Settings are those of the new model.
    assert found.config["max_segment_len"] == 32
    assert found.config["max_span_length"] == 30


def test_other_layers_start_anew_and_are_named(trained, tmp_path):
    changes = {
        "antecedent_scorer": S2EAntecedentScorerBlock(hidden_size=7),
        "mention_scorer": S2EMentionScorerBlock(hidden_size=24),
        "word_features": {"shape": WordShapeBlock()},
    }
    with pytest.warns(
        UserWarning,
        match=r"FCW11.*: antecedent_scorer\.end_mlp, .*, word_features\.shape\.",
    ):
        found = load(tmp_path / "trained", **changes)
    for key, tensor in found.tensors.items():
        if key.startswith(("encoder.", "mention_scorer.")):
            assert torch.equal(tensor, trained.tensors[key])
    assert found.tensors["antecedent_scorer.start_mlp.dense.bias"].shape == (7,)


def test_scorers_are_found_inside_others(trained, tmp_path):
    inner = make_block(make_config()["antecedent_scorer"], "a test")
    for outer, new in ((SpeakerScorerBlock, "anaphor"), (DistanceScorerBlock, "line")):
        warning = rf"FCW11.*: antecedent_scorer\.{new}"
        with pytest.warns(UserWarning, match=warning):
            found = load(tmp_path / "trained", antecedent_scorer=outer(inner))
        found.to_disk(tmp_path / new)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            again = load(tmp_path / new)
        for key, tensor in again.tensors.items():
            assert torch.equal(tensor, trained.tensors[key])
    # Of two that are around it, one keeps what it had.
    both = SpeakerScorerBlock(DistanceScorerBlock(inner))
    with pytest.warns(UserWarning, match=r"anaphor, antecedent_scorer\.ante"):
        again = load(tmp_path / "line", antecedent_scorer=both)
    for key, tensor in found.tensors.items():
        place = key.replace("antecedent_scorer.", "antecedent_scorer.scorer.")
        assert torch.equal(tensor, again.tensors[place])


def test_no_encoder_to_start_from(tmp_path):
    nlp = make_own()
    nlp.initialize()
    nlp.get_pipe("fastcoref").model.to_disk(tmp_path / "model")
    with pytest.raises(ValueError, match="FC085.*reads vectors"):
        load(tmp_path / "model")
    with pytest.raises(ValueError, match="FC010.*no/such"):
        load("no/such")
