import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.types import Links

from ..grammar.links import decode
from .test_decode import make_links, read


def test_weak_links_are_dropped():
    links = make_links([{}, {0: 1.0}, {1: -0.5, 0: 2.0}, {2: -3.0}])
    kept = links.drop_below(np.full(4, -0.5))
    assert kept.antecedents.tolist() == [[-1, -1], [0, -1], [0, 1], [-1, -1]]
    assert len(kept) == 4 and kept.scores[3].max() == -np.inf
    assert links.drop_below(np.array([9, 1.5, 1.5, 9])).antecedents.tolist() == [
        [-1],
        [-1],
        [0],
        [-1],
    ]
    assert links.drop_below(np.full(4, 9.0)).antecedents.shape == (4, 0)
    assert Links.empty().drop_below(np.zeros(0)).antecedents.shape == (0, 0)


@pytest.mark.parametrize("slope, bias", [(2.0, 0.0), (0.5, 1.0)])
def test_calibration_changes_probabilities_alone(slope, bias):
    links = make_links([{}, {0: 0.0}, {1: 3.0, 0: 1.0}, {2: 40.0}])
    (plain,) = decode(links)
    (found,) = decode(replace(links, calibration=(slope, bias)))
    assert replace(found, probs=plain.probs) == plain
    odds = [p / (1 - p) for p in (plain.probs[2], found.probs[2])]
    assert odds[1] == pytest.approx(math.exp(bias) * odds[0] ** slope)
    # What is certain stays certain.
    assert found.probs[0] == found.probs[3] == 1


def test_links_of_duplicates_are_moved():
    links = make_links([{}, {0: 1.0}, {0: 2.0, 1: 3.0}, {0: 4.0, 2: 1.0}, {1: 5.0}])
    assert links.merge_duplicates(np.full(5, -1)) is links
    passed = links.merge_duplicates(np.array([2, -1, -1, -1, -1]))
    # A mention has one link with another, and none with itself or what comes later.
    assert passed.antecedents.tolist() == [[-1, -1]] * 2 + [[1, -1], [2, -1], [1, -1]]
    assert passed.find_score((3, 4), (2, 3)) == 4.0
    passed = links.merge_duplicates(np.array([-1, -1, -1, 4, -1]))
    assert passed.antecedents[3].tolist() == [-1, -1]
    assert passed.antecedents[4].tolist() == [1, 0]
    assert passed.scores[4].tolist() == [5.0, 4.0]
    assert passed.log_norms[4] == max(links.log_norms[3:])
    assert len(Links.empty().merge_duplicates(np.zeros(0, dtype=int))) == 0


rows = st.lists(st.floats(-4, 4, width=32), max_size=6)


@given(st.lists(rows, max_size=12), st.floats(-3, 3))
def test_clusters_do_not_need_the_links_below_the_threshold(scores, threshold):
    links = make_links(
        [dict(enumerate(row[:i])) for i, row in enumerate(scores)] or [{}]
    )
    whole = decode(links, threshold=threshold)
    kept = decode(links.drop_below(np.full(len(links), threshold)), threshold=threshold)
    assert read(kept) == read(whole)
