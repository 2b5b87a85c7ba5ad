"""`python -m spacy coref average`: make one model of several."""

from pathlib import Path
from typing import List

import spacy
from spacy.cli._util import Arg, Opt
from wasabi import msg

from . import coref_cli


@coref_cli.command("average")
def average_cli(
    output: Path = Arg(..., help="The folder of the new pipeline"),
    models: List[str] = Arg(..., help="Pipelines: folders or names of packages"),
    component: str = Opt(
        "fastcoref", "--component", "-c", help="The component's name in the pipelines"
    ),
) -> None:
    """Write the first pipeline with the mean of all models' weights.

    For models that went on from the same weights, with other data or seeds: their mean
    is often better than each.
    """
    # Here, because every spaCy command imports this module.
    from ..models.average import average_checkpoints

    pipelines = [spacy.load(model) for model in models]
    shims = [nlp.get_pipe(component).model.shims[0] for nlp in pipelines]
    checkpoint = average_checkpoints([shim.load() for shim in shims], models)
    shims[0].set_checkpoint(checkpoint)
    pipelines[0].to_disk(output)
    msg.good(f"Written to {output}")
