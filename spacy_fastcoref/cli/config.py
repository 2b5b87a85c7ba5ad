"""Read the configs that commands are given."""

import configparser
import contextlib
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List

import click
from spacy import util
from spacy.cli._util import parse_config_overrides, show_validation_error
from thinc.api import Config

from ..errors import Errors
from .messages import print_message, redirect_messages

# The blocks without which spaCy trains nothing.
_BLOCKS = ("nlp", "training")


def read_overrides(args: List[str]) -> Dict[str, Any]:
    """Read the settings that are overridden on the command line.

    A wrong option ends the command with exit code 2.

    args (List[str]): The arguments that are no options of the command.
    RETURNS (Dict[str, Any]): The values by the names of the settings, with dots.
    """
    try:
        with redirect_messages():
            return parse_config_overrides(args)
    except click.UsageError as error:
        # Typer does not know the exceptions of click, of which it may have a copy.
        print_message("fail", error.format_message())
    except SystemExit:
        # spaCy has said why.
        pass
    sys.exit(2)


def read_training_config(path: Path, overrides: Dict[str, Any]) -> Config:
    """Read a config, with its variables, to train a pipeline.

    path (Path): The file, or "-" for standard input.
    overrides (Dict[str, Any]): Settings to override, by their names with dots.
    RETURNS (Config): The config.
    RAISES (ValueError): It is not UTF-8, has a block twice, or has no block [nlp] or
        [training].
    """
    with show_config_errors(path):
        try:
            config = util.load_config(path, overrides=overrides, interpolate=False)
        except (UnicodeDecodeError, configparser.Error) as error:
            raise ValueError(Errors.FC080.format(path=path, reason=error)) from error
    missing = [f"[{name}]" for name in _BLOCKS if not config.get(name)]
    if missing:
        raise ValueError(Errors.FC112.format(path=path, blocks=", ".join(missing)))
    return config


@contextlib.contextmanager
def show_config_errors(path: Path) -> Iterator[None]:
    """Print what is not valid in a config on standard error, and end the command.

    path (Path): The file.
    YIELDS (None): Within the context the config is read or used.
    """
    with redirect_messages(), show_validation_error(path, hint_fill=False):
        yield
