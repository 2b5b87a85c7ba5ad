import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.decoding.greedy import decode_greedily
from spacy_fastcoref.decoding.links import Links


def make_links(rows):
    """Make Links of one-token mentions from {antecedent: score} rows."""
    n = len(rows)
    n_best = max([len(row) for row in rows] + [1])
    antecedents = np.full((n, n_best), -1, dtype=np.int32)
    scores = np.full((n, n_best), -np.inf, dtype=np.float32)
    for i, row in enumerate(rows):
        ranked = sorted(row.items(), key=lambda item: -item[1])
        for column, (antecedent, score) in enumerate(ranked):
            antecedents[i, column], scores[i, column] = antecedent, score
    mentions = np.stack([np.arange(n), np.arange(1, n + 1)], 1).astype(np.int32)
    norms = np.logaddexp.reduce(
        np.concatenate([scores, np.zeros((n, 1))], axis=1), axis=1
    )
    zeros = np.zeros(n, dtype=np.float32)
    return Links(mentions, zeros, antecedents, scores, norms.astype(np.float32))


def read(clusters):
    return [[start for start, _ in cluster.mentions.tolist()] for cluster in clusters]


def test_empty():
    assert decode_greedily(Links.empty()) == []
    assert decode_greedily(make_links([{}, {}])) == []


def test_best_antecedent_and_order():
    links = make_links([{}, {0: -1.0}, {1: 2.0, 0: 3.0}, {1: 0.5}, {2: 1.0}])
    first, second = decode_greedily(links)
    assert read([first, second]) == [[0, 2, 4], [1, 3]]
    assert first.antecedents == [-1, 0, 1]
    assert first.scores == [0.0, 3.0, 1.0]
    sum_of_row = 1 + np.exp(2) + np.exp(3)
    assert first.probs[1] == pytest.approx(np.exp(3) / sum_of_row, rel=1e-5)
    assert first.probs[0] == pytest.approx(1.0)


def test_tie_goes_to_the_mention():
    assert read(decode_greedily(make_links([{}, {0: 0.0}]))) == [[0, 1]]


def test_threshold():
    links = make_links([{}, {0: 1.0}, {0: 3.0}])
    assert read(decode_greedily(links, threshold=2.0)) == [[0, 2]]
    assert read(decode_greedily(links, threshold=-9.0)) == [[0, 1, 2]]
    assert decode_greedily(links, threshold=4.0) == []


def test_verdict_forbids_a_link():
    links = make_links([{}, {0: -1.0}, {0: 3.0, 1: 2.0}])
    verdicts = np.full(links.scores.shape, 2)
    verdicts[2, 0] = 0
    assert read(decode_greedily(links, verdicts)) == [[1, 2]]


def test_verdicts_of_another_shape():
    with pytest.raises(ValueError, match="FC040.*verdicts"):
        decode_greedily(make_links([{}, {0: 1.0}]), np.ones((3, 3)))


@given(st.integers(0, 10_000), st.integers(1, 30))
def test_like_union_find(seed, n):
    rng = np.random.default_rng(seed)
    rows = [
        {j: float(rng.normal()) for j in range(i) if rng.random() < 0.3}
        for i in range(n)
    ]
    cluster_of = list(range(n))
    for i, row in enumerate(rows):
        if row and max(row.values()) >= 0:
            cluster_of[i] = cluster_of[max(row, key=row.get)]
    expected = [
        members
        for root in range(n)
        if len(members := [i for i in range(n) if cluster_of[i] == root]) > 1
    ]
    clusters = decode_greedily(make_links(rows))
    assert read(clusters) == expected
    for cluster in clusters:
        assert cluster.antecedents[0] == -1
        assert all(0 <= a < i for i, a in enumerate(cluster.antecedents) if i)
