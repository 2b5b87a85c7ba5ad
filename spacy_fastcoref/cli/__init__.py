"""Register the commands of `python -m spacy coref`."""

import contextlib
import io
import os
import sys
from typing import Any

from spacy.cli._util import app
from typer import Typer
from typer.core import TyperGroup

from .console import describe_user_error, print_message, show_warnings


class CorefGroup(TyperGroup):
    """Run the commands, and print errors that users can fix without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; an error that users can fix ends it with exit code 1."""
        _use_utf8()
        try:
            with show_warnings():
                try:
                    return super().invoke(ctx)
                finally:
                    # On a full disk this fails here, where the error is caught, and
                    # not at exit, where Python would print a traceback.
                    sys.stdout.flush()
        except (ImportError, KeyError, OSError, RuntimeError, ValueError) as error:
            message = describe_user_error(error)
            if message is None:
                raise
            print_message("fail", message)
            if isinstance(error, OSError):
                _discard_output()
            sys.exit(1)


def _use_utf8() -> None:
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        # A program that runs a command may have replaced it.
        if isinstance(stream, io.TextIOWrapper):
            # File names in messages may be bytes of another encoding.
            errors = "backslashreplace" if stream is sys.stderr else "strict"
            stream.reconfigure(encoding="utf-8", errors=errors)


def _discard_output() -> None:
    """Discard buffered output that Python would try to write again at exit."""
    # Standard output may be no file, and then has no descriptor.
    with contextlib.suppress(OSError, ValueError), open(os.devnull, "w") as devnull:
        os.dup2(devnull.fileno(), sys.stdout.fileno())


coref_cli = Typer(
    name="coref",
    help="Coreference resolution",
    no_args_is_help=True,
    cls=CorefGroup,
)
app.add_typer(coref_cli)

from . import (  # noqa: E402, F401 (they register the commands)
    annotate,
    evaluate,
    models,
    serve,
    silver,
    texts,
    train,
)
