"""Test the must-links and cannot-links of users."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_fastcoref.decoding.constraints import read_constraints

from ..conftest import blank
from ..grammar.links import decode
from .test_decode import make_links, read

VOCAB = blank("en").vocab


def make_doc(**groups):
    doc = Doc(VOCAB, words=[f"w{i}" for i in range(6)])
    for name, spans in groups.items():
        doc.spans[name] = [doc[start:end] for start, end in spans]
    return doc


def decode_doc(doc, links):
    links, said = read_constraints(doc, links)
    return read(decode(links, None, said))


@pytest.mark.parametrize(
    "words, spans, expected",
    [
        ("Beth in town sat . She left", [(0, 1), (0, 3), (5, 6)], []),
        # What is joined is another one.
        ("Beth and Tom sat . They left", [(0, 1), (0, 3), (5, 6)], [[(0, 3), (5, 6)]]),
        ("Beth 's dog sat . She left", [(0, 1), (0, 3), (5, 6)], [[(0, 3), (5, 6)]]),
    ],
)
def test_cannot_links_of_mentions_with_the_same_head(words, spans, expected):
    doc = Doc(VOCAB, words=words.split())
    links = replace(
        make_links([{}, {}, {0: 2.0, 1: 1.0}]), mentions=np.array(spans, dtype=np.int32)
    )
    doc.spans["coref_apart"] = [doc[0:1], doc[5:6]]
    links, said = read_constraints(doc, links)
    found = decode(links, None, said)
    assert [c.mentions for c in found] == expected
    # What the user says of that one goes before.
    doc.spans["coref_seeds"] = [doc[0:3], doc[5:6]]
    links, said = read_constraints(doc, links)
    (cluster,) = decode(links, None, said)
    assert cluster.mentions == [(0, 3), (5, 6)]


def test_empty_spans_are_ignored():
    links = make_links([{}, {0: 1.0}])
    doc = make_doc(coref_seeds_1=[(0, 0), (0, 1)], coref_apart_1=[(1, 1)])
    assert decode_doc(doc, links) == [[0, 1]]


@given(st.data())
def test_cannot_links_hold_for_any_links(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    links = make_links([{j: float(rng.normal()) for j in range(i)} for i in range(6)])
    groups = st.lists(st.sets(st.integers(0, 5), min_size=2, max_size=3), max_size=2)
    seeds, apart = data.draw(groups), data.draw(groups)
    named = {f"coref_seeds_{i}": group for i, group in enumerate(seeds)}
    named |= {f"coref_apart_{i}": group for i, group in enumerate(apart)}
    spans = {name: [(j, j + 1) for j in group] for name, group in named.items()}
    try:
        clusters = decode_doc(make_doc(**spans), links)
    except ValueError as error:
        assert "FC041" in str(error)
        return
    assert all(len(group & set(cluster)) < 2 for group in apart for cluster in clusters)
    assert all(any(group <= set(cluster) for cluster in clusters) for group in seeds)


def test_must_link_of_a_dropped_mention():
    links = make_links([{}, {0: 1.0}])
    doc = make_doc(coref_seeds_a=[(1, 2), (3, 6)])
    found, constraints = read_constraints(doc, links)
    assert found.mentions.tolist() == [[0, 1], [1, 2], [3, 6]]
    (cluster,) = decode(found, None, constraints)
    assert cluster.mentions == [(0, 1), (1, 2), (3, 6)]
    assert np.isfinite(cluster.scores).all() and np.isfinite(cluster.probs).all()
    # Links of mentions after one that is added are the same.
    links = make_links([{}, {0: 1.0}, {1: 3.0, 0: 2.0}])
    found, _ = read_constraints(make_doc(coref_seeds=[(0, 1), (0, 2)]), links)
    assert found.mentions.tolist() == [[0, 1], [0, 2], [1, 2], [2, 3]]
    assert found.antecedents[2:].tolist() == [[0, -1], [2, 0]]
    assert found.scores[3].tolist() == [3.0, 2.0]


def test_must_links_are_certain():
    """Keep the model's score of a must-link, with a probability of 1."""
    links = make_links([{}, {0: 1.0}, {1: 2.0, 0: -3.0}, {}])
    doc = make_doc(coref_seeds=[(0, 1), (2, 3), (3, 4)])
    found, constraints = read_constraints(doc, links)
    (cluster,) = decode(found.drop_below(np.zeros(4)), None, constraints)
    assert read([cluster]) == [[0, 1, 2, 3]]
    assert cluster.scores == [0.0, 1.0, -3.0, 0.0]
    assert cluster.probs[1] < 1.0 and cluster.probs[2:] == [1.0, 1.0]


def test_contradiction_through_another_group():
    doc = make_doc(
        coref_seeds_1=[(0, 1), (1, 2)],
        coref_seeds_2=[(1, 2), (2, 3)],
        coref_apart_1=[(0, 1), (2, 3)],
    )
    with pytest.raises(ValueError, match="FC041.*'w2'"):
        read_constraints(doc, make_links([{}, {}, {}]))


def test_too_many_groups():
    groups = {f"coref_apart_{i}": [(0, 1), (2, 3)] for i in range(65)}
    with pytest.raises(ValueError, match="FC042.*65"):
        read_constraints(make_doc(**groups), make_links([{}]))
