import spacy
from typer.testing import CliRunner

from spacy_fastcoref.cli import coref_cli
from spacy_fastcoref.cli.resolve import resolve

from ..conftest import run_python

TEXT = "Ann said she left."


def test_lines(shipped_nlp):
    assert resolve(shipped_nlp, TEXT) == [
        "0: Ann(0), she(2)",
        "",
        "Ann said Ann left.",
    ]
    assert resolve(shipped_nlp, "") == ["", ""]


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


def test_as_a_user_calls_it():
    done = run_python(args=["-m", "spacy", "coref", "resolve", TEXT])
    assert "0: Ann(0), she(2)" in done.stdout
    assert "Ann said Ann left." in done.stdout
