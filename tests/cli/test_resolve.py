import pytest
import spacy
from typer.testing import CliRunner

from spacy_fastcoref.cli import coref_cli
from spacy_fastcoref.cli.resolve import resolve

from ..conftest import run_python, run_spacy

TEXT = "Ann said she left."


def test_lines(shipped_nlp):
    assert resolve(shipped_nlp, TEXT) == [
        "0: Ann(0), she(2)",
        "",
        "Ann said Ann left.",
    ]
    assert resolve(shipped_nlp, "") == ["", ""]


def test_text_is_printed_as_it_is():
    text = (
        "Ann Miller is a lawyer in the old town of Boston, where many lawyers live "
        "for years.\n\nSecond  paragraph:\tBob left."
    )
    result = CliRunner().invoke(coref_cli, ["resolve"], input=text)
    assert result.exit_code == 0 and text in result.stdout


def test_standard_input_and_options(tmp_path):
    spacy.blank("en").to_disk(tmp_path)
    args = [
        "resolve",
        "--model",
        str(tmp_path),
        "--policy",
        "spacy_fastcoref.pronouns.v1",
    ]
    result = CliRunner().invoke(coref_cli, args, input=TEXT)
    assert result.exit_code == 0, result.output
    assert "Ann said Ann left." in result.output


def test_another_language(tmp_path):
    result = CliRunner().invoke(coref_cli, ["resolve", "--lang", "it", TEXT])
    assert result.exit_code == 1 and "[FC002]" in result.stderr
    result = CliRunner().invoke(coref_cli, ["resolve", "--lang", "qqq", TEXT])
    assert result.exit_code == 1 and "[E048]" in result.stderr
    spacy.blank("en").to_disk(tmp_path)
    args = ["resolve", "--lang", "it", "--model", str(tmp_path), TEXT]
    assert CliRunner().invoke(coref_cli, args).exit_code == 0


def test_texts_that_are_longer_than_spacy_takes():
    nlp = spacy.blank("en")
    nlp.add_pipe("spacy_fastcoref")
    nlp.max_length = 9
    assert resolve(nlp, TEXT)[-1] == "Ann said Ann left."


@pytest.mark.parametrize("args", [[], ["Caf\udce9"]])
def test_what_is_not_utf8(args):
    result = CliRunner().invoke(coref_cli, ["resolve", *args], input=b"Caf\xe9")
    assert result.exit_code == 1 and isinstance(result.exception, SystemExit)
    name = "TEXT" if args else "standard input"
    assert f"[FC080] Can't read a text from '{name}'" in result.stderr


@pytest.mark.parametrize("factory", ["fastcoref", "spacy_fastcoref"])
def test_a_pipeline_gives_its_own_answer(tmp_path, factory):
    """The component may have any name, and the language no weights."""
    nlp = spacy.blank("de")
    model = {"@architectures": "spacy_fastcoref.Pretrained.v1", "lang": "en"}
    settings = {"model": model, "threshold": 1000.0}
    nlp.add_pipe(factory, name="who", config=settings)
    nlp.to_disk(tmp_path)
    assert run_spacy("coref", "resolve", TEXT, "-m", tmp_path).strip() == TEXT


def test_as_a_user_calls_it():
    done = run_python(args=["-m", "spacy", "coref", "resolve", TEXT])
    assert "0: Ann(0), she(2)" in done.stdout
    assert "Ann said Ann left." in done.stdout
