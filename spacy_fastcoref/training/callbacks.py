"""Registered callbacks."""

from typing import Callable

from spacy import registry
from spacy.language import Language


@registry.callbacks("spacy_fastcoref.interpolate_optimizer.v1")
def make_optimizer_interpolator() -> Callable[[Language], None]:
    """Make a callback that interpolates variables in [training.optimizer].

    For [initialize.before_init]. nlp.create_optimizer resolves this block on its own,
    without the config around it, and fails on a variable such as ${training.max_steps}.
    With the callback nlp.initialize and nlp.resume_training work.

    RETURNS (Callable[[Language], None]): The callback.
    """
    return interpolate_optimizer


def interpolate_optimizer(nlp: Language) -> None:
    """Interpolate variables in the block [training.optimizer] of a pipeline's config.

    nlp (Language): The pipeline.
    """
    training = nlp.config.interpolate()["training"]
    nlp.config["training"]["optimizer"] = training["optimizer"]
