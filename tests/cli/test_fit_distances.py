"""`spacy coref fit-distances`."""

import json

import pytest
import spacy
from spacy.cli._util import app
from typer.testing import CliRunner

from ..conftest import make_network, make_nlp
from ..training.corpus import make_rows, write_rows

CONFIG = """
[paths]
data = null

[corpora]

[corpora.train]
@readers = "spacy_fastcoref.JsonlCorpus.v1"
path = ${paths.data}
"""
SIZES = {"top_lambda": 1.0, "max_span_length": 1}


@pytest.fixture
def files(tmp_path):
    make_nlp(tmp_path / "model", make_network(**SIZES), **SIZES).to_disk(
        tmp_path / "before"
    )
    (tmp_path / "config.cfg").write_text(CONFIG)
    return tmp_path / "config.cfg", tmp_path / "before", tmp_path / "after"


def run(*args):
    return CliRunner().invoke(app, ["coref", "fit-distances", *map(str, args)])


def test_a_pipeline_gets_distances(files, tmp_path):
    data = write_rows(tmp_path / "train.jsonl", make_rows(12))
    done = run(*files, "--paths.data", data, "--rounds", 1, "--decay", 10)
    assert done.exit_code == 0, done.output
    assert "Documents" in done.output and "12" in done.output
    before, after = (
        json.loads((p / "fastcoref/model/config.json").read_text()) for p in files[1:]
    )
    assert after["antecedent_scorer"]["scorer"] == before["antecedent_scorer"]
    assert len(spacy.load(files[2])("anna saw boris and she said"))


def test_the_same_seed_gives_the_same_pipeline(files, tmp_path):
    data = write_rows(tmp_path / "train.jsonl", make_rows(12))
    *before, after = files
    written = []
    for i, seed in enumerate((1, 1, 2)):
        folder = after / str(i)
        settings = ("--paths.data", data, "--decay", 1, "--seed", seed)
        done = run(*before, folder, *settings)
        assert done.exit_code == 0, done.output
        written.append((folder / "fastcoref/model/model.safetensors").read_bytes())
    assert written[0] == written[1] != written[2]


def test_nothing_is_written_when_nothing_can_be_learned(files, tmp_path):
    data = write_rows(tmp_path / "train.jsonl", make_rows(1))
    done = run(*files, "--paths.data", data)
    assert done.exit_code == 1 and "[FC098]" in done.output
    assert not files[2].exists()


def test_a_corpus_that_the_config_has_not(files, tmp_path):
    data = write_rows(tmp_path / "train.jsonl", make_rows(12))
    done = run(*files, "--paths.data", data, "--corpus", "corpora.other")
    assert done.exit_code != 0 and "corpora.other" in done.output
    assert not files[2].exists()
