"""Mentions that are represented when they are asked for."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.models.scorers.mention_vectors import MentionVectors


class Recorder:
    """Make of each mention its number, its double, and lists of changing width."""

    def __init__(self, numbers):
        self.numbers = numbers
        self.asked = []

    def __call__(self, part):
        self.asked.append((part.start, part.stop))
        numbers = self.numbers[part]
        words = numbers[:, None].repeat(1, 1 + len(self.asked))
        return (numbers, words), (2 * numbers, words)


def make_sides(n_mentions, size, **kwargs):
    represent = Recorder(torch.arange(1.0, n_mentions + 1, **kwargs))
    return represent, MentionVectors(represent, n_mentions, size)


@given(
    st.lists(st.integers(0, 7), min_size=1, max_size=6),
    st.integers(1, 9),
    st.integers(1, 4),
)
def test_every_document_gets_its_own(lengths, size, n_rows):
    with torch.inference_mode():
        represent, sides = make_sides(sum(lengths), size)
        begin = 0
        for n_mentions, own in zip(lengths, sides.split(lengths), strict=True):
            expected = torch.arange(begin + 1.0, begin + n_mentions + 1)
            found = []
            for first in range(0, n_mentions, n_rows):
                last = min(first + n_rows, n_mentions)
                numbers, words = own.get_anaphors(first, last)
                assert (words[:, :1] == numbers[:, None]).all()
                found += numbers.tolist()
                index = torch.arange(last)
                assert own.get_antecedents(index)[0].equal(2 * expected[:last])
            assert found == expected.tolist()
            assert own.get_antecedents()[0].equal(2 * expected)
            begin += n_mentions
    # Each once, in order, and no more at once than there may be.
    ends = [end for _, end in represent.asked]
    assert [first for first, _ in represent.asked] == [0, *ends[:-1]]
    assert ends[-1] == sum(lengths)
    assert all(end - first <= size for first, end in represent.asked)


def test_nothing_is_represented_before_it_is_asked_for():
    with torch.inference_mode():
        represent, sides = make_sides(10, 4)
        sides.get_anaphors(0, 3)
        assert represent.asked == [(0, 4)]
        assert sides.get_anaphors(3, 6)[0].tolist() == [4, 5, 6]
        assert represent.asked == [(0, 4), (4, 8)]
        sides.get_anaphors(5, 8)
    # What has been passed is forgotten.
    assert [begin for begin, _ in sides.anaphors] == [4]


def test_a_stretch_of_a_document():
    with torch.inference_mode():
        _, sides = make_sides(9, 4)
        own = sides.split([2, 7])[1].narrow(slice(3, 7))
        assert own.get_anaphors(0, 4)[0].tolist() == [6, 7, 8, 9]
        assert own.get_antecedents()[0].tolist() == [12, 14, 16, 18]


@pytest.mark.parametrize("size", [2, 5])
def test_gradients_flow_through_all_blocks(size):
    represent, sides = make_sides(5, size, requires_grad=True)
    total = torch.zeros(())
    for own in sides.split([2, 3]):
        rows = own.end - own.begin
        total = total + (own.get_anaphors(0, rows)[0] * own.get_antecedents()[0]).sum()
    (gradient,) = torch.autograd.grad(total, represent.numbers)
    assert gradient.equal(4 * represent.numbers)
