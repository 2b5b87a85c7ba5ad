"""fastcoref's checkpoints: the same tensors, the same numbers."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import spacy
import torch
from spacy.tokens import Doc

from spacy_fastcoref import FCoref
from spacy_fastcoref.models.architectures import Pretrained
from spacy_fastcoref.models.key_map import from_fastcoref_keys, to_fastcoref_keys
from spacy_fastcoref.models.sources import TrainedSource

from ..conftest import write_fastcoref

OUTPUTS = Path(__file__).parent.parent / "fixtures" / "fastcoref_2_1_6.json"


def test_key_map_is_reversible(tiny_network):
    tensors = dict(tiny_network.state_dict())
    theirs = to_fastcoref_keys(tensors, "bert")
    assert "bert.embeddings.word_embeddings.weight" in theirs
    assert "antecedent_s2e_classifier.bias" in theirs
    assert "start_coref_mlp.layer_norm.weight" in theirs
    assert not [key for key in theirs if key.startswith(("encoder", "mention_scorer"))]
    assert from_fastcoref_keys(theirs, "bert") == tensors


def test_unused_tensors_are_dropped():
    unused = ["roberta.pooler.dense.weight", "roberta.embeddings.position_ids"]
    assert from_fastcoref_keys(dict.fromkeys(unused), "roberta") == {}


@pytest.mark.parametrize("kind", ["safetensors", "bin"])
def test_both_kinds_of_files(tiny_network, tmp_path, kind):
    folder = write_fastcoref(tmp_path / kind, tiny_network, kind)
    checkpoint = TrainedSource(str(folder)).load()
    for key, tensor in tiny_network.state_dict().items():
        assert torch.equal(checkpoint.tensors[key], tensor)
    assert checkpoint.config["mention_scorer"]["hidden_size"] == 24
    assert json.loads(checkpoint.tokenizer)["truncation"] is None


def test_a_pickle_that_runs_code_is_refused(tiny_network, tmp_path):
    class Hostile:
        def __reduce__(self):
            return Path(tmp_path / "ran").write_text, ("code",)

    folder = write_fastcoref(tmp_path / "m", tiny_network, "bin")
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"a": Hostile()}))
    with pytest.raises(ValueError, match="FC011"):
        TrainedSource(str(folder)).load()
    assert not (tmp_path / "ran").exists()


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


@pytest.mark.parametrize(
    "change, says",
    [
        ({"coref_head": {"ffnn_size": 3}}, "FC015.*coref_head"),
        ({"model_type": "no-such"}, "FC015.*model_type.*no-such"),
    ],
)
def test_bad_configs(tiny_network, tmp_path, change, says):
    folder = write_fastcoref(tmp_path / "m", tiny_network)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **change}))
    with pytest.raises(ValueError, match=says):
        TrainedSource(str(folder)).load()


def test_no_model_in_folder(tmp_path):
    with pytest.raises(ValueError, match="FC011.*config.json"):
        TrainedSource(str(tmp_path)).load()
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ValueError, match="FC015.*coref_head"):
        TrainedSource(str(tmp_path)).load()


def test_weights_that_do_not_fit_are_listed(tiny_network, tmp_path):
    folder = write_fastcoref(tmp_path / "m", tiny_network, "bin")
    tensors = torch.load(folder / "pytorch_model.bin", weights_only=True)
    del tensors["start_mention_mlp.dense.bias"]
    tensors["end_mention_mlp.dense.bias"] = torch.zeros(3)
    tensors["something_else"] = torch.zeros(3)
    torch.save(tensors, folder / "pytorch_model.bin")
    model = Pretrained(str(folder))
    with pytest.raises(ValueError, match="FC012") as error:
        model.predict([spacy.blank("en")("Ann left")])
    said = str(error.value)
    assert "Missing: mention_scorer.start_mlp.dense.bias" in said
    assert "Unexpected: something_else" in said
    assert "mention_scorer.end_mlp.dense.bias (3,) for (24,)" in said


def test_fastcoref_numbers():
    """Logits and clusters of the shipped weights, against fastcoref 2.1.6's."""
    documents = json.loads(OUTPUTS.read_text())
    model = FCoref(device="cpu", precision="float32")
    results = model.predict([doc["words"] for doc in documents], True)
    shim = model.component.model.shims[0]
    longest = 0
    for expected, result in zip(documents, results, strict=True):
        doc = Doc(model.nlp.vocab, words=expected["words"])
        pairs = [((a, z), (b, y)) for a, z, b, y, _ in expected["pairs"]]
        logits = [logit for *_, logit in expected["pairs"]]
        np.testing.assert_allclose(shim.read(doc)(pairs), logits, atol=1e-4)
        kept = {tuple(span) for span in result.links.mentions.tolist()}
        for (later, earlier), logit in zip(pairs, logits, strict=True):
            # Fewer of theirs are whole words, so ours keep all of those.
            assert later in kept and earlier in kept
            assert result.get_logit(later, earlier) == pytest.approx(logit, abs=1e-4)
        theirs = sorted(sorted(map(tuple, c)) for c in expected["clusters"])
        assert sorted(map(sorted, result.get_clusters(as_strings=False))) == theirs
        longest = max(longest, len(expected["words"]))
    # Longer than a segment, so that the cuts are where fastcoref makes them.
    assert longest > 600
