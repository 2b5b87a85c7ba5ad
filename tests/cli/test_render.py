from xml.etree import ElementTree

import pytest
import spacy
from typer.testing import CliRunner

from spacy_fastcoref.cli import coref_cli

from ..conftest import run_spacy
from ..visualizer.reading import parse

TEXT = "Ann said <b> she left."


def list_marks(markup):
    return [mark.text for mark in parse(markup).find("main").find_all("mark")][:2]


@pytest.fixture
def pipeline(tmp_path, shipped_nlp):
    shipped_nlp.to_disk(tmp_path / "nlp")
    return tmp_path / "nlp"


def test_page(tmp_path):
    output = tmp_path / "new" / "ann.html"
    assert "Written to" in run_spacy("coref", "render", TEXT, "-o", output)
    assert list_marks(output.read_text("utf8")) == ["Ann1", "she1"]


def test_svg(tmp_path, pipeline):
    output = tmp_path / "ann.SVG"
    args = ["--style", "links", "--theme", "dark", "--model", pipeline]
    run_spacy("coref", "render", TEXT, "-o", output, *args)
    svg = ElementTree.parse(output).getroot()
    assert svg.tag.endswith("svg")


def test_standard_input_and_output():
    result = CliRunner().invoke(coref_cli, ["render"], input=TEXT)
    assert result.exit_code == 0, result.output
    assert list_marks(result.stdout) == ["Ann1", "she1"]


@pytest.mark.parametrize(
    "args, code",
    [
        (["--style", "dep"], "FC172"),
        (["--theme", "blue"], "FC170"),
        (["--style", "chains", "-o", "a.svg"], "FC174"),
        (["-o", "/dev/null/a.html"], "FC103"),
    ],
)
def test_errors(tmp_path, monkeypatch, args, code):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(coref_cli, ["render", TEXT, *args])
    assert result.exit_code == 1 and isinstance(result.exception, SystemExit)
    assert f"[{code}]" in result.stderr
    assert not list(tmp_path.iterdir())


def test_a_pipeline_without_the_component(tmp_path):
    spacy.blank("en").to_disk(tmp_path / "nlp")
    html = run_spacy("coref", "render", TEXT, "-m", tmp_path / "nlp", "-s", "chains")
    assert parse(html).find("tbody").find("th").text == "Ann1"


@pytest.mark.parametrize("args", [[], ["Caf\udce9"]])
def test_what_is_not_utf8(args):
    result = CliRunner().invoke(coref_cli, ["render", *args], input=b"Caf\xe9")
    assert result.exit_code == 1 and "[FC080]" in result.stderr
