"""Compare the metrics with the test cases of the CoNLL reference scorer."""

import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.metrics.clusters import (
    CONLL,
    METRICS,
    normalize,
)
from spacy_fastcoref.metrics.scorer import CorefAccumulator

CASES = Path(__file__).parent.parent / "fixtures" / "conll_scorer"
# What TestCases.README expects: recall and precision by MUC, B-cubed and CEAF-e; "-"
# for what it says nothing of. B-1 and C-1 are cases of BLANC; their numbers were
# worked out by hand.
EXPECTED = (CASES / "expected.txt").read_text().splitlines()


def read(name):
    """Read a file of the scorer's own tests, in which a mention can be listed twice."""
    clusters, opened = {}, {}
    lines = (CASES / name).read_text().splitlines()
    columns = [line.split()[-1] for line in lines if line and not line.startswith("#")]
    for word, column in enumerate(columns):
        for begun, ended, closed in re.findall(r"\((\w+)(\)?)|(\w+)\)", column):
            entity = begun or closed
            if begun:
                opened.setdefault(entity, []).append(word)
                clusters.setdefault(entity, [])
            if closed or ended:
                clusters[entity].append((opened[entity].pop(), word + 1))
    return normalize(clusters.values())


@pytest.mark.parametrize("row", EXPECTED)
def test_reference_scorer(row):
    case, _, cells = row.partition(": ")
    key = read(f"TC-{case.split('-')[0]}.key")
    response = read(f"TC-{case}.response")
    for name, cell in zip(CONLL, cells.split(", "), strict=False):
        if cell != "-":
            counts = METRICS[name](key, response)
            found = counts.recall, counts.precision
            assert found == pytest.approx([float(Fraction(x)) for x in cell.split()])


@pytest.mark.parametrize(
    "key, response, recall, precision",
    [
        # By hand, after Moosavi & Strube (2016), section 4.
        (["abc"], ["abc"], 1, 1),
        # Of abc one link of three is there; of ab its only one.
        (["abc"], ["ab"], Fraction(1, 3), 1),
        (
            ["abc", "de"],
            ["ab", "cde"],
            (3 * Fraction(1, 3) + 2) / 5,
            (2 + 3 * Fraction(1, 3)) / 5,
        ),
        # A cluster of one is resolved by a cluster of the same one.
        (["a", "bc"], ["a", "bc"], 1, 1),
        (["a", "bc"], ["ab", "c"], 0, 0),
        (["a"], ["ab"], 0, 0),
        (["abcd"], ["ab", "cd"], Fraction(2, 6), 1),
    ],
)
def test_lea(key, response, recall, precision):
    counts = METRICS["lea"](key, response)
    assert counts.recall == pytest.approx(float(recall))
    assert counts.precision == pytest.approx(float(precision))


def test_normalize():
    assert normalize(["aab", "bc", "", "d"]) == [["a", "b"], ["c"], ["d"]]
    assert normalize(["aab", "bc", "", "d"], singletons=False) == [["a", "b"]]


CLUSTERS = st.lists(st.integers(0, 4), min_size=1, max_size=12).map(
    lambda labels: [
        [i for i, label in enumerate(labels) if label == name] for name in set(labels)
    ]
)


@given(CLUSTERS, CLUSTERS)
def test_swapping_sides_swaps_recall_and_precision(key, response):
    for metric in METRICS.values():
        counts, swapped = metric(key, response), metric(response, key)
        assert counts.recall == pytest.approx(swapped.precision)
        assert counts.f1 == pytest.approx(swapped.f1)
        assert 0 <= counts.recall <= 1 + 1e-9
        perfect = metric(key, key)
        assert perfect.f1 == pytest.approx(1.0) or not perfect.expected


def test_empty_clusters():
    for metric in METRICS.values():
        counts = metric([], [])
        assert (counts.recall, counts.precision, counts.f1) == (0, 0, 0)
        assert metric(["ab"], []).recall == 0


def test_accumulator():
    total = CorefAccumulator()
    total.add(["abc", "x"], ["abc", "y"])
    assert total.get_scores()["coref_f"] == pytest.approx(1.0)
    total.add(["ab"], [])
    scores = total.get_scores("c")
    assert scores["c_muc_r"] == pytest.approx(2 / 3) and scores["c_muc_p"] == 1
    parts = ("muc", "b_cubed", "ceaf_e")
    assert scores["c_f"] == pytest.approx(sum(scores[f"c_{m}_f"] for m in parts) / 3)
    with_singletons = CorefAccumulator(singletons=True)
    with_singletons.add(["abc", "x"], ["abc", "y"])
    assert with_singletons.counts["mentions"].recall == 3 / 4
