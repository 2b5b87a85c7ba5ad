import copy

import numpy as np
import pytest
import torch
from thinc.api import Adam

from spacy_fastcoref.models.architectures import Pretrained
from spacy_fastcoref.models.encoders.encoder import TransformerBlock

from ...conftest import blank
from ..conftest import make_model


def take_step(model, docs, optimizer=None):
    scores, backprop = model.begin_update(docs)
    backprop(sum(s.band.sum() + s.pairs.sum() for s in scores))
    if optimizer is not None:
        model.finish_update(optimizer)
    return scores


def read(model):
    return {k: t.clone() for k, t in model.get_checkpoint().tensors.items()}


def test_update_changes_every_weight(model, docs):
    before = read(model)
    take_step(model, docs, Adam(0.01))
    after = read(model)
    unchanged = [key for key in before if torch.equal(before[key], after[key])]
    # Only the first token type occurs, so the embedding of the second has no gradient.
    assert all("token_type" in key or "antecedent" in key for key in unchanged)
    assert len(unchanged) <= 2
    learner, _ = model.get_learner()
    assert all(p.grad is None for p in learner.network.parameters())


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
@pytest.mark.parametrize("grad_clip", [0.0, 1.0])
def test_gradients_that_are_not_finite_are_skipped(model, docs, value, grad_clip):
    optimizer = Adam(0.01, grad_clip=grad_clip)
    take_step(model, docs, optimizer)
    before = read(model)
    (first, *_), backprop = model.begin_update(docs[:1])
    backprop(value * first.band.sum() + first.pairs.sum())
    with pytest.warns(UserWarning, match="FCW24.*gradients is (inf|nan)"):
        model.finish_update(optimizer)
    after = read(model)
    assert all(torch.equal(before[key], after[key]) for key in before)
    # The next update works as usual.
    take_step(model, docs, optimizer)
    after = read(model)
    assert any(not torch.equal(before[key], after[key]) for key in before)
    assert all(tensor.isfinite().all() for tensor in after.values())


def test_frozen_encoder_has_no_gradients(tiny_path, docs):
    model = make_model(tiny_path, encoder=TransformerBlock(learn_rate=0.0))
    before = read(model)
    scores = take_step(model, docs)
    learner, _ = model.get_learner()
    assert scores[0].band.requires_grad
    assert all(p.grad is None for p in learner.network.encoder.parameters())
    model.finish_update(Adam(0.01))
    after = read(model)
    same = {key for key in before if torch.equal(before[key], after[key])}
    assert {key for key in before if key.startswith("encoder.")} <= same
    assert not any(key.startswith("mention_scorer.") for key in same)


@pytest.mark.parametrize("n_frozen", [1, 2])
def test_frozen_layers(tiny_path, docs, n_frozen):
    model = make_model(tiny_path, encoder=TransformerBlock(frozen_layers=n_frozen))
    before = read(model)
    take_step(model, docs, Adam(0.01))
    after = read(model)
    same = {key for key in before if torch.equal(before[key], after[key])}
    layers = [f"encoder.transformer.encoder.layer.{i}." for i in range(2)]
    for i, layer in enumerate(layers):
        keys = {key for key in before if key.startswith(layer)}
        assert keys and (keys <= same) == (i < n_frozen)
    assert {key for key in before if ".embeddings." in key} <= same
    assert not any(key.startswith("mention_scorer.") for key in same)


@pytest.mark.parametrize(
    "n_frozen, says",
    [
        (3, "FC076.*'frozen_layers' is 3.*up to 2"),
        (-1, "FC076.*'frozen_layers' is -1.*up to 2"),
        (0.5, "FC014.*frozen_layers = 0.5"),
    ],
)
def test_error_for_invalid_frozen_layers(tiny_path, docs, n_frozen, says):
    model = make_model(tiny_path, encoder=TransformerBlock(frozen_layers=n_frozen))
    with pytest.raises(ValueError, match=says):
        model.predict(docs)


