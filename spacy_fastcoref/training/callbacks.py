"""Provide registered callbacks for training."""

from typing import Callable

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
    """Interpolate variables in the block [training.optimizer] of a pipeline's config.

    nlp (Language): The pipeline.
    """
    training = nlp.config.interpolate()["training"]
    nlp.config["training"]["optimizer"] = training["optimizer"]
