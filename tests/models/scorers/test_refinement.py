"""Test second-order models against the recursions of their papers."""

from functools import partial

import numpy as np
import pytest
import torch

from spacy_fastcoref.models.runtime import Runtime
from spacy_fastcoref.models.scorers.refinement import EntityEqualization

from ...conftest import make_config, make_network, make_nlp
from ..learning.test_loss import make_pairs
from ..network.test_network import TEXTS, TOKENIZER

CHANGES = {"refinement": {"@coref_layers": "spacy_fastcoref.EntityEqualization.v1"}}


def find_entities(links, null):
    """Compute Q(i in E_j) of Kantor & Globerson (2019) entry by entry."""
    n = len(null)
    found = [[null.new_zeros(()) for _ in range(n)] for _ in range(n)]
    for i in range(n):
        found[i][i] = null[i]
        for j in range(i):
            found[i][j] = sum(links[i, k] * found[k][j] for k in range(j, i))
    return torch.stack([torch.stack(row) for row in found])


def gather_naively(links, null, vectors):
    entities = find_entities(links, null)
    rows = []
    for i in range(len(null)):
        row = torch.zeros_like(vectors[0])
        for j in range(i + 1):
            entity = sum(entities[t, j] * vectors[t] for t in range(i + 1))
            row = row + entities[i, j] * entity
        rows.append(row)
    return torch.stack(rows)


@pytest.mark.parametrize("n", [1, 2, 9])
def test_entity_equalization_matches_recursion(n):
    pairs, vectors = make_pairs(n, 0), torch.randn(n, 3, dtype=torch.float64)
    probs = torch.cat([torch.zeros(n, 1, dtype=torch.float64), pairs], 1).softmax(1)
    layer = EntityEqualization(3, 1).double()
    results = []
    for gather in (layer.gather, gather_naively):
        inputs = [
            tensor.clone().requires_grad_()
            for tensor in (probs[:, 1:], probs[:, 0], vectors)
        ]
        gathered = gather(*inputs)
        loss = (gathered * torch.arange(1, 4)).sum()
        settings = {"allow_unused": True, "materialize_grads": True}
        gradients = torch.autograd.grad(loss, inputs, **settings)
        # Only entries below the diagonal are antecedents.
        results.append([gathered.detach(), gradients[0].tril(-1), *gradients[1:]])
    for ours, theirs in zip(*results, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_documents_are_refined_separately():
    network = make_network(refinement={**CHANGES["refinement"], "n_rounds": 2})
    plain = make_network()
    pieces = [TOKENIZER.encode(text.split(" ")) for text in TEXTS]
    with torch.inference_mode():
        together = network.predict(pieces, Runtime())
        for document, expected in zip(pieces, together, strict=True):
            (alone,) = network.predict([document], Runtime())
            np.testing.assert_allclose(alone.scores, expected.scores, atol=1e-4)
        first_order = plain.predict(pieces[:1], Runtime())[0]
    assert not np.allclose(first_order.scores, together[0].scores, atol=1e-2)


def make_scorer(name):
    layer = make_config()["antecedent_scorer"]
    own = {"scorer": layer, "rank": 3} if name == "SpeakerScorer" else layer
    return {**own, "@coref_layers": f"spacy_fastcoref.{name}.v1"}


@pytest.mark.parametrize("scorer", ["S2EAntecedentScorer", "LingMess", "SpeakerScorer"])
def test_scores_on_demand(scorer, tmp_path):
    changes = {**CHANGES, "antecedent_scorer": make_scorer(scorer)}
    nlp = make_nlp(tmp_path / "model", make_network(**changes), **changes)
    doc = nlp.make_doc(TEXTS[0])
    (links,) = nlp.get_pipe("fastcoref").predict([doc])
    score = partial(nlp.get_pipe("fastcoref").model.score_pairs, doc)
    mentions = [tuple(mention) for mention in links.mentions.tolist()]
    # Mentions of different lengths, so that words have to be padded.
    assert len({end - start for start, end in mentions}) > 1
    pairs = [
        (mentions[row], mentions[links.antecedents[row, 0]])
        for row in range(1, len(links))
    ]
    expected = links.scores[1:, 0]
    np.testing.assert_allclose(score(pairs), expected, atol=1e-4)
    for pair, value in zip(pairs, expected, strict=True):
        np.testing.assert_allclose(score([pair]), [value], atol=1e-4)
    # A pruned mention has no refined vector, but a score.
    pruned = next((i, i + 1) for i in range(len(doc)) if (i, i + 1) not in mentions)
    assert np.isfinite(score([(mentions[-1], pruned)])).all()
