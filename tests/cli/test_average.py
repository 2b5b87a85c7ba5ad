import numpy as np
import pytest
import spacy
import torch
from spacy.training import Example
from typer.testing import CliRunner

from spacy_fastcoref.cli import coref_cli
from spacy_fastcoref.cli.models import average
from spacy_fastcoref.models.checkpoints.checkpoint import Checkpoint

from ..models.test_tok2vec import make_nlp as make_listener


def test_the_mean_of_two_pipelines(tiny_nlp, tmp_path):
    tiny_nlp.to_disk(tmp_path / "one")
    model = tmp_path / "other" / "fastcoref" / "model"
    tiny_nlp.to_disk(tmp_path / "other")
    checkpoint = Checkpoint.from_disk(model)
    for tensor in checkpoint.tensors.values():
        tensor += 1.0
    checkpoint.to_disk(model)
    args = ["average", *(str(tmp_path / name) for name in ("mean", "one", "other"))]
    result = CliRunner().invoke(coref_cli, args)
    assert result.exit_code == 0, result.output
    found = spacy.load(tmp_path / "mean").get_pipe("fastcoref").model.get_checkpoint()
    for key, tensor in found.tensors.items():
        assert torch.allclose(tensor, checkpoint.tensors[key] - 0.5, atol=1e-5)


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
    with pytest.raises(ValueError, match=r"FC096.*'a' and 'b'.*\['tok2vec'\]"):
        average([nlp, other], ["a", "b"])
