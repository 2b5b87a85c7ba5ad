import functools
import itertools
import math
import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_fastcoref.decoding import beam
from spacy_fastcoref.decoding.constraints import Constraints
from spacy_fastcoref.types import Costs, Links, RuleOutput

from ..grammar.links import decode


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
    return [[start for start, _ in cluster.mentions] for cluster in clusters]


def test_best_antecedent_and_order():
    links = make_links([{}, {0: -1.0}, {1: 2.0, 0: 3.0}, {1: 0.5}, {2: 1.0}])
    first, second = decode(links)
    assert read([first, second]) == [[0, 2, 4], [1, 3]]
    assert first.antecedents == [-1, 0, 1]
    assert first.scores == [0.0, 3.0, 1.0]
    sum_of_row = 1 + np.exp(2) + np.exp(3)
    assert first.probs[1] == pytest.approx(np.exp(3) / sum_of_row, rel=1e-5)
    assert first.probs[0] == pytest.approx(1.0)


def search_everything(links, rule_output, constraints, threshold, costs):
    """Try every combination of antecedents, and return the best total gain."""
    n = len(links)
    options = []
    for i in range(n):
        verdicts = rule_output.verdicts[i].tolist()
        gains = [
            (
                float(score - threshold - costs.doubtful * (verdict == 1)),
                int(j),
                verdict,
            )
            for j, score, verdict in zip(
                links.antecedents[i], links.scores[i], verdicts, strict=True
            )
            if j >= 0
        ]
        row = [(null_of(links, rule_output, i, threshold, costs), i)]
        row += [(g, j) for g, j, verdict in gains if verdict > 0 and g >= row[0][0]]
        if constraints.forced[i] >= 0:
            row = [(0.0, int(constraints.forced[i]))]
        options.append(row)
    best = -np.inf
    for choice in itertools.product(*options):
        roots = []
        for i, (_, j) in enumerate(choice):
            roots.append(i if j == i else roots[j])
        for root in set(roots):
            members = [i for i in range(n) if roots[i] == root]
            agreement = [int(rule_output.agreement[i]) for i in members]
            if not functools.reduce(operator.and_, agreement):
                break
            apart = [int(constraints.apart[i]) for i in members]
            if any(a & b for a, b in itertools.combinations(apart, 2)):
                break
            if any({a, b} <= set(members) for a, b in rule_output.conflicts.tolist()):
                break
        else:
            best = max(best, sum(gain for gain, _ in choice))
    return best


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6))
def test_finds_the_best_consistent_clusters(seed, n):
    rng = np.random.default_rng(seed)
    rows = [
        {j: float(rng.normal(0.5)) for j in range(i) if rng.random() < 0.7}
        for i in range(n)
    ]
    links = make_links(rows)
    rule_output = RuleOutput(
        rng.choice([0, 1, 2, 2, 2], links.scores.shape),
        rng.choice([1, 2, 3, 3], n).astype(np.uint64),
        rng.random(n) < 0.5,
        draw_conflicts(rng, n),
    )
    constraints = Constraints.none(links)
    constraints.apart[:] = rng.choice([0, 0, 1, 2], n)
    costs = Costs(doubtful=0.7, alone=0.4)
    expected = search_everything(links, rule_output, constraints, 0.2, costs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beam.BeamSearch.__init__, "__defaults__", (10_000,))
        clusters = decode(links, rule_output, constraints, threshold=0.2, costs=costs)
    gains = {
        int(cluster.mentions[i][0]): gain_of(links, rule_output, cluster, i, 0.2, costs)
        for cluster in clusters
        for i in range(1, len(cluster.mentions))
    }
    found = sum(
        gains.get(i, null_of(links, rule_output, i, 0.2, costs)) for i in range(n)
    )
    assert found == pytest.approx(expected, abs=1e-4)
    for cluster in clusters:
        members = [start for start, _ in cluster.mentions]
        assert np.bitwise_and.reduce(rule_output.agreement[members])


def draw_conflicts(rng, n):
    pairs = itertools.combinations(range(n), 2)
    drawn = [pair for pair in pairs if rng.random() < 0.15]
    return np.array(drawn, dtype=np.int64).reshape(-1, 2)


def gain_of(links, rule_output, cluster, i, threshold, costs):
    row = cluster.mentions[i][0]
    antecedent = cluster.mentions[cluster.antecedents[i]][0]
    (column,) = np.flatnonzero(links.antecedents[row] == antecedent)
    is_doubtful = rule_output.verdicts[row, column] == 1
    return links.scores[row, column] - threshold - costs.doubtful * is_doubtful


def null_of(links, rule_output, row, threshold, costs):
    scores = links.scores[row][links.antecedents[row] >= 0].tolist()
    odds = sum(math.exp(score - threshold) for score in scores)
    return -costs.alone * math.log(max(odds, 1.0)) * rule_output.is_anaphor[row]


def test_independent_conflicts_are_searched_separately():
    """Resolve twenty conflicts, too many for the hypotheses of a single beam."""
    n = 20
    rows = [{}] * n + [{i: 2.0} for i in range(n)]
    rows += [{i: 3.0, n + i: -1.0} for i in range(n)]
    links = make_links(rows)
    agreement = np.repeat([3, 1, 2], n).astype(np.uint64)
    rule_output = RuleOutput(np.full(links.scores.shape, 2), agreement)
    clusters = decode(links, rule_output)
    assert read(clusters) == [[i, 2 * n + i] for i in range(n)]


def test_clusters_agree_beyond_the_horizon(monkeypatch):
    """Keep the agreement of clusters after their antecedents are final."""
    monkeypatch.setattr(beam, "HORIZON", 1)
    links = make_links([{}, {0: 2.0}, {0: 1.0}, {2: 3.0, 0: 1.0}])
    agreement = np.array([3, 1, 2, 2], dtype=np.uint64)
    rule_output = RuleOutput(np.full(links.scores.shape, 2), agreement)
    assert read(decode(links, rule_output)) == [[0, 1], [2, 3]]
