"""Each text gets its own answer, whatever happens to others."""

import pytest

from spacy_fastcoref.scale.ray_pool import annotate_texts
from spacy_fastcoref.scale.tables import CLUSTERS, DOCBIN, load_doc, make_columns

from .conftest import make_nlp

ALL = "spacy_fastcoref.all.v1"
COLUMNS = make_columns([CLUSTERS, DOCBIN], ALL)


def fail_at_boom(text):
    if "boom" in text:
        raise KeyError("boom")


@pytest.mark.parametrize("max_tokens", [1, 7, 1000])
def test_texts_that_fail(max_tokens):
    nlp = make_nlp(fail_at_boom)
    nlp.max_length = 1000
    texts = ["a b a", "boom", "", "x" * 1001, "c", "d d"]
    answers = annotate_texts(nlp, texts, COLUMNS, max_tokens)
    found = [None if isinstance(a, Exception) else a[CLUSTERS] for a in answers]
    assert found == [[[[0, 1], [4, 5]]], None, [], None, [], [[[0, 1], [2, 3]]]]
    assert "boom" in str(answers[1]) and "E088" in str(answers[3])
    doc = load_doc(answers[5][DOCBIN], nlp.vocab)
    assert doc.text == "d d" and doc._.coref_clusters == [[(0, 1), (2, 3)]]


def test_batches_fit_the_budget():
    sizes = []
    nlp = make_nlp()
    pipe = nlp.pipe
    nlp.pipe = lambda items, **rest: sizes.append(len(items)) or pipe(items, **rest)
    annotate_texts(nlp, ["a b", "c d e", "f", "g " * 9, "h"], COLUMNS, 5)
    assert sizes == [2, 1, 2]


@pytest.mark.parametrize("names", [[], ["no"], [CLUSTERS, CLUSTERS]])
def test_columns_that_cannot_be_made(names):
    with pytest.raises(ValueError, match="FC076"):
        make_columns(names, ALL)
    with pytest.raises(ValueError, match="FC024"):
        make_columns([CLUSTERS], "no")
