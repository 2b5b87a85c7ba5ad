"""Models composed by a config, on any encoder."""

import json
from pathlib import Path

import pytest
import spacy
import torch
from thinc.api import Config
from transformers import AutoConfig, AutoModel

from spacy_fastcoref.models.checkpoints.sources import find_folder

from ..conftest import ENCODER, make_tokenizer

CONFIG = Path(__file__).with_name("composed.cfg")
SMALL = {k: v for k, v in ENCODER.items() if k not in ("model_type", "hidden_act")}
ENCODERS = {
    "bert": SMALL,
    "roberta": {**SMALL, "pad_token_id": 1},
    "mpnet": {**SMALL, "pad_token_id": 1},
    "electra": SMALL,
    "distilbert": {
        "vocab_size": 200,
        "dim": 16,
        "n_layers": 2,
        "n_heads": 2,
        "hidden_dim": 32,
    },
    "deberta-v2": SMALL,
    "albert": {**SMALL, "embedding_size": 8},
}


def write_encoder(folder, model_type):
    config = AutoConfig.for_model(model_type, **ENCODERS[model_type])
    AutoModel.from_config(config).save_pretrained(folder)
    make_tokenizer().save(str(folder / "tokenizer.json"))
    tokenizer = {"tokenizer_class": "PreTrainedTokenizerFast"}
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer))
    return folder


def compose(path):
    config = Config().from_disk(CONFIG)
    config["components"]["fastcoref"]["model"]["encoder"]["name"] = str(path)
    return spacy.util.load_model_from_config(config, auto_fill=True)


@pytest.mark.parametrize("model_type", sorted(ENCODERS))
def test_any_encoder(tmp_path, model_type):
    folder = write_encoder(tmp_path, model_type)
    nlp = compose(folder)
    nlp.initialize()
    texts = ["She said that he ate the cake and that they saw it. " * 3, "", "He left."]
    together = nlp.get_pipe("fastcoref").predict([nlp.make_doc(text) for text in texts])
    assert len(together[0]) > 10
    for text, expected in zip(texts, together, strict=True):
        (alone,) = nlp.get_pipe("fastcoref").predict([nlp.make_doc(text)])
        assert alone.mentions.tolist() == expected.mentions.tolist()
    # The encoder's weights are the folder's, not random ones.
    tensors = nlp.get_pipe("fastcoref").model.checkpoint.tensors
    for key, tensor in AutoModel.from_pretrained(folder).state_dict().items():
        if not key.startswith("pooler."):
            assert torch.equal(tensors[f"encoder.transformer.{key}"], tensor)


def test_composed_model_is_saved_whole(tmp_path):
    (tmp_path / "encoder").mkdir()
    nlp = compose(write_encoder(tmp_path / "encoder", "bert"))
    nlp.initialize()
    nlp.to_disk(tmp_path / "pipeline")
    (tmp_path / "encoder").rename(tmp_path / "gone")
    again = spacy.load(tmp_path / "pipeline")
    text = "She said that he ate the cake."
    (one,), (two,) = (
        pipeline.get_pipe("fastcoref").predict([pipeline.make_doc(text)])
        for pipeline in (nlp, again)
    )
    assert one.scores.tolist() == two.scores.tolist()


@pytest.mark.parametrize("name, says", [(None, "FC017"), ("no/such", "FC010.*no/such")])
def test_no_encoder(name, says):
    config = Config().from_disk(CONFIG)
    config["components"]["fastcoref"]["model"]["encoder"]["name"] = name
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    with pytest.raises(ValueError, match=says):
        nlp.initialize()


def test_hub_names(monkeypatch, tmp_path):
    asked = []

    def fetch(name, allow_patterns):
        asked.append((name, allow_patterns))
        return str(tmp_path)

    monkeypatch.setattr("huggingface_hub.snapshot_download", fetch)
    assert find_folder("biu-nlp/f-coref") == tmp_path
    assert asked[0][0] == "biu-nlp/f-coref" and "*.py" not in asked[0][1]
