"""Groups of clusters that a user wrote, with attrs that say nothing."""

import pytest
from spacy.tokens import Doc, Span, SpanGroup

from spacy_fastcoref import set_clusters

GOOD = {
    "heads": [[0], [3]],
    "antecedents": [-1, 0],
    "scores": [0.0, 2.5],
    "probs": [0.5, 1],
    "candidates": [[], [[0, 1, 2.5]]],
}


def make(vocab, spans, attrs):
    doc = Doc(vocab, words="Ann said that she left".split())
    made = [Span(doc, start, end) for start, end in spans]
    doc.spans["coref_clusters_1"] = SpanGroup(doc, attrs=attrs, spans=made)
    return doc


def read(doc):
    """Ask the views that read attrs."""
    cluster = doc[0:1]._.coref_cluster
    return (
        repr(doc._.coref_scores),
        cluster.scores,
        cluster.probs,
        repr(doc._.coref_chains),
    )


@pytest.mark.parametrize(
    "name, values",
    [
        ("heads", None),
        ("heads", 5),
        ("heads", {"a": 1, "b": 2}),
        ("heads", [["a"], [3]]),
        ("heads", [[0], 3]),
        ("heads", [[0.5], [3]]),
        ("antecedents", "ab"),
        ("antecedents", [-1, 1]),
        ("antecedents", [-2, 0]),
        ("antecedents", [-1, "0"]),
        ("antecedents", [None, None]),
        ("scores", [None, "x"]),
        ("scores", [[0.0], 2.5]),
        ("probs", ["0.5", 1]),
        ("candidates", [0, 1]),
        ("candidates", [[], [[0, 1]]]),
        ("candidates", [[], [[0, 99, 2.5]]]),
        ("candidates", [[], [[1, 1, 2.5]]]),
        ("candidates", [[], [[0, 1, None]]]),
        ("candidates", [[], [[-1, 1, 2.5]]]),
    ],
)
def test_what_says_nothing_is_as_if_missing(en_vocab, name, values):
    spans = [(0, 1), (3, 4)]
    found = read(make(en_vocab, spans, {**GOOD, name: values}))
    rest = {key: value for key, value in GOOD.items() if key != name}
    assert found == read(make(en_vocab, spans, rest))
    assert found[3] == "[0: [0], [3]]"


def test_what_is_read(en_vocab):
    doc = make(en_vocab, [(0, 1), (3, 4)], GOOD)
    assert doc._.coref_scores == {doc[3:4]: {doc[0:1]: 2.5}}
    tuples = {**GOOD, "heads": ((0,), (3,)), "antecedents": (-1, 0)}
    assert read(make(en_vocab, [(0, 1), (3, 4)], tuples)) == read(doc)


def test_spans_of_no_tokens_are_no_mentions(en_vocab):
    doc = make(en_vocab, [(2, 2), (0, 1), (3, 4)], {"scores": [1.0, 2.0, 3.0]})
    assert doc._.coref_clusters == [[(0, 3), (14, 17)]]
    assert doc[0:1]._.coref_cluster.scores == []
    doc = make(en_vocab, [(2, 2)], {})
    assert doc._.coref_clusters == [] and not doc._.has_coref
    assert doc._.resolved_text == doc.text and doc._.coref_scores == {}


def test_a_mention_that_is_there_twice_is_one(en_vocab):
    doc = make(en_vocab, [(0, 1), (0, 1), (3, 4)], {})
    assert doc._.coref_clusters == [[(0, 3), (14, 17)]]
    # Of what set_clusters is given that is an error.
    with pytest.raises(ValueError, match="FC105"):
        set_clusters(doc, [[(0, 1), (0, 1)]])
