"""`spacy coref export`."""

import pytest
import spacy

from spacy_fastcoref import FCoref

from ..conftest import invoke_coref as run


@pytest.fixture
def folder(tiny_nlp, tmp_path):
    tiny_nlp.to_disk(tmp_path / "pipeline")
    return tmp_path / "pipeline"


def test_written_model_predicts_the_same(folder, tmp_path):
    text = "She said that he ate the cake and they left."
    found = run("export", folder, tmp_path / "out")
    assert found.exit_code == 0 and "Written to" in found.stdout
    expected = spacy.load(folder).get_pipe("fastcoref")
    doc = spacy.blank("en")(text)
    (links,), model = expected.predict([doc]), FCoref(tmp_path / "out", device="cpu")
    (again,) = model.component.predict([model.nlp(text)])
    assert again.mentions.tolist() == links.mentions.tolist()


def test_layers_that_fastcoref_lacks(shipped_nlp, tmp_path):
    shipped_nlp.to_disk(tmp_path / "pipeline")
    found = run("export", tmp_path / "pipeline", tmp_path / "out")
    assert found.exit_code == 1 and isinstance(found.exception, SystemExit)
    (line,) = found.stderr.splitlines()
    assert "[FC008]" in line and "Traceback" not in found.output
    assert not (tmp_path / "out").exists()
