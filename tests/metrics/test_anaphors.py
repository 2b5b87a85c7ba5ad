"""The accuracy of anaphors."""

import pytest

from spacy_fastcoref.metrics.scorer import score_anaphors

KEY = [["Ann", "she", "her"], ["Tom", "he"], ["it"]]


@pytest.mark.parametrize(
    ("antecedents", "n_right", "n_annotated", "wrong"),
    [
        ({"she": "Ann", "her": "she", "he": "Tom"}, 3, 3, []),
        ({"she": "Tom", "her": "she"}, 1, 2, ["she"]),
        # No antecedent, and one that is not annotated.
        ({"he": None, "her": "the cat"}, 0, 2, ["he", "her"]),
        # A singleton, and an anaphor that is not annotated.
        ({"it": "Ann", "they": "Ann"}, 0, 0, []),
        # Cataphora.
        ({"Ann": "she"}, 1, 1, []),
        ({}, 0, 0, []),
    ],
)
def test_accuracy(antecedents, n_right, n_annotated, wrong):
    counts, found = score_anaphors(KEY, antecedents)
    assert (counts.found, counts.expected) == (n_right, n_annotated)
    assert counts.recall == counts.precision
    assert found == wrong
