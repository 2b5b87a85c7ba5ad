"""Define the options that commands share, and check where a command writes."""

import os
import tempfile
from pathlib import Path
from typing import Any, Optional, Sequence

import spacy
from spacy.cli._util import Arg, Opt
from spacy.language import Language

from ..about import DEFAULT_LANG
from ..errors import Errors
from ..factories import FACTORY, list_components

TEXT: Any = Arg(None, help="The text; standard input by default, or for -")
MODEL: Any = Opt(
    None,
    "--model",
    "-m",
    help="An installed pipeline or its folder; a blank one of the language by default",
)
LANGUAGE: Any = Opt(
    DEFAULT_LANG,
    "--lang",
    "-l",
    help="Without a pipeline, the language of the blank one",
)
TOKENIZER_LANGUAGE: Any = Opt(
    DEFAULT_LANG,
    "--lang",
    "-l",
    help="Without a pipeline, the language of the tokenizer for texts; to train on "
    "them, that of the training config, as mentions are widened to whole tokens",
)
FROM: Any = Opt(
    None,
    "--from",
    "-f",
    metavar="FORMAT",
    help="The format of the input; by default that of its ending",
)
BATCH_SIZE: Any = Opt(
    64, "--batch-size", "-b", min=1, help="The number of documents in a batch"
)
CORPUS: Any = Arg(
    ...,
    metavar="DATA",
    help="Annotated files of any format with clusters, or folders of them",
    exists=True,
)
PIPELINE: Any = Arg(..., help="A pipeline: a folder or the name of a package")
COMPONENT: Any = Opt(
    "fastcoref", "--component", "-c", help="The component's name in the pipeline"
)


def load_pipeline(model: Optional[str], lang: str = DEFAULT_LANG) -> Language:
    """Load a pipeline, and add the component to one that has none."""
    nlp = spacy.blank(lang.lower()) if model is None else spacy.load(model)
    if not list_components(nlp.pipe_factories):
        nlp.add_pipe(FACTORY)
    return nlp


def check_output(path: Path, files: Sequence[str], inputs: Sequence[str]) -> None:
    """Check that the command may replace the output folder, before computing anything.

    files (Sequence[str]): Those without which a folder is replaced only if it is empty.
    """
    check_writable(path, replaces=True)
    folder = path.resolve()
    for source in (Path(one).resolve() for one in inputs if Path(one).exists()):
        if folder.is_relative_to(source) or source.is_relative_to(folder):
            _refuse(path, "it is a pipeline that is read, or in one, or around one")
    missing = [name for name in files if not (path / name).is_file()]
    if missing and path.exists() and any(path.iterdir()):
        names = " and no ".join(missing)
        _refuse(path, f"this folder is not empty, and has no {names} to be replaced")


def check_writable(path: Path, *, replaces: bool = False) -> None:
    """Check that the command can write to a folder, before computing anything."""
    if path.is_file():
        _refuse(path, "it is a file")
    folder = path.resolve()
    if replaces and os.path.ismount(folder):
        _refuse(path, "it is a mount point, which can't be replaced")
    places = folder.parents if replaces else (folder, *folder.parents)
    try:
        with tempfile.TemporaryDirectory(dir=next(p for p in places if p.exists())):
            pass
    except OSError as error:
        _refuse(path, str(error))


def _refuse(path: Path, reason: str) -> None:
    raise ValueError(Errors.FC103.format(path=path, reason=reason))