def test_initialize_restores_initial_weights(model, docs):
    """Initializing restores the weights, and drops optimizer state and averages."""
    loaded = Pretrained("nowhere").from_bytes(model.to_bytes())
    for each in (model, loaded):
        before = read(each)
        expected = each.predict(docs)[0].scores
        take_step(each, docs, Adam(0.05, use_averages=True))
        learned = read(each)
        copied = copy.deepcopy(each)
        each.initialize()
        assert all(torch.equal(before[k], t) for k, t in read(each).items())
        assert each.get_training_state() == {}
        np.testing.assert_array_equal(each.predict(docs)[0].scores, expected)
        # A copy starts with the updated weights, as if it had loaded them.
        copied.initialize()
        assert all(torch.equal(learned[k], t) for k, t in read(copied).items())
    # If loading fails, the updated weights stay.
    take_step(model, docs, Adam(0.05))
    learned = read(model)
    model.source = Pretrained("nowhere").source
    with pytest.raises(ValueError, match="FC010.*nowhere"):
        model.initialize()
    assert all(torch.equal(learned[k], t) for k, t in read(model).items())


def test_gradients_accumulate(tiny_path, docs):
    """Two halves of a batch without an update between them equal the batch."""

    def train(batches):
        model = make_model(tiny_path)
        learner, _ = model.get_learner()
        for module in learner.network.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0
        for batch in batches:
            take_step(model, batch)
        return {n: p.grad for n, p in learner.network.named_parameters()}

    one, two = train([docs]), train([docs[:1], docs[1:]])
    for name, gradient in one.items():
        if gradient is not None:
            torch.testing.assert_close(gradient, two[name], atol=1e-4, rtol=1e-4)


def test_given_mentions(model):
    doc = blank("en")("She said that he ate the cake.")
    doc.spans["coref_mentions"] = [doc[3:4], doc[0:1], doc[5:7]]
    (links,) = model.predict([doc])
    assert links.mentions.tolist() == [[0, 1], [3, 4], [5, 7]]
    (scores,), _ = model.begin_update([doc])
    assert scores.band.isfinite().sum() == 3 and len(scores.starts) == 3
    doc.spans["coref_mentions"] = []
    assert len(model.predict([doc])[0]) == 0


@pytest.mark.parametrize(
    "settings, expected",
    [({}, False), ({"dropout": 0.25}, True), ({"word_dropout": 0.5}, True)],
)
def test_encoder_dropout(model, docs, settings, expected):
    model.get_checkpoint().config["encoder"].update(settings)
    learner, _ = model.get_learner()
    if expected:
        rates = {
            name: module.p
            for name, module in learner.network.encoder.named_modules()
            if isinstance(module, torch.nn.Dropout)
        }
        # Dropout in attention would prevent PyTorch's fast attention.
        assert not any("self" in name for name in rates)
        assert set(rates.values()) == {settings.get("dropout", 0.0)}
    model.begin_update(docs)
    copied = copy.deepcopy(learner.network).eval()
    for network, hides in ((learner.network, "word_dropout" in settings), (copied, 0)):
        embed = network.encoder.transformer.get_input_embeddings()
        embedded = embed(torch.arange(5, 45)[None])
        assert bool((embedded == 0).all(-1).any()) == hides
    assert learner.network.mention_scorer.training
    assert learner.network.encoder.training == expected
    model.predict(docs)
    assert not any(module.training for module in learner.network.modules())


def test_averages_are_used_in_use_params(model, docs):
    optimizer = Adam(0.01, use_averages=True)
    seen = [read(model)]
    for _ in range(3):
        take_step(model, docs, optimizer)
        seen.append(read(model))
    name = "mention_scorer.start_score.weight"
    mean = seen[1][name].clone()
    for step, tensors in enumerate(seen[2:], 1):
        rate = 1 - (1 + step) / (10 + step)
        mean += rate * (tensors[name] - mean)
    last = model.predict(docs)[0].mention_scores
    with model.use_params(optimizer.averages):
        inside = read(model)[name]
        averaged = model.predict(docs)[0].mention_scores
        saved = model.to_bytes()
    torch.testing.assert_close(inside, mean)
    assert not np.allclose(averaged, last)
    # Outside use_params, the weights are the last ones.
    torch.testing.assert_close(read(model)[name], seen[-1][name])
    np.testing.assert_allclose(model.predict(docs)[0].mention_scores, last)
    reloaded = Pretrained("elsewhere")
    reloaded.from_bytes(saved)
    found = reloaded.predict(docs)[0].mention_scores
    np.testing.assert_allclose(found, averaged, rtol=1e-5)
