"""`spacy coref resolve`, `explain` and `render`: the commands for one text."""

from xml.etree import ElementTree

import pytest

from spacy_fastcoref.cli import texts as module
from spacy_fastcoref.cli.texts import explain_text

from ..conftest import blank, run_spacy
from ..conftest import invoke_coref as run
from ..visualizer.reading import find, find_all, get_text, parse

ANN = "Ann said she left."
HTML = "Ann said <b> she left."
ALICE = "Alice met Bob. She thanked him, and she  left."


@pytest.fixture
def shipped(shipped_nlp, monkeypatch):
    monkeypatch.setattr(module, "load_pipeline", lambda model, lang: shipped_nlp)
    return shipped_nlp


def test_resolve_prints_the_text_as_it_is(shipped):
    assert run("resolve", ANN).stdout == "0: Ann(0), she(2)\n\nAnn said Ann left.\n"
    assert run("resolve", input="").stdout == "\n\n"
    text = "Ann Miller is a lawyer.\n\nSecond  paragraph:\tBob left."
    found = run("resolve", input=text)
    assert found.exit_code == 0 and text in found.stdout


def test_a_file_in_place_of_a_text(shipped, tmp_path):
    (tmp_path / "a.txt").write_text(ANN)
    found = run("resolve", tmp_path / "a.txt")
    assert "Ann said Ann left." in found.stdout and "a.txt" in found.stderr


@pytest.mark.slow
def test_models_and_languages(tmp_path):
    """A pipeline gives its own answer, whatever its language and its component."""
    for lang, code in (("it", "[FC002]"), ("qqq", "[E048]")):
        found = run("resolve", "--lang", lang, ANN)
        assert found.exit_code == 1 and code in found.stderr
    assert "Ann left." in run("resolve", "--lang", "EN", ANN).stdout
    blank("en").to_disk(tmp_path / "blank")
    options = ["--model", tmp_path / "blank", "--policy", "spacy_fastcoref.pronouns.v1"]
    found = run("resolve", "--lang", "it", *options, input=ANN)
    assert found.exit_code == 0 and "Ann said Ann left." in found.stdout
    nlp = blank("de")
    model = {"@architectures": "spacy_fastcoref.Pretrained.v1", "lang": "en"}
    settings = {"model": model, "threshold": 1000.0}
    nlp.add_pipe("spacy_fastcoref", name="who", config=settings)
    nlp.to_disk(tmp_path / "who")
    assert run_spacy("coref", "resolve", ANN, "-m", tmp_path / "who").strip() == ANN


@pytest.mark.parametrize("args", [[], ["Caf\udce9"]])
@pytest.mark.parametrize("command", ["resolve", "render"])
def test_what_is_not_utf8(command, args):
    found = run(command, *args, input=b"Caf\xe9")
    assert found.exit_code == 1 and isinstance(found.exception, SystemExit)
    name = "TEXT" if args else "standard input"
    assert f"[FC052] Can't read '{name}'" in found.stderr


def test_explain_some_mentions(shipped_nlp):
    """Each place where the text has the words, whatever their case."""
    found = list(explain_text(shipped_nlp, ALICE, ["she", "Bob"]))
    assert [one.mention.text for one in found] == ["Bob", "She", "she"]
    (pair,) = explain_text(shipped_nlp, ALICE, ["him"], "alice")
    assert [one.mention.text for one in pair.candidates] == ["Alice"]
    (left,) = explain_text(shipped_nlp, ALICE, ["she left"])
    assert str(left.mention) == "she  left"
    later = [one.mention.text for one in explain_text(shipped_nlp, ALICE, [], "him")]
    assert later and "Alice" not in later and "Bob" not in later


def test_explain(shipped):
    found = run("explain", "--mention", "she", "-", input=ANN)
    assert found.exit_code == 0
    head, _, row, *_ = found.stdout.splitlines()
    assert head.split() == ["she", "(2)", "score", "verdict", "reasons"]
    assert row.split()[:3] == [">", "Ann", "(0)"] and "allowed" in row
    found = run("explain", "Ann left.", "--mention", "she")
    assert found.exit_code == 1 and "[FC166]" in found.stderr and not found.stdout


def list_marks(markup):
    return [get_text(mark) for mark in find_all(parse(markup), "mark")][:2]


def test_pictures(shipped, tmp_path):
    output = tmp_path / "new" / "ann.html"
    assert "Written to" in run("render", HTML, "-o", output).stdout
    assert list_marks(output.read_text("utf8")) == ["Ann1", "she1"]
    assert list_marks(run("render", input=HTML).stdout) == ["Ann1", "she1"]
    table = run("render", HTML, "-s", "chains").stdout
    assert get_text(find(find(parse(table), "tbody"), "th")) == "Ann1"
    output = tmp_path / "ann.SVG"
    run("render", HTML, "-o", output, "--style", "links", "--theme", "dark")
    assert ElementTree.parse(output).getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    "args, code",
    [
        (["--style", "dep"], "FC024"),
        (["--theme", "blue"], "FC024"),
        (["--style", "chains", "-o", "a.svg"], "FC024"),
        (["-o", "/dev/null/a.html"], "FC103"),
        (["-o", "a.png"], "FC024"),
    ],
)
def test_pictures_that_cannot_be_drawn(shipped, tmp_path, monkeypatch, args, code):
    monkeypatch.chdir(tmp_path)
    found = run("render", HTML, *args)
    assert found.exit_code == 1 and isinstance(found.exception, SystemExit)
    assert f"[{code}]" in found.stderr
    assert not list(tmp_path.iterdir())
