"""Commands replace only output of their own kind."""

import os
from pathlib import Path

import pytest

from spacy_fastcoref.cli import models
from spacy_fastcoref.cli.models import MODEL_FILES as MODEL
from spacy_fastcoref.cli.models import PIPELINE_FILES as PIPELINE
from spacy_fastcoref.cli.options import check_output

from ..conftest import invoke_coref

COMMANDS = {
    "average": lambda output, model: (output, model, model),
    "export": lambda output, model: (model, output),
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A folder with the files of a pipeline, which must not be loaded."""
    folder = tmp_path_factory.mktemp("models") / "pipeline"
    folder.mkdir()
    for name in PIPELINE:
        (folder / name).write_text("")
    return folder


def make(folder, *names):
    folder.mkdir()
    for name in names:
        (folder / name).write_text("ten years of work")
    return folder


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", ["folder", "file", "input", "below a file"])
def test_commands_refuse_before_they_compute(
    command, kind, model, tmp_path, monkeypatch
):
    monkeypatch.setattr(models.spacy, "load", lambda name: pytest.fail("computes"))
    thesis = make(tmp_path / "thesis", "thesis.tex")
    output, reason = {
        "folder": (thesis, "has no config."),
        "file": (thesis / "thesis.tex", "it is a file"),
        "input": (model, "it is a pipeline that is read"),
        "below a file": (thesis / "thesis.tex" / "out", "Not a directory"),
    }[kind]
    result = invoke_coref(command, *COMMANDS[command](output, model))
    assert result.exit_code == 1, result.exception
    said = " ".join(result.output.split())
    assert "[FC103]" in said and reason in said and "Traceback" not in said
    assert os.listdir(thesis) == ["thesis.tex"]
    assert sorted(os.listdir(model)) == sorted(PIPELINE)


@pytest.mark.parametrize("files", [PIPELINE, MODEL])
def test_folders_that_may_be_replaced(files, model, tmp_path):
    check_output(make(tmp_path / "same", *files, "more"), files, [str(model)])
    check_output(make(tmp_path / "empty"), files, [str(model), "a_package"])
    check_output(tmp_path / "new" / "folder", files, [str(model)])
    assert not (tmp_path / "new").exists()
    with pytest.raises(ValueError, match=f"FC103.*no {files[1]}"):
        check_output(make(tmp_path / "half", files[0]), files, [str(model)])


def test_output_inside_an_input(model, tmp_path, monkeypatch):
    inner = make(tmp_path / "pipeline", *PIPELINE) / "model"
    make(inner, *MODEL)
    with pytest.raises(ValueError, match="FC103.*or in one"):
        check_output(inner, MODEL, [str(tmp_path / "pipeline")])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="FC103.*a pipeline that is read"):
        check_output(Path("pipeline"), PIPELINE, [str(tmp_path / "pipeline")])
    # A package of this name is no folder.
    check_output(Path("some_package"), PIPELINE, ["some_package"])


def test_output_around_an_input(tmp_path):
    outer = make(tmp_path / "pipeline", *PIPELINE)
    make(outer / "older", *PIPELINE)
    with pytest.raises(ValueError, match="FC103.*pipeline'.* around one"):
        check_output(outer, PIPELINE, [str(outer / "older")])
