"""Read the configs that commands are given."""

import contextlib
import sys
from pathlib import Path
from typing import Any, Dict, Iterator

from spacy import util
from spacy.cli._util import show_validation_error
from thinc.api import Config

from ..errors import Errors

# The blocks without which spaCy trains nothing.
_BLOCKS = ("nlp", "training")


def read_training_config(path: Path, overrides: Dict[str, Any]) -> Config:
    """Read a config, with its variables, to train a pipeline.

    path (Path): The file, or "-" for standard input.
    overrides (Dict[str, Any]): Settings to override, by their names with dots.
    RETURNS (Config): The config.
    RAISES (ValueError): It is not UTF-8, or has no block [nlp] or [training].
    """
    with show_config_errors(path):
        try:
            config = util.load_config(path, overrides=overrides, interpolate=False)
        except UnicodeDecodeError as error:
            raise ValueError(Errors.FC080.format(path=path, reason=error)) from error
    missing = [f"[{name}]" for name in _BLOCKS if not config.get(name)]
    if missing:
        raise ValueError(Errors.FC112.format(path=path, blocks=", ".join(missing)))
    return config


@contextlib.contextmanager
def show_config_errors(path: Path) -> Iterator[None]:
    """Print what is not valid in a config on standard error, and end the command.

    path (Path): The file.
    """
    shown = show_validation_error(path, hint_fill=False)
    with contextlib.redirect_stdout(sys.stderr), shown:
        yield
