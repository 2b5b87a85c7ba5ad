"""`spacy coref explain`: which mentions and candidates are explained."""

import pytest
from spacy.cli._util import app
from typer.testing import CliRunner

from spacy_fastcoref.cli import explain as module
from spacy_fastcoref.cli.explain import explain

TEXT = "Alice met Bob. She thanked him, and she  left."


def run(*args, **settings):
    return CliRunner().invoke(app, ["coref", "explain", *args], **settings)


def test_all_mentions(shipped_nlp):
    found = list(explain(shipped_nlp, TEXT, []))
    assert {"Alice", "Bob", "She"} <= {one.mention.text for one in found}
    assert found[0].mention.text == "Alice" and not found[0].candidates
    (she,) = [one for one in found if one.mention.text == "She"]
    assert she.candidates[0].mention.text == "Alice" and she.candidates[0].is_chosen


def test_some_mentions(shipped_nlp):
    """Each place where the text has the words, whatever their case."""
    found = list(explain(shipped_nlp, TEXT, ["she", "Bob"]))
    assert [one.mention.text for one in found] == ["Bob", "She", "she"]
    (pair,) = explain(shipped_nlp, TEXT, ["him"], "alice")
    assert [one.mention.text for one in pair.candidates] == ["Alice"]
    assert [str(one.mention) for one in explain(shipped_nlp, TEXT, ["she left"])] == [
        "she  left"
    ]
    later = [one.mention.text for one in explain(shipped_nlp, TEXT, [], "him")]
    assert later and "Alice" not in later and "Bob" not in later


@pytest.mark.parametrize("words", ["Eve", "he", ""])
def test_words_that_are_not_there(shipped_nlp, words):
    with pytest.raises(ValueError, match="FC166"):
        list(explain(shipped_nlp, TEXT, [words]))


def test_command(shipped_nlp, monkeypatch):
    monkeypatch.setattr(module, "load_pipeline", lambda model, lang: shipped_nlp)
    found = run("--mention", "she", "-", input="Ann said she left.")
    assert found.exit_code == 0
    head, _, row, *_ = found.stdout.splitlines()
    assert head.split() == ["she", "(2)", "score", "verdict", "reasons"]
    assert row.split()[:3] == [">", "Ann", "(0)"] and "allowed" in row
    found = run("Ann left.", "--mention", "she")
    assert found.exit_code == 1 and "[FC166]" in found.stderr and not found.stdout
