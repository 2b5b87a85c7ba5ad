"""Evaluation of a pipeline on annotated files."""

import json
from dataclasses import asdict

import pytest

from spacy_fastcoref.clusters.store import set_clusters
from spacy_fastcoref.training.evaluation import evaluate, find_chosen, read_gold

from ..conftest import NEAREST, blank, load_model
from .corpus import write_rows

# Blank pipelines have neither tags nor a parse.
pytestmark = pytest.mark.filterwarnings("ignore:.*FCW13")

ROWS = [
    {
        "doc_key": "news_1",
        "sentences": [["Ann", "said", "she", "left", "."]],
        "clusters": [[[0, 0], [2, 2]]],
    },
    {
        "doc_key": "story_1",
        # The model chooses the nearest antecedent.
        "sentences": [["Ann", "and", "Sue", "left", "."], ["Ben", "saw", "her", "."]],
        "clusters": [[[0, 0], [7, 7]]],
    },
]


@pytest.fixture
def nlp():
    return load_model(model=NEAREST)


@pytest.fixture
def path(tmp_path):
    return write_rows(tmp_path / "data.jsonl", ROWS)


def read(nlp, *paths):
    return [*read_gold(paths, nlp)]


def test_scores(nlp, path):
    found = evaluate(nlp, read(nlp, path), genre="[a-z]+")
    assert (found.n_documents, found.n_words, found.n_anaphors) == (2, 14, 2)
    assert found.scores["anaphors"] == 0.5
    assert found.genres["news"]["coref_f"] == 1.0
    assert found.genres["story"]["anaphors"] == 0.0
    (wrong,) = found.wrong_links
    assert (wrong.key, wrong.anaphor, wrong.antecedent) == ("story_1", "her", "Sue (2)")
    assert wrong.expected == ["Ann (0)"]
    assert wrong.sentence.split() == ["Ben", "saw", "her", "."]
    assert json.loads(json.dumps(asdict(found)))["wrong_links"][0]["key"] == "story_1"


def test_cataphora_has_the_next_mention_as_antecedent(nlp):
    doc = nlp.make_doc("She left, Ann said of her.")
    set_clusters(doc, [[(0, 1), (3, 4)]])
    assert find_chosen(doc) == {(0,): (3,), (6,): None}


def test_errors(nlp, path, tmp_path):
    with pytest.raises(ValueError, match="FC095"):
        evaluate(blank("en"), read(blank("en"), path))
    with pytest.raises(ValueError, match="FC180"):
        evaluate(nlp, [])
    with pytest.raises(ValueError, match="FC052.*data.xml"):
        evaluate(nlp, read(nlp, tmp_path / "data.xml"))
    (tmp_path / "list.jsonl").write_text("[]\n")
    with pytest.raises(ValueError, match="FC051"):
        evaluate(nlp, read(nlp, tmp_path / "list.jsonl"))
