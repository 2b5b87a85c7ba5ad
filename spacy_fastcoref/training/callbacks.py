"""Provide registered callbacks and schedules for training."""

from typing import Callable, Iterator

from spacy import registry
from spacy.language import Language


@registry.callbacks("spacy_fastcoref.interpolate_optimizer.v1")
def make_optimizer_interpolator() -> Callable[[Language], None]:
    """Make a callback that interpolates variables in [training.optimizer].

    nlp.create_optimizer resolves this block without the rest of the config, and raises
    an error for variables such as ${training.max_steps}. With this callback in
    [initialize.before_init], nlp.initialize and nlp.resume_training work.

    RETURNS (Callable[[Language], None]): The callback.
    """
    return interpolate_optimizer


def interpolate_optimizer(nlp: Language) -> None:
    """Interpolate variables in [training.optimizer] of a pipeline's config."""
    training = nlp.config.interpolate()["training"]
    nlp.config["training"]["optimizer"] = training["optimizer"]


@registry.schedules("spacy_fastcoref.warmup_constant_decay.v1")
def make_warmup_constant_decay(
    initial_rate: float, warmup_steps: int, total_steps: int, decay: float = 0.25
) -> Iterator[float]:
    """Make a learning rate that rises, stays, and falls to zero at the end.

    A run can continue from the weights of an earlier one as long as the rate is
    constant: what it gave so far does not depend on when the decay begins (Hu et al.
    2024, MiniCPM, section 4).

    initial_rate (float): The constant rate.
    warmup_steps (int): The steps in which the rate rises linearly from zero.
    total_steps (int): The number of all steps.
    decay (float): The share of all steps, the last ones, in which it falls linearly.
    YIELDS (float): The rate of each step; zero after the last one.
    """
    n_decaying = max(1.0, decay * total_steps)
    step = 0
    while True:
        rising = min(1.0, (step + 1) / max(1, warmup_steps))
        falling = min(1.0, max(0.0, (total_steps - step) / n_decaying))
        yield initial_rate * rising * falling
        step += 1
