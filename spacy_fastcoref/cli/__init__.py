"""Commands: `python -m spacy coref …`."""

import sys
from typing import Any

from spacy.cli._util import app
from typer import Typer
from typer.core import TyperGroup

from ..errors import is_ours
from .messages import print_message


class CorefGroup(TyperGroup):
    """Run the commands; what they find wrong is said without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command.

        ctx (click.Context): The command's context.
        RETURNS (Any): What the command returns.
        """
        try:
            return super().invoke(ctx)
        except ValueError as error:
            if not is_ours(error):
                raise
            print_message("fail", error)
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
from .fit_distances import fit_distances_cli  # noqa: E402, F401
from .mask import mask_cli  # noqa: E402, F401
from .resolve import resolve_cli  # noqa: E402, F401
from .train import train_cli  # noqa: E402, F401
