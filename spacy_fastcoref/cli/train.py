"""Define `python -m spacy coref train`: `spacy train` that can resume a run."""

import configparser
import contextlib
import logging
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

import click
from spacy import util
from spacy.cli._util import (
    Arg,
    Opt,
    import_code,
    parse_config_overrides,
    setup_gpu,
    show_validation_error,
)
from spacy.training.initialize import init_nlp
from thinc.api import Config
from typer import Context

from ..errors import Errors
from . import coref_cli
from .console import USAGE, print_message, redirect_messages
from .options import check_writable

# The blocks that spaCy needs to train a pipeline.
_BLOCKS = ("nlp", "training")


@coref_cli.command(
    "train", context_settings={"allow_extra_args": True, "ignore_unknown_options": True}
)
def train_cli(
    ctx: Context,
    # Not with `exists=True`: some versions of typer would then refuse "-".
    config_path: Path = Arg(..., help="Path to config file, - for standard input"),
    output_path: Path = Opt(
        ...,
        "--output",
        "--output-path",
        "-o",
        help="Folder for the trained pipeline",
    ),
    resume: bool = Opt(
        False,
        "--resume",
        "-R",
        help="Resume the training in the folder, if any",
    ),
    code_path: Optional[Path] = Opt(
        None, "--code", "-c", help="Python file to be imported before training"
    ),
    use_gpu: int = Opt(-1, "--gpu-id", "-g", help="GPU ID or -1 for CPU"),
    verbose: bool = Opt(
        False,
        "--verbose",
        "-V",
        "-VV",
        help="Display more information for debugging purposes",
    ),
) -> None:
    """Train a pipeline like `spacy train`; --resume continues an interrupted run.

    The result is the same as without the interruption. The config can be overridden
    on the command line, such as --training.max_steps 100.
    """
    # Imported here, because every spaCy command imports this module.
    from ..training.loop import train

    util.logger.setLevel(logging.DEBUG if verbose else logging.INFO)
    overrides = _read_overrides(ctx.args)
    with redirect_messages():
        import_code(code_path)
    check_writable(output_path)
    config = _read_config(config_path, overrides)
    try:
        # spaCy's message would mislead: the component has its own setting `device`.
        setup_gpu(use_gpu, silent=True)
    except ValueError as error:
        raise ValueError(Errors.FC104.format(gpu_id=use_gpu, reason=error)) from error
    output_path.mkdir(parents=True, exist_ok=True)
    with _show_errors(config_path):
        nlp = init_nlp(config, use_gpu=use_gpu)
    saved = train(
        nlp,
        output_path,
        resume=resume,
        use_gpu=use_gpu,
        stdout=sys.stdout,
        stderr=sys.stderr,
    )
    print_message("good", f"Saved the pipeline to {saved}")


def _read_overrides(args: List[str]) -> Dict[str, Any]:
    try:
        with redirect_messages():
            return parse_config_overrides(args)
    except click.UsageError as error:
        # Typer may ship its own copy of click, and would not catch this exception.
        print_message("fail", error.format_message())
    except SystemExit:
        # spaCy has printed the reason.
        pass
    sys.exit(USAGE)


def _read_config(path: Path, overrides: Dict[str, Any]) -> Config:
    with _show_errors(path):
        try:
            config = util.load_config(path, overrides=overrides, interpolate=False)
        except (UnicodeDecodeError, configparser.Error) as error:
            raise ValueError(Errors.FC052.format(path=path, reason=error)) from error
    missing = [f"[{name}]" for name in _BLOCKS if not config.get(name)]
    if missing:
        reason = f"it has no {', '.join(missing)}, so there is nothing to train"
        raise ValueError(Errors.FC052.format(path=path, reason=reason))
    return config


@contextlib.contextmanager
def _show_errors(path: Path) -> Iterator[None]:
    with redirect_messages(), show_validation_error(path, hint_fill=False):
        yield
