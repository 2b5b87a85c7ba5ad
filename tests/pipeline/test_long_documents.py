"""Test long documents: distant names, context around segments, equal predictions."""

import pytest

from ..conftest import load_model

FILLER = "The rain fell on the roof and the wind shook the old windows . "
TEXT = f"Margaret Walker came home . {FILLER * 12}Margaret Walker slept ."


def find_names(doc):
    return [
        sum(span.text == "Margaret Walker" for span in group)
        for name, group in doc.spans.items()
        if name.startswith("coref_clusters_")
    ]


@pytest.mark.parametrize(
    "config, expected",
    [
        ({}, 2),
        ({"antecedent_window": 8, "antecedent_cache": 0}, 0),
        ({"antecedent_window": 8, "antecedent_cache": 3}, 2),
    ],
)
def test_distant_names_are_linked(config, expected):
    doc = load_model(rules=None, **config)(TEXT)
    assert max(find_names(doc), default=0) == expected
    # By rules, from anywhere.
    assert max(find_names(load_model(**config)(TEXT))) == 2


def read_scores(links):
    mentions = map(tuple, links.mentions.tolist())
    return dict(zip(mentions, links.mention_scores, strict=True))


def test_context_around_segments(tiny_nlp):
    """Change the scores of a long document, but not those of a single segment."""
    text = "she said that her cat and his dog ran , and he saw it " * 20
    pipe = tiny_nlp.get_pipe("fastcoref")
    (plain,) = pipe.predict([tiny_nlp.make_doc(text)])
    short = pipe.predict([tiny_nlp.make_doc("she said that her cat ran")])
    pipe.segment_overlap = 2
    (context,) = pipe.predict([tiny_nlp.make_doc(text)])
    again = pipe.predict([tiny_nlp.make_doc("she said that her cat ran")])
    found, other = read_scores(plain), read_scores(context)
    assert any(abs(found[m] - other[m]) > 1e-3 for m in found.keys() & other.keys())
    assert (short[0].mention_scores == again[0].mention_scores).all()
