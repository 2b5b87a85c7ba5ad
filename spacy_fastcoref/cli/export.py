"""Define `python -m spacy coref export`: write a model for the fastcoref package."""

from pathlib import Path

import spacy
from spacy.cli._util import Arg, Opt
from spacy.language import Language

from ..factories import get_component
from . import coref_cli
from .messages import print_message
from .output import MODEL, check_output


@coref_cli.command("export")
def export_cli(
    model: str = Arg(..., help="A pipeline: a folder or the name of a package"),
    path: Path = Arg(..., help="The output folder; a model that is there is replaced"),
    component: str = Opt(
        "fastcoref", "--component", "-c", help="The component's name in the pipeline"
    ),
) -> None:
    """Write a trained model in fastcoref's format, F-coref or LingMess.

    The model has to consist of layers that fastcoref has, too.
    """
    check_output(path, MODEL, [model])
    export(spacy.load(model), path, component)
    print_message("good", f"Written to {path}")


def export(nlp: Language, path: Path, component: str = "fastcoref") -> None:
    """Write the model of a pipeline in fastcoref's format.

    nlp (Language): The pipeline.
    path (Path): The output folder.
    component (str): The component's name.
    RAISES (ValueError): The model has a layer that fastcoref does not have, or the
        component belongs to another package.
    """
    # Imported here, because every spaCy command imports this module.
    from ..models.checkpoints.fastcoref_format import write_fastcoref

    write_fastcoref(get_component(nlp, component).model.get_checkpoint(), path)
