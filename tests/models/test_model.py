import contextlib
import copy
import pickle

import numpy as np
import pytest
import torch

from spacy_fastcoref.models import workers
from spacy_fastcoref.models.architectures import Pretrained

from ..conftest import make_config, make_network, make_nlp, read_links
from .conftest import TEXTS


def test_what_fills_it_fills_it_for_good(model, docs, tmp_path):
    expected = read_links(model.predict(docs))
    model.to_disk(tmp_path / "m")
    for other in (
        Pretrained("no/such-folder").from_bytes(model.to_bytes()),
        Pretrained("no/such-folder").from_disk(tmp_path / "m"),
    ):
        assert read_links(other.predict(docs)) == expected
        assert other.to_bytes() == model.to_bytes()


@pytest.mark.parametrize(
    "calibration, expected",
    [
        ([2, 1], (2, 1)),
        ({"de": [3, 0]}, (1, 0)),
        ({"en": [2, 1], "default": [3, 0]}, (2, 1)),
    ],
)
def test_probabilities_are_calibrated_by_language(tmp_path, calibration, expected):
    network = make_network()
    plain = make_nlp(tmp_path / "plain", network)
    nlp = make_nlp(tmp_path / "calibrated", network, calibration=calibration)
    plain.from_bytes(nlp.to_bytes())
    (links,) = plain.get_pipe("fastcoref").predict([plain.make_doc(TEXTS[0])])
    assert links.calibration == expected


@pytest.mark.parametrize("used", [False, True])
def test_pickle_and_copy(model, docs, used):
    if used:
        model.predict(docs)
    again = pickle.loads(pickle.dumps(model))
    assert (again.checkpoint is not None) == used
    assert read_links(again.predict(docs)) == read_links(model.predict(docs))
    assert read_links(copy.deepcopy(model).predict(docs)) == read_links(
        model.predict(docs)
    )
    assert read_links(model.copy().predict(docs)) == read_links(model.predict(docs))


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_precision_is_that_of_products(model, docs, precision):
    exact = model.predict(docs)
    model.set_runtime(precision=precision)
    rough = model.predict(docs)
    network, _ = model.get_network()
    assert next(network.encoder.parameters()).dtype == getattr(torch, precision)
    scorer = network.mention_scorer
    assert scorer.start_mlp.dense.weight.dtype == getattr(torch, precision)
    assert scorer.start_mlp.layer_norm.weight.dtype == getattr(torch, precision)
    assert scorer.start_score.weight.dtype == torch.float32
    assert read_links(rough) != read_links(exact)
    assert [len(links) for links in rough] == [len(links) for links in exact]
    # What is saved is what was loaded, whatever it is computed in.
    assert (
        model.checkpoint.tensors["mention_scorer.start_mlp.dense.bias"].dtype
        == torch.float32
    )


def test_loading_leaves_random_numbers_alone(model, docs):
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    model.predict(docs)
    assert torch.equal(torch.rand(3), expected)


@contextlib.contextmanager
def set_default_dtype(dtype):
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@pytest.mark.parametrize("scorer", ["S2EAntecedentScorer", "LingMess"])
@pytest.mark.parametrize(
    "make_state",
    [
        lambda: torch.autocast("cpu", dtype=torch.bfloat16),
        lambda: torch.autocast("cpu", dtype=torch.float16),
        lambda: set_default_dtype(torch.float64),
        lambda: torch.device("meta"),
    ],
    ids=["bfloat16", "float16", "float64", "meta"],
)
def test_what_the_caller_has_set_is_not_for_it(
    two_threads, monkeypatch, tmp_path, scorer, make_state
):
    """Neither at the first use nor later, and not in workers."""
    monkeypatch.setattr(workers, "MIN_SHARE", 1)
    layer = make_config()["antecedent_scorer"]
    layer = {**layer, "@coref_layers": f"spacy_fastcoref.{scorer}.v1"}
    refinement = {"@coref_layers": "spacy_fastcoref.EntityEqualization.v1"}
    changes = {"antecedent_scorer": layer, "refinement": refinement}
    nlp = make_nlp(tmp_path / "m", make_network(**changes), **changes)
    docs = [nlp.make_doc(text) for text in TEXTS * 4]
    model = nlp.get_pipe("fastcoref").model
    pairs = [((0, 1), (3, 4))]
    with make_state():
        fresh = model.copy()
        found = read_links(fresh.predict(docs))
        scores = fresh.score_pairs(docs[0], pairs)
    assert found == read_links(model.predict(docs))
    assert scores.dtype == np.float32
    np.testing.assert_array_equal(scores, model.score_pairs(docs[0], pairs))
    assert {p.dtype for p in fresh.get_network()[0].parameters()} == {torch.float32}
    with make_state():
        assert found == read_links(model.predict(docs))


def test_model_without_weights_says_so():
    with pytest.raises(ValueError, match="FC002.*'None'"):
        Pretrained().initialize()
