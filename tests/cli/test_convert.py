"""`spacy coref convert`: what is written of what is read, and what fails."""

import json
from functools import partial

import pytest
import spacy

from spacy_fastcoref.formats.base import list_formats

from ..conftest import invoke_coref
from ..formats.examples import CLUSTERS, TEXTS, write_examples

NLP = spacy.blank("en")
WRITTEN = sorted(one.name for one in list_formats().values() if one.dump and one.read)


run = partial(invoke_coref, "convert")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write the examples, and make the pipeline once."""
    monkeypatch.setattr(spacy, "blank", lambda lang: NLP)
    return write_examples(tmp_path)


def read_clusters(line):
    data = json.loads(line)
    words = [word for sentence in data["sentences"] for word in sentence]
    clusters = [[" ".join(words[a : z + 1]) for a, z in c] for c in data["clusters"]]
    return [cluster for cluster in clusters if len(cluster) > 1]


@pytest.mark.parametrize("name", WRITTEN)
def test_between_all_formats(files, tmp_path, name):
    """Each file in this format, and back."""
    for read, path in files.items():
        if read in ("text", "lines"):
            continue
        ending = list_formats()[name].endings[0]
        there, back = tmp_path / f"there{ending}", tmp_path / "back.jsonl"
        assert run(path, "-o", there, "--no-singletons").exit_code == 0, read
        assert run(there, "-o", back).exit_code == 0, read
        expected = CLUSTERS
        if read == "corefud":
            expected = [["Ann", "She"], ["Tom Baker", "de hs"]]
        assert read_clusters(back.read_text("utf8")) == expected, read


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
