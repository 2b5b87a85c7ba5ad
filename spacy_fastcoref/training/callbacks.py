"""Registered callbacks: what a config has done to its pipeline."""

from typing import Callable

from spacy import registry
from spacy.language import Language


@registry.callbacks("spacy_fastcoref.interpolate_optimizer.v1")
def make_optimizer_interpolator() -> Callable[[Language], None]:
    """Make what writes the values of variables into a pipeline's [training.optimizer].

    For [initialize.before_init]. spaCy reads that block alone in nlp.create_optimizer,
    so that a variable such as ${training.max_steps} has no value there: the pipeline
    could not be initialized nor, once it is saved, be trained on, in Python.

    RETURNS (Callable[[Language], None]): The callback.
    """
    return interpolate_optimizer


def interpolate_optimizer(nlp: Language) -> None:
    """Write the values of variables into a pipeline's [training.optimizer].

    nlp (Language): The pipeline.
    """
    training = nlp.config.interpolate()["training"]
    nlp.config["training"]["optimizer"] = training["optimizer"]
