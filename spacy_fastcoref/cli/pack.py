"""Define `python -m spacy coref pack`: store a model in fewer bits, with a card."""

from pathlib import Path
from typing import List, Optional, Sequence

import spacy
from spacy.cli._util import Arg, Opt
from spacy.language import Language

from ..factories import get_component
from . import coref_cli
from .documents import FROM
from .messages import print_message
from .output import MODEL, check_output

_CARD = "README.md"


@coref_cli.command("pack")
def pack_cli(
    model: str = Arg(..., help="A pipeline: a folder or the name of a package"),
    path: Path = Arg(..., help="The output folder; a model that is there is replaced"),
    storage: Optional[str] = Opt(
        None,
        "--storage",
        "-s",
        help="The registered format of the weights. By default it has 8 bits; that of "
        "a ranker 16",
    ),
    texts: Optional[List[Path]] = Opt(
        None,
        "--texts",
        "-t",
        help="A corpus of any format for whose texts rounding keeps the outputs of "
        "layers close; can be given several times",
        exists=True,
    ),
    source: Optional[str] = FROM,
    component: str = Opt(
        "fastcoref", "--component", "-c", help="The component's name in the pipeline"
    ),
) -> None:
    """Write a pipeline's model in a smaller format, with a card.

    The folder can be the `model_path` of a component, or ship with a package.
    """
    check_output(path, MODEL, [model])
    pack(spacy.load(model), path, storage, texts or (), component, source)
    print_message("good", f"Written to {path}")


def pack(
    nlp: Language,
    path: Path,
    storage: Optional[str] = None,
    texts: Sequence[Path] = (),
    component: str = "fastcoref",
    source: Optional[str] = None,
) -> None:
    """Write the model of a pipeline in a smaller format, with a card.

    nlp (Language): The pipeline.
    path (Path): The output folder.
    storage (Optional[str]): The registered name of the storage format; None for the
        model's default.
    texts (Sequence[Path]): Annotated files. Rounding keeps the outputs of linear layers
        for their texts close to those of the full weights.
    component (str): The component's name.
    source (Optional[str]): The format of the files; None to tell it by their endings.
    RAISES (ValueError): There is no such format, a file has no documents, or the
        component belongs to another package.
    """
    # Imported here, because every spaCy command imports this module.
    from ..models.folders import write_folder
    from ..training.check import read_docs
    from ..training.model_card import make_card

    pipe = get_component(nlp, component)
    docs = None
    if texts:
        pipe.precision = "float32"
        docs = read_docs(texts, nlp, source)
    name, files = pipe.model.pack(storage, docs)
    card = make_card(nlp, component, name).encode("utf8")
    write_folder(path, {**files, _CARD: card})
