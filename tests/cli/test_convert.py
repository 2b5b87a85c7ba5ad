"""`spacy coref convert`: what is written of what is read, and what fails."""

import json
from functools import partial

import pytest
import spacy

from ..conftest import blank, invoke_coref
from ..formats.examples import TEXTS, write_examples

NLP = blank("en")


run = partial(invoke_coref, "convert")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write the examples, and make the pipeline once."""
    monkeypatch.setattr(spacy, "blank", lambda lang: NLP)
    return write_examples(tmp_path)


def test_singletons(files):
    """The second part of a mention of two is one, in a cluster of its own."""
    found = run(files["corefud"], "--to", "jsonl")
    assert len(json.loads(found.stdout)["clusters"]) == 3
    assert sorted(json.loads(found.stdout)["entity_types"])[0] == "event"
    found = run(files["corefud"], "--to", "jsonl", "--no-singletons")
    assert len(json.loads(found.stdout)["clusters"]) == 2
    assert set(json.loads(found.stdout)["entity_types"]) == {"person"}


def test_pipes(files):
    data = files["conll"].read_bytes()
    found = run("-", "--from", "conll", "--to", "corefud", input=data)
    assert found.exit_code == 0 and "Entity=(e1--1)" in found.stdout
    assert run("-", "--to", "jsonl", input=data).exit_code == 2
    assert run(files["conll"]).exit_code == 2
    assert run().exit_code == 2


def test_what_fails_is_listed(files, tmp_path):
    crossing = {"text": "Ann and Tom left", "clusters": [[[0, 7], [4, 11]]]}
    path = tmp_path / "crossing.jsonl"
    path.write_text(f"{json.dumps(crossing)}\n", encoding="utf8")
    broken = tmp_path / "broken.conll"
    broken.write_text(TEXTS["conll"].replace("(1)", "(1", 1) + TEXTS["conll"])
    found = run(path, broken, "--to", "conll")
    assert found.exit_code == 1
    assert found.stdout.count("#begin document") == 1
    one, two, summary = found.stderr.splitlines()
    assert "[FC165]" in one and "crossing-1" in one and "without nesting" in one
    assert "[FC051]" in two and "broken.conll, line 4" in two
    assert "2 of 3 documents failed" in summary
