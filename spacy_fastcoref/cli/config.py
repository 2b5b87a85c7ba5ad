"""Read the training config of a command and its overrides."""

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

# The blocks that spaCy needs to train a pipeline.
_BLOCKS = ("nlp", "training")


def read_overrides(args: List[str]) -> Dict[str, Any]:
    """Read the config settings that the command line overrides.

    Exit with code 2 if an argument is not valid.

    args (List[str]): The arguments that are not options of the command.
    RETURNS (Dict[str, Any]): The values by the dotted names of the settings, such as
        "training.max_steps".
    """
    try:
        with redirect_messages():
            return parse_config_overrides(args)
    except click.UsageError as error:
        # Typer may ship its own copy of click, and would not catch this exception.
        print_message("fail", error.format_message())
    except SystemExit:
        # spaCy has printed the reason.
        pass
    sys.exit(2)


def read_training_config(path: Path, overrides: Dict[str, Any]) -> Config:
    """Read a training config, without interpolating its variables.

    path (Path): The file, or "-" for standard input.
    overrides (Dict[str, Any]): The settings to override, by their dotted names.
    RETURNS (Config): The config.
    RAISES (ValueError): The file is not UTF-8, has a block twice, or has no block [nlp]
        or [training].
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
    """Print validation errors of a config to standard error, and end the command.

    path (Path): The config file.
    YIELDS (None): Nothing; read or use the config within the context.
    """
    with redirect_messages(), show_validation_error(path, hint_fill=False):
        yield
