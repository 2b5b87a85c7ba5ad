"""The networks of the ranker: their inputs and gradients."""

import numpy as np
import pytest

from spacy_fastcoref.models.ranker.features import ANNOTATION, count_values, read_values
from spacy_fastcoref.models.ranker.network import make_network, read_batch
from spacy_fastcoref.models.ranker.storage import Settings
from spacy_fastcoref.models.ranker.words import ContextWords, HashWords

from .conftest import find


def test_values_of_annotation(doc, found):
    values = count_values([found] * 5, ANNOTATION)
    features = read_values(found, values)
    columns = [(slot, value) for slot in values for value in values[slot]]
    row = found.facts.heads.tolist().index(0)
    has = {columns[i] for i in np.flatnonzero(features[row])}
    assert {
        ("head pos", "PROPN"),
        ("head dep", "nsubj"),
        ("governor pos", "VERB"),
    } <= has
    row = found.facts.heads.tolist().index(4)
    has = {columns[i] for i in np.flatnonzero(features[row])}
    assert {("child pos", "ADJ"), ("child pos", "PRON"), ("child dep", "poss")} <= has
    # Values that are rare in training are ignored.
    assert not any(count_values([found], ["dep"]).values())


@pytest.mark.parametrize("block", [HashWords(8, [50] * 4), ContextWords([6, 4])])
def test_gradients(doc, block):
    doc.tensor = np.random.RandomState(0).rand(len(doc), 5).astype("float32")
    found = find(doc)
    values = count_values([found] * 5, ANNOTATION)
    sizes = {"hidden": [6, 4], "dropout": 0.0, "ensemble": 2}
    settings = Settings({"words": block}, **sizes, values=values)
    batch = read_batch([found, found], settings)
    network = make_network(settings)
    network.initialize(X=batch)
    rng = np.random.RandomState(1)
    # Units whose inputs are all 0 are at the bend of ReLU if there is no bias.
    for node in network.walk():
        if "b" in node.param_names:
            node.set_param("b", rng.rand(*node.get_param("b").shape).astype("float32"))
    (links, alone), backprop = network.begin_update(batch)
    for scores, predicted in zip((links, alone), network.predict(batch), strict=True):
        np.testing.assert_allclose(scores, predicted, atol=1e-5)
    weights = [rng.rand(len(scores)).astype("float32") for scores in (links, alone)]
    backprop(tuple(weights))

    def compute():
        scores = network.predict(batch)
        return sum((w * s).sum() for w, s in zip(weights, scores, strict=True))

    n_checked = 0
    for node in network.walk():
        for name in node.param_names:
            if not node.has_grad(name):
                continue
            param, gradient = node.get_param(name), node.get_grad(name)
            i = np.unravel_index(np.abs(gradient).argmax(), gradient.shape)
            before, values = param[i], []
            for step in (1e-3, -1e-3):
                param[i] = before + step
                values.append(compute())
            param[i] = before
            expected = (values[0] - values[1]) / 2e-3
            assert gradient[i] == pytest.approx(expected, rel=0.1, abs=0.03)
            n_checked += 1
    assert n_checked > 10
