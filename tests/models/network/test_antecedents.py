"""Test the window and the cache of antecedents against loops."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_fastcoref.models.network import antecedents
from spacy_fastcoref.models.network.antecedents import find_antecedents, find_remembered


def find_cached_mentions(names, is_name, scores, end, size):
    """Find which of the mentions before `end` the cache keeps."""
    weights, surplus, latest = {}, {}, {}
    for i in range(end):
        name = names[i]
        weights[name] = weights.get(name, 0) + 1 / (1 + np.exp(-scores[i]))
        surplus[name] = surplus.get(name, 0) + (1 if is_name[i] else -1)
        latest[name] = i
    ranked = sorted(latest, key=lambda name: (surplus[name] > 0, weights[name]))
    return sorted(latest[name] for name in ranked[max(0, len(ranked) - size) :])


def make_mentions(n, seed):
    rng = np.random.default_rng(seed)
    _, names = np.unique(rng.integers(0, 6, n), return_inverse=True)
    return names, rng.random(n) < 0.5, rng.normal(size=n)


@given(st.integers(1, 40), st.integers(0, 99), st.integers(1, 7), st.integers(1, 9))
def test_cache_matches_loop(n, seed, size, step):
    names, is_name, scores = make_mentions(n, seed)
    for end in range(0, n + 1, step):
        expected = find_cached_mentions(names, is_name, scores, end, size)
        found = find_remembered((names, is_name), scores, end, size)
        assert found.tolist() == expected


@settings(deadline=None)
@given(
    st.integers(0, 60),
    st.integers(1, 30),
    st.integers(0, 6),
    st.integers(1, 200),
    st.integers(0, 99),
)
def test_antecedents_come_from_window_and_cache(n, window, cache_size, max_pairs, seed):
    table = torch.randn(n, n, generator=torch.Generator().manual_seed(seed)).double()
    names, is_name, scores = make_mentions(n, seed)
    blocks = []

    def score_pairs(begin, end, columns):
        columns = torch.arange(n) if columns is None else columns
        inside = columns.clamp(max=n - 1)
        blocks.append((begin, end, columns[columns < n].tolist()))
        rows = torch.arange(begin, end)[:, None]
        pairs = table[begin:end, inside].masked_fill(columns >= rows, -torch.inf)
        return pairs[None]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(antecedents, "MAX_PAIRS", max_pairs)
        found = find_antecedents(
            score_pairs,
            torch.from_numpy(scores)[None],
            lambda: (names, is_name),
            window=window,
            cache_size=cache_size,
        )
    best, best_scores, norms = (tensor[0] for tensor in found)
    assert [row for begin, end, _ in blocks for row in range(begin, end)] == [*range(n)]
    for begin, end, columns in blocks:
        assert len(set(columns)) == len(columns)
        for row in range(begin, end):
            scored = [j for j in columns if j < row]
            assert set(range(max(0, row - window), row)) <= set(scored)
            far = [j for j in columns if j < begin - window]
            if begin > window and cache_size:
                expected = find_cached_mentions(
                    names, is_name, scores, begin - window, cache_size
                )
                assert far == expected
            row_pairs = zip(best[row], best_scores[row], strict=True)
            found = {int(j): s for j, s in row_pairs if s > -9e9}
            ranked = sorted(scored, key=lambda j: -table[row, j])[: len(found)]
            assert list(found) == ranked and len(found) == min(
                len(scored), best.shape[1]
            )
            assert all(s == table[row, j] for j, s in found.items())
            total = np.logaddexp.reduce([0.0, *table[row, scored].tolist()])
            assert norms[row].item() == pytest.approx(total)
