import spacy
import torch
from typer.testing import CliRunner

from spacy_fastcoref.cli import coref_cli
from spacy_fastcoref.models.checkpoint import Checkpoint


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
    found = spacy.load(tmp_path / "mean").get_pipe("fastcoref").model.shims[0].load()
    for key, tensor in found.tensors.items():
        assert torch.allclose(tensor, checkpoint.tensors[key] - 0.5, atol=1e-5)
