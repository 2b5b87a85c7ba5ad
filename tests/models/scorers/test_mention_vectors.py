"""Test that mention vectors are computed in blocks when they are needed."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.models.scorers.mention_vectors import MentionVectors


class Recorder:
    """Return number, double number and words of each mention, and record the blocks."""

    def __init__(self, numbers):
        self.numbers = numbers
        self.blocks = []

    def __call__(self, part):
        if isinstance(part, slice):
            self.blocks.append((part.start, part.stop))
        numbers = self.numbers[part]
        words = numbers[:, None].repeat(1, 1 + len(self.blocks))
        return (numbers, words), (2 * numbers, words)


def make_mention_vectors(n_mentions, size, **kwargs):
    represent = Recorder(torch.arange(1.0, n_mentions + 1, **kwargs))
    return represent, MentionVectors(represent, n_mentions, size)


@given(
    st.lists(st.integers(0, 7), min_size=1, max_size=6),
    st.integers(1, 9),
    st.integers(1, 4),
)
def test_documents_get_their_own_mentions(lengths, size, n_rows):
    with torch.inference_mode():
        represent, vectors = make_mention_vectors(sum(lengths), size)
        begin = 0
        for n_mentions, mentions in zip(lengths, vectors.split(lengths), strict=True):
            expected = torch.arange(begin + 1.0, begin + n_mentions + 1)
            found = []
            for first in range(0, n_mentions, n_rows):
                last = min(first + n_rows, n_mentions)
                numbers, words = mentions.get_anaphors(first, last)
                assert (words[:, :1] == numbers[:, None]).all()
                found += numbers.tolist()
                index = torch.arange(last)
                assert mentions.get_antecedents(index)[0].equal(2 * expected[:last])
            assert found == expected.tolist()
            assert mentions.get_antecedents()[0].equal(2 * expected)
            begin += n_mentions
    # Each mention is computed once, in order, and in blocks of limited size.
    ends = [end for _, end in represent.blocks]
    assert [first for first, _ in represent.blocks] == [0, *ends[:-1]]
    assert ends[-1] == sum(lengths)
    assert all(end - first <= size for first, end in represent.blocks)


@given(st.data(), st.integers(1, 6), st.integers(1, 4))
def test_a_novel_keeps_the_antecedents_that_it_needs(data, window, size):
    with torch.inference_mode():
        _, vectors = make_mention_vectors(40, size)
        (mentions,) = vectors.split([40])
        for begin in range(0, 40, 2):
            first = max(0, begin - window)
            cache = data.draw(st.sets(st.integers(0, max(first - 1, 0)), max_size=3))
            rows = sorted({*cache, *range(first, begin + 2)})
            numbers, words = mentions.get_antecedents(torch.tensor(rows))
            assert numbers.tolist() == [2.0 * (row + 1) for row in rows]
            assert (words[:, 0] * 2 == numbers).all()
            assert len(vectors.kept) <= 2 * len(cache) + window + 2 + 2 * size + 6


@pytest.mark.parametrize("size", [2, 5])
def test_gradients_flow_through_all_blocks(size):
    represent, vectors = make_mention_vectors(5, size, requires_grad=True)
    total = torch.zeros(())
    for mentions in vectors.split([2, 3]):
        rows = mentions.end - mentions.begin
        products = mentions.get_anaphors(0, rows)[0] * mentions.get_antecedents()[0]
        total = total + products.sum()
    (gradient,) = torch.autograd.grad(total, represent.numbers)
    assert gradient.equal(4 * represent.numbers)
