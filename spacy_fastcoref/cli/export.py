"""`python -m spacy coref export`: write a model for the fastcoref package."""

from pathlib import Path

import spacy
from spacy.cli._util import Arg, Opt
from wasabi import msg

from ..factories import get_component
from . import coref_cli
from .output import MODEL, check_output


@coref_cli.command("export")
def export_cli(
    model: str = Arg(..., help="A pipeline: a folder or the name of a package"),
    path: Path = Arg(..., help="The folder to write; another model there is replaced"),
    component: str = Opt(
        "fastcoref", "--component", "-c", help="The component's name in the pipeline"
    ),
) -> None:
    """Write a trained model in fastcoref's format, F-coref or LingMess.

    What it is made of has to be what fastcoref has, too.
    """
    # Here, because every spaCy command imports this module.
    from ..models.checkpoints.fastcoref_format import write_fastcoref

    check_output(path, MODEL, [model])
    nlp = spacy.load(model)
    write_fastcoref(get_component(nlp, component).model.get_checkpoint(), path)
    msg.good(f"Written to {path}")
