"""Batches of which one item fails."""

import pytest

from spacy_fastcoref.errors import Errors
from spacy_fastcoref.streams import each_alone


def halve(numbers):
    """Fail at odd numbers, and drop negative ones."""
    assert all(number % 2 == 0 for number in numbers), "odd"
    return [number // 2 for number in numbers if number >= 0]


@pytest.mark.parametrize(
    "batch,expected",
    [
        ([], []),
        ([2, 4], [1, 2]),
        ([2, 3, 4], [1, "odd", 2]),
        ([2, -2, 4], [1, str(Errors.FC009), 2]),
        ([3], ["odd"]),
        ([-2], [str(Errors.FC009)]),
    ],
)
def test_each_alone(batch, expected):
    found = [
        str(one).partition("\n")[0] if isinstance(one, Exception) else one
        for one in each_alone(batch, halve)
    ]
    assert found == expected


def test_the_first_answer_comes_before_the_last_is_tried():
    tried = []

    def refuse(batch):
        tried.append(batch)
        raise ValueError

    stream = each_alone([1, 2], refuse)
    next(stream)
    assert tried == [[1, 2], [1]]
