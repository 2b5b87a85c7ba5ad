"""The command `evaluate`."""

import json

import pytest
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_fastcoref import set_clusters

from ..conftest import blank, run_spacy
from ..training.test_evaluation import ROWS

# Blank pipelines have neither tags nor a parse.
pytestmark = pytest.mark.filterwarnings("ignore:.*FCW13")


@pytest.fixture
def args(tmp_path):
    nlp = blank("en")
    nlp.to_disk(tmp_path / "nlp")
    path = tmp_path / "data.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)), "utf8")
    return ["coref", "evaluate", str(tmp_path / "nlp"), str(path)]


def test_nearest_with_wrong_links(args, tmp_path):
    output = tmp_path / "scores.json"
    options = ["--nearest", "--wrong", "5", "--genre", "[a-z]+", "-o", str(output)]
    printed = run_spacy(*args, *options)
    assert "story_1: her -> Sue (2), not Ann (0): Ben saw her ." in printed
    assert "annotated anaphors" in printed and "news" in printed
    assert json.loads(output.read_text("utf8"))["scores"]["anaphors"] == 0.5


class NeedsTags:
    """Stand for a component that reads tags."""

    def __init__(self, nlp, name):
        self.found = []

    def __call__(self, doc):
        SEEN.append(doc.has_annotation("TAG"))
        return doc


SEEN = []
Language.factory("needs_tags", func=NeedsTags)


def test_annotation_of_another_pipeline(args, tmp_path):
    nlp = blank("en")
    nlp.add_pipe("needs_tags")
    nlp.to_disk(tmp_path / "nlp")
    tagger = blank("en")
    ruler = tagger.add_pipe("attribute_ruler")
    ruler.add([[{"IS_ASCII": True}]], {"TAG": "X"})
    tagger.to_disk(tmp_path / "tagger")
    SEEN.clear()
    run_spacy(*args, "--nearest")
    assert set(SEEN) == {False}
    SEEN.clear()
    run_spacy(*args, "--nearest", "--annotator", tmp_path / "tagger")
    assert set(SEEN) == {True}


def test_annotation_of_files(args, tmp_path):
    nlp = blank("en")
    nlp.add_pipe("needs_tags")
    nlp.to_disk(tmp_path / "nlp")
    doc = Doc(nlp.vocab, words=["Ann", "left", "."], tags=["X"] * 3)
    set_clusters(doc, [[(0, 1), (1, 2)]])
    DocBin(docs=[doc]).to_disk(tmp_path / "docs.spacy")
    command = [*args[:3], str(tmp_path / "docs.spacy"), "--nearest"]
    for option, has_tags in (([], False), (["--annotated"], True)):
        SEEN.clear()
        run_spacy(*command, *option)
        assert [has_tags] == SEEN
