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
    mentions,
    normalize,
)
from spacy_fastcoref.metrics.scorer import CorefAccumulator

CASES = Path(__file__).parent.parent / "fixtures" / "conll_scorer"
# What TestCases.README expects: recall and precision by MUC, B-cubed and CEAF-e; "-"
# for what it says nothing of. B-1 and C-1 are cases of BLANC; their numbers were
# worked out by hand.
EXPECTED = """
A-1: 1 1, 1 1, 1 1
A-2: 1/3 1, 7/18 1, 3/5 9/10
A-3: 1 3/5, 1 55/108, 31/35 93/140
A-4: 1/3 1/3, 5/9 17/42, 11/15 11/20
A-5: 1/3 1/4, 5/9 5/16, 31/45 31/60
A-6: 1/3 1/4, 5/9 17/48, 11/15 11/20
A-7: 1/3 1/3, 5/9 17/42, 11/15 11/20
A-8: 1/3 1/3, 5/9 17/42, 11/15 11/20
A-9: 1/3 1/3, 5/9 17/42, 11/15 11/20
A-10: 0 0, 1/2 1
A-11: 1 3/5, 1 7/18
A-12: 0 0, 13/36 4/7
A-13: 1/3 1/6, 17/36 6/49
B-1: 1/3 1/3, 13/30 8/15
C-1: 1/2 1/2, 25/42 2/3
D-1: 1 9/10, 1 16/21
E-1: 1 9/10, 1 7/12
F-1: 2/3 1
G-1: 1 2/3
H-1: 1 1
I-1: 2/3 1
J-1: 1/2 1
K-1: 1/2 1/2
L-1: 2/5 1/2
M-1: 1 1, 1 1, 1 1
M-2: 0 0
M-3: 3/5 1
M-4: 2/5 2/5
M-5: 0 0
M-6: 1/5 1/3
N-1: 0 0, 1 1, 1 1
N-2: 0 0
N-3: 0 0
N-4: 0 0
N-5: 0 0
N-6: 0 0
""".strip().splitlines()


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


def test_mentions():
    counts = mentions(["abc", "d"], ["ab", "ce"])
    assert (counts.recall, counts.precision) == (3 / 4, 3 / 4)
    assert counts.f1 == pytest.approx(0.75)


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
