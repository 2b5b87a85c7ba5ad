"""Define `python -m spacy coref average`: average the weights of several models."""

from pathlib import Path
from typing import Dict, List, Sequence

import spacy
from spacy.cli._util import Arg, Opt
from spacy.language import Language

from ..errors import Errors
from ..factories import get_component
from ..files import replace_folder
from . import coref_cli
from .messages import print_message
from .output import PIPELINE, check_output


@coref_cli.command("average")
def average_cli(
    output: Path = Arg(
        ..., help="The output folder; a pipeline that is there is replaced"
    ),
    models: List[str] = Arg(..., help="Pipelines: folders or names of packages"),
    component: str = Opt(
        "fastcoref", "--component", "-c", help="The component's name in the pipelines"
    ),
) -> None:
    """Write the first pipeline with the mean of all models' weights.

    Models that were fine-tuned from the same weights, on other data or with other
    seeds, can be averaged; the mean is often better than each of them.
    """
    if len(models) < 2:
        raise ValueError(Errors.FC099.format(output=output, models=models))
    check_output(output, PIPELINE, models)
    nlp = average([spacy.load(model) for model in models], models, component)
    with replace_folder(output) as new:
        nlp.to_disk(new)
    print_message("good", f"Written to {output}")


def average(
    pipelines: Sequence[Language], names: Sequence[str], component: str = "fastcoref"
) -> Language:
    """Replace the weights of the first pipeline with the mean of all pipelines.

    pipelines (Sequence[Language]): The pipelines.
    names (Sequence[str]): The pipelines' names, for error messages.
    component (str): The component's name in each pipeline.
    RETURNS (Language): The first pipeline.
    RAISES (ValueError): The models differ in more than their weights, or in the weights
        of the components that they listen to, or a component belongs to another
        package.
    """
    # Imported here, because every spaCy command imports this module.
    from ..models.checkpoints.average import average_checkpoints

    first, *others = [_read_vectors(nlp, component) for nlp in pipelines]
    for name, other in zip(names[1:], others, strict=True):
        differ = sorted(key for key in first if first[key] != other.get(key))
        if differ:
            raise ValueError(
                Errors.FC096.format(first=names[0], other=name, names=differ)
            )
    models = [get_component(nlp, component).model for nlp in pipelines]
    checkpoints = [model.get_checkpoint() for model in models]
    models[0].set_checkpoint(average_checkpoints(checkpoints, names))
    return pipelines[0]


def _read_vectors(nlp: Language, component: str) -> Dict[str, bytes]:
    """Serialize the layers and components that compute a model's token vectors."""
    _, *layers = get_component(nlp, component).model.walk()
    vectors = {component: b"".join(layer.to_bytes() for layer in layers)}
    for name, pipe in nlp.pipeline:
        if component in getattr(pipe, "listening_components", ()):
            vectors[name] = pipe.model.to_bytes()
    return vectors
