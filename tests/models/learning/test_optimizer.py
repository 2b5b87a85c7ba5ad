"""Test that PyTorch's optimizers do what the config's Thinc optimizer would do."""

import pytest
import torch
from thinc.api import SGD, Adam, Optimizer, RAdam

from spacy_fastcoref.models.learning.learner import Learner, choose_optimizer

from ...conftest import make_network

ADAM = {"learn_rate": 0.1, "beta1": 0.8, "beta2": 0.9, "eps": 1e-3, "grad_clip": 0.0}
MAKERS = {
    "adamw": lambda: Adam(**ADAM, L2=0.25, L2_is_weight_decay=True),
    "adam": lambda: Adam(**ADAM, L2=0.25, L2_is_weight_decay=False),
    "radam": lambda: RAdam(**ADAM, L2=0.25, L2_is_weight_decay=True),
    "sgd": lambda: SGD(0.1, L2=0.25, grad_clip=0.0),
    "sgd_l2": lambda: SGD(0.1, L2=0.25, L2_is_weight_decay=False, grad_clip=0.0),
}


def make_learner():
    return Learner(make_network(), {"learn_rate": 1.0})


def get_weight(learner):
    return learner.network.mention_scorer.start_score.weight


def take_steps(learner, optimizer, n_steps, first=0):
    for step in range(first, first + n_steps):
        for weight in learner.network.parameters():
            weight.grad = torch.full_like(weight, 0.5 + 0.1 * step)
        learner.finish_update(optimizer)


# Thinc's RAdam counts steps from 2, so its bias correction differs.
@pytest.mark.parametrize("name", sorted(MAKERS.keys() - {"radam"}))
def test_updates_match_thinc(name):
    learner = make_learner()
    weight = get_weight(learner)
    expected = weight.detach().numpy().copy()
    thinc = MAKERS[name]()
    for step in range(8):
        take_steps(learner, MAKERS[name](), 1, step)
        gradient = torch.full_like(weight, 0.5 + 0.1 * step).numpy()
        expected, _ = thinc((1, "W"), expected, gradient)
    # Thinc corrects Adam's bias at another place, so epsilon has another effect.
    torch.testing.assert_close(
        weight.detach(), torch.from_numpy(expected), atol=0.01, rtol=0.02
    )


@pytest.mark.parametrize("name", MAKERS)
def test_training_resumes(name):
    """Training resumes with the state of the optimizer and the weights."""
    learner = make_learner()
    take_steps(learner, MAKERS[name](), 3)
    weights = {k: t.clone() for k, t in learner.network.state_dict().items()}
    state = learner.get_state()
    take_steps(learner, MAKERS[name](), 3, 3)
    resumed = make_learner()
    resumed.network.load_state_dict(weights)
    resumed.set_state(state)
    # The state can be saved again before the next step.
    assert resumed.get_state().keys() == state.keys()
    take_steps(resumed, MAKERS[name](), 3, 3)
    for one, two in zip(
        learner.network.parameters(), resumed.network.parameters(), strict=True
    ):
        torch.testing.assert_close(one, two)


class OwnOptimizer(Optimizer):
    def __call__(self, key, weights, gradient, *, lr_scale=1.0):
        return weights, gradient


@pytest.mark.parametrize(
    "optimizer, says",
    [
        (OwnOptimizer(0.1), "OwnOptimizer"),
        (lambda *args: args, "function"),
        (Adam(0.1, beta1=0.0), "beta1 is 0.0 and its beta2 0.999"),
        (Adam(0.1, beta2=0.0), "beta1 is 0.9 and its beta2 0.0"),
    ],
)
def test_unsupported_optimizers_are_rejected(optimizer, says):
    with pytest.raises(ValueError, match=f"FC122.*{says}.*Adam.v1"):
        choose_optimizer(optimizer)
