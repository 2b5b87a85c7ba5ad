"""fastcoref's checkpoints: the same tensors, the same numbers."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from spacy.tokens import Doc
from transformers import BertConfig

from spacy_fastcoref import FCoref, LingMessCoref
from spacy_fastcoref.models.architectures import Pretrained
from spacy_fastcoref.models.checkpoints.checkpoint import Checkpoint
from spacy_fastcoref.models.checkpoints.fastcoref_format import read_tokenizer
from spacy_fastcoref.models.checkpoints.fastcoref_format import (
    write_fastcoref as export_fastcoref,
)
from spacy_fastcoref.models.checkpoints.sources import TrainedSource
from spacy_fastcoref.models.encoders.encoder import clean_encoder_config
from spacy_fastcoref.models.folders import SUMS

from ...conftest import (
    ENCODER,
    blank,
    load_model,
    make_config,
    make_network,
    make_nlp,
    read_links,
    run_spacy,
    write_fastcoref,
)

LINGMESS = {
    **make_config()["antecedent_scorer"],
    "@coref_layers": "spacy_fastcoref.LingMess.v1",
}
OUTPUTS = Path(__file__).parents[2] / "fixtures" / "fastcoref_2_1_6.json"


@pytest.mark.parametrize("kind", ["safetensors", "bin"])
def test_both_kinds_of_files(tiny_network, tmp_path, kind):
    folder = write_fastcoref(tmp_path / kind, tiny_network, kind)
    checkpoint = TrainedSource(str(folder)).load()
    for key, tensor in tiny_network.state_dict().items():
        assert torch.equal(checkpoint.tensors[key], tensor)
    assert checkpoint.config["mention_scorer"]["hidden_size"] == 24


def test_code_in_the_folder_is_not_run(tiny_network, tmp_path):
    folder = write_fastcoref(tmp_path / "m", tiny_network)
    code = f"open({str(tmp_path / 'ran')!r}, 'w')"
    (folder / "modeling_x.py").write_text(code)
    config = json.loads((folder / "config.json").read_text())
    config["auto_map"] = {"AutoModel": "modeling_x.X", "AutoConfig": "modeling_x.C"}
    (folder / "config.json").write_text(json.dumps(config))
    tokenizer = json.loads((folder / "tokenizer_config.json").read_text())
    tokenizer["auto_map"] = {"AutoTokenizer": ["modeling_x.T", "modeling_x.F"]}
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer))
    TrainedSource(str(folder)).load()
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("form", ["ours", "fastcoref"])
def test_code_on_the_hub_is_not_run(tiny_nlp, tmp_path, form):
    """A layer's implementation, or what an encoder of pictures stands on, may be named
    there, and transformers would fetch it.
    """
    model = tiny_nlp.get_pipe("fastcoref").model
    write = (
        model.to_disk
        if form == "ours"
        else partial(export_fastcoref, model.get_checkpoint())
    )
    write(tmp_path / "m")
    path = tmp_path / "m" / "config.json"
    config = json.loads(path.read_text())
    encoder = config["encoder_config"] if form == "ours" else config
    foreign = {
        "attn_implementation": "no/such-repo",
        "_attn_implementation": "no/such-repo",
        "_attn_implementation_internal": "no/such-repo",
        "experts_implementation": "no/such-repo",
        "quantization_config": {"quant_method": "no-such"},
        "backbone": "no/such-repo",
        "backbone_kwargs": {"pretrained": True},
        "use_pretrained_backbone": True,
        "use_timm_backbone": True,
    }
    encoder.update(foreign)
    path.write_text(json.dumps(config))
    (tmp_path / "m" / SUMS).unlink(missing_ok=True)
    again = tiny_nlp.get_pipe("fastcoref").model.copy()
    again.set_checkpoint(TrainedSource(str(tmp_path / "m")).load())
    docs = [tiny_nlp.make_doc("She said that her cat and his dog ran.")]
    expected = tiny_nlp.get_pipe("fastcoref").predict(docs)
    assert read_links(again.predict(docs)) == read_links(expected)
    kept = {"hidden_size": 16, "parts": [{"n": 1}]}
    nested = {**kept, **foreign, "text": foreign, "parts": [{"n": 1, **foreign}]}
    assert clean_encoder_config(nested) == {**kept, "text": {}}


@pytest.mark.parametrize("left", [(), ("tokenizer_config.json",)])
def test_no_tokenizer_in_folder(tiny_network, tmp_path, left):
    """Transformers makes one that knows special tokens only, and says nothing."""
    folder = write_fastcoref(tmp_path / "m", tiny_network)
    for name in {"tokenizer.json", "tokenizer_config.json", "vocab.txt"} - {*left}:
        (folder / name).unlink()
    with pytest.raises(ValueError, match="FC093.*tokenizer"):
        TrainedSource(str(folder)).load()
    # An encoder's folder, too.
    with pytest.raises(ValueError, match="FC093.*tokenizer"):
        read_tokenizer(str(folder), BertConfig(**ENCODER))


def test_weights_that_do_not_fit_are_listed(tiny_network, tmp_path):
    folder = write_fastcoref(tmp_path / "m", tiny_network, "bin")
    tensors = torch.load(folder / "pytorch_model.bin", weights_only=True)
    del tensors["start_mention_mlp.dense.bias"]
    tensors["end_mention_mlp.dense.bias"] = torch.zeros(3)
    tensors["something_else"] = torch.zeros(3)
    torch.save(tensors, folder / "pytorch_model.bin")
    model = Pretrained(str(folder))
    with pytest.raises(ValueError, match="FC011") as error:
        model.predict([blank("en")("Ann left")])
    said = str(error.value)
    assert 'Missing key(s) in state_dict: "mention_scorer.start_mlp.dense.bias"' in said
    assert 'Unexpected key(s) in state_dict: "something_else"' in said
    assert "size mismatch for mention_scorer.end_mlp.dense.bias" in said


@pytest.mark.parametrize(
    "name, predictor", [("fcoref_tiny", FCoref), ("lingmess_tiny", LingMessCoref)]
)
def test_the_logits_are_fastcorefs(name, predictor):
    """In folders that this package wrote and fastcoref 2.1.6 has read."""
    documents = json.loads(OUTPUTS.read_text())[name]
    coref = predictor(OUTPUTS.parent / name, device="cpu", precision="float32")
    results = coref.predict([doc["words"] for doc in documents], True)
    model = coref.component.model
    for expected, result in zip(documents, results, strict=True):
        doc = Doc(coref.nlp.vocab, words=expected["words"])
        pairs = [((a, z), (b, y)) for a, z, b, y, _ in expected["pairs"]]
        logits = [logit for *_, logit in expected["pairs"]]
        # A document that fastcoref drops has none, and an answer nevertheless.
        assert len(result.links)
        np.testing.assert_allclose(model.score_pairs(doc, pairs), logits, atol=1e-4)
        kept = {tuple(span) for span in result.links.mentions.tolist()}
        for (later, earlier), logit in zip(pairs, logits, strict=True):
            # Fewer of theirs are whole words, so ours keep all of those.
            assert later in kept and earlier in kept
            assert result.get_logit(later, earlier) == pytest.approx(logit, abs=1e-4)
    assert sum(len(doc["pairs"]) for doc in documents) > 100
    # Longer than a segment, so that the cuts are where fastcoref makes them.
    assert max(len(doc["words"]) for doc in documents) > 48


@pytest.mark.parametrize("scorer", ["s2e", "lingmess"])
def test_there_and_back(tmp_path, scorer):
    layer = LINGMESS if scorer == "lingmess" else make_config()["antecedent_scorer"]
    ours = {"min_mentions": 3, "segment_overlap": 2}
    nlp = make_nlp(
        tmp_path / "ours",
        make_network(antecedent_scorer=layer, **ours),
        antecedent_scorer=layer,
        **ours,
    )
    text = "She said that her cat and his dog ran, and he saw it."
    (expected,) = nlp.get_pipe("fastcoref").predict([nlp.make_doc(text)])
    nlp.to_disk(tmp_path / "nlp")
    run_spacy("coref", "export", tmp_path / "nlp", tmp_path / "theirs")
    config = json.loads((tmp_path / "theirs" / "config.json").read_text())
    assert config["coref_head"]["ffnn_size"] == layer["hidden_size"]
    assert ("max_doc_len" in config["coref_head"]) == (scorer == "lingmess")
    nlp = load_model(tmp_path / "theirs")
    (found,) = nlp.get_pipe("fastcoref").predict([nlp.make_doc(text)])
    np.testing.assert_array_equal(found.mentions, expected.mentions)
    np.testing.assert_allclose(found.scores, expected.scores, atol=1e-5)
    again = nlp.get_pipe("fastcoref").model.get_checkpoint().config
    assert {key: again[key] for key in ours} == ours


def change(key, **settings):
    return {key: {**make_config()[key], **settings}}


@pytest.mark.parametrize(
    "changes, says",
    [
        ({"word_features": {"shape": {"@coref_layers": "x"}}}, "shape"),
        ({"pronoun_head": {"@coref_layers": "PronounHead"}}, "PronounHead"),
        (
            change("antecedent_scorer", **{"@coref_layers": "SpeakerScorer"}),
            "SpeakerScorer",
        ),
        (change("mention_scorer", hidden_size=9), "another hidden_size"),
        # It takes these from the encoder, and has English pronouns only.
        (
            change("mention_scorer", activation="relu"),
            "S2EMentionScorer.*another activation",
        ),
        (change("encoder_config", hidden_act="relu"), "another activation"),
        ({"antecedent_scorer": {**LINGMESS, "lang": "de"}}, "LingMess.*'de'"),
    ],
)
def test_what_fastcoref_does_not_have(tmp_path, changes, says):
    with pytest.raises(ValueError, match=f"FC008.*{says}"):
        checkpoint = Checkpoint(make_config(**changes), {}, "{}")
        export_fastcoref(checkpoint, tmp_path / "theirs")
    assert not (tmp_path / "theirs").exists()


def test_encoders_that_name_settings_otherwise(tmp_path):
    """DistilBERT has an `activation`; fastcoref looks for `hidden_act`."""
    encoder = {"model_type": "distilbert", "dim": 16, "n_layers": 1, "n_heads": 2}
    encoder.update(vocab_size=200, hidden_dim=32, pad_token_id=0)
    changes = {"encoder_config": encoder}
    nlp = make_nlp(tmp_path / "ours", make_network(**changes), **changes)
    model = nlp.get_pipe("fastcoref").model
    export_fastcoref(model.get_checkpoint(), tmp_path / "theirs")
    config = json.loads((tmp_path / "theirs" / "config.json").read_text())
    assert config["hidden_act"] == "gelu" and config["layer_norm_eps"] == 1e-12
    docs = [nlp.make_doc("She said that her cat and his dog ran.")]
    expected = read_links(model(docs, False)[0])
    model.set_checkpoint(TrainedSource(str(tmp_path / "theirs")).load())
    assert read_links(model(docs, False)[0]) == expected


def test_lingmess_without_a_path_is_fastcorefs(monkeypatch):
    asked = []

    def fetch(name, **settings):
        asked.append(name)
        raise OSError("no network in the tests")

    monkeypatch.setattr("huggingface_hub.snapshot_download", fetch)
    with pytest.raises(ValueError, match="FC010.*biu-nlp/lingmess-coref"):
        LingMessCoref(device="cpu")
    nlp = load_model(model_architecture="LingMessCoref")
    with pytest.raises(ValueError, match="FC010.*biu-nlp/lingmess-coref"):
        nlp("She left.")
    assert asked == ["biu-nlp/lingmess-coref"] * 2
