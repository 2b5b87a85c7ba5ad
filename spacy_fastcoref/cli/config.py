"""The configs that commands are given."""

from pathlib import Path
from typing import Any, Dict

from spacy import util
from spacy.cli._util import show_validation_error
from thinc.api import Config

from ..errors import Errors


def read_config(path: Path, overrides: Dict[str, Any], *, interpolate: bool) -> Config:
    """Read a config; what is not valid in it is printed, and ends the command.

    path (Path): The file, or "-" for standard input.
    overrides (Dict[str, Any]): Settings to be changed, by their names with dots.
    interpolate (bool): Whether to put values for variables.
    RETURNS (Config): The config.
    RAISES (ValueError): It is no text.
    """
    with show_validation_error(path):
        try:
            return util.load_config(path, overrides=overrides, interpolate=interpolate)
        except UnicodeDecodeError as error:
            raise ValueError(Errors.FC080.format(path=path, reason=error)) from error
