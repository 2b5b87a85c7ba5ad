"""Commands: `python -m spacy coref …`."""

from spacy.cli._util import app
from typer import Typer

coref_cli = Typer(name="coref", help="Coreference resolution", no_args_is_help=True)
app.add_typer(coref_cli)

from .annotate import annotate_cli  # noqa: E402, F401 (these register the commands)
from .average import average_cli  # noqa: E402, F401
from .check import check_cli  # noqa: E402, F401
from .export import export_cli  # noqa: E402, F401
from .mask import mask_cli  # noqa: E402, F401
from .resolve import resolve_cli  # noqa: E402, F401
from .train import train_cli  # noqa: E402, F401
