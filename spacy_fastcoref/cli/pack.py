"""`python -m spacy coref pack`: store a model in fewer bits, with a card."""

from dataclasses import replace
from pathlib import Path

import spacy
from spacy.cli._util import Arg, Opt
from spacy.language import Language

from ..factories import get_component
from . import coref_cli
from .messages import print_message
from .output import MODEL, check_output

_INT8 = "spacy_fastcoref.Int8Rows.v1"
_CARD = "README.md"


@coref_cli.command("pack")
def pack_cli(
    model: str = Arg(..., help="A pipeline: a folder or the name of a package"),
    path: Path = Arg(..., help="The output folder; a model that is there is replaced"),
    storage: str = Opt(
        _INT8, "--storage", "-s", help="The registered format of the weights"
    ),
    component: str = Opt(
        "fastcoref", "--component", "-c", help="The component's name in the pipeline"
    ),
) -> None:
    """Write a pipeline's model in a smaller format, with a card.

    The folder can be the `model_path` of a component, or ship with a package.
    """
    check_output(path, MODEL, [model])
    pack(spacy.load(model), path, storage, component)
    print_message("good", f"Written to {path}")


def pack(nlp: Language, path: Path, storage: str, component: str = "fastcoref") -> None:
    """Write the model of a pipeline in a smaller format, with a card.

    nlp (Language): The pipeline.
    path (Path): The folder.
    storage (str): The registered format of the weights.
    component (str): The component's name.
    RAISES (ValueError): There is no such format, or the component is another package's.
    """
    # Here, because every spaCy command imports this module.
    from ..models.checkpoints.checkpoint import write_folder
    from ..training.model_card import make_card

    checkpoint = get_component(nlp, component).model.get_checkpoint()
    files = replace(checkpoint, storage=storage).make_files()
    card = make_card(nlp, component, storage)
    write_folder(path, {**files, _CARD: card.encode("utf8")})
