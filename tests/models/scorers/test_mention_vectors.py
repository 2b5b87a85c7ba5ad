"""Test that mention vectors are computed in blocks when they are needed."""

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


@given(st.data(), st.integers(1, 6), st.integers(1, 4))
def test_a_novel_keeps_the_antecedents_that_it_needs(data, window, size):
    with torch.inference_mode():
        _, vectors = make_mention_vectors(40, size)
        for begin in range(0, 40, 2):
            first = max(0, begin - window)
            cache = data.draw(st.sets(st.integers(0, max(first - 1, 0)), max_size=3))
            rows = sorted({*cache, *range(first, begin + 2)})
            numbers, words = vectors.get_antecedents(torch.tensor(rows))
            assert numbers.tolist() == [2.0 * (row + 1) for row in rows]
            assert (words[:, 0] * 2 == numbers).all()
            assert len(vectors.kept) <= 2 * len(cache) + window + 2 + 2 * size + 6
