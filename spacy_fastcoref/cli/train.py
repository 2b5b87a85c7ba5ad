"""Define `python -m spacy coref train`: `spacy train` that can resume a run."""

import logging
import sys
from pathlib import Path
from typing import Optional

from spacy import util
from spacy.cli._util import (
    Arg,
    Opt,
    import_code,
    setup_gpu,
)
from spacy.training.initialize import init_nlp
from typer import Context

from ..errors import Errors
from . import coref_cli
from .config import read_overrides, read_training_config, show_config_errors
from .messages import print_message, redirect_messages
from .output import check_writable


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
    # Imported here, because every spaCy command imports this module, and importing
    # torch takes a second.
    from ..training.loop import train

    util.logger.setLevel(logging.DEBUG if verbose else logging.INFO)
    overrides = read_overrides(ctx.args)
    with redirect_messages():
        import_code(code_path)
    check_writable(output_path)
    config = read_training_config(config_path, overrides)
    try:
        # spaCy's message would mislead: the component has its own setting `device`.
        setup_gpu(use_gpu, silent=True)
    except ValueError as error:
        raise ValueError(Errors.FC104.format(gpu_id=use_gpu, reason=error)) from error
    output_path.mkdir(parents=True, exist_ok=True)
    with show_config_errors(config_path):
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
