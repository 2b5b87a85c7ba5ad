"""Commands: `python -m spacy coref …`."""

import sys
from typing import Any

from spacy.cli._util import app
from typer import Typer
from typer.core import TyperGroup

from .messages import print_message
from .mistakes import describe_mistake


class CorefGroup(TyperGroup):
    """Run the commands; what they find wrong is said without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command.

        ctx (click.Context): The command's context.
        RETURNS (Any): What the command returns.
        """
        try:
            return super().invoke(ctx)
        except (ImportError, KeyError, OSError, ValueError) as error:
            message = describe_mistake(error)
            if message is None:
                raise
            print_message("fail", message)
            sys.exit(1)


coref_cli = Typer(
    name="coref",
    help="Coreference resolution",
    no_args_is_help=True,
    cls=CorefGroup,
)
app.add_typer(coref_cli)

from .annotate import annotate_cli  # noqa: E402, F401 (these register the commands)
from .average import average_cli  # noqa: E402, F401
from .check import check_cli  # noqa: E402, F401
from .export import export_cli  # noqa: E402, F401
from .mask import mask_cli  # noqa: E402, F401
from .resolve import resolve_cli  # noqa: E402, F401
from .train import train_cli  # noqa: E402, F401
