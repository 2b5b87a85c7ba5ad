"""Define `python -m spacy coref serve`: the page and the HTTP API."""

from pathlib import Path
from typing import Dict, List, Optional

from spacy.cli._util import Arg, Opt
from spacy.language import Language

from ..about import DEFAULT_LANG
from ..errors import Errors
from . import coref_cli
from .console import print_message
from .options import load_pipeline

# A text that has something to find, so that the weights are read before the first
# request.
_WARM_UP = "Ann said she left."


@coref_cli.command("serve")
def serve_cli(
    pipelines: Optional[List[str]] = Arg(
        None,
        metavar="[PIPELINE …]",
        help="Installed pipelines or their folders; a blank English one by default",
    ),
    host: str = Opt(
        "127.0.0.1",
        "--host",
        "-h",
        help="The address; 0.0.0.0 to be reached from other machines",
    ),
    port: int = Opt(
        8000, "--port", "-p", min=0, max=65535, help="The port; 0 for any that is free"
    ),
    max_mb: float = Opt(
        2.0, "--max-mb", min=0.001, help="The largest request, in megabytes"
    ),
    max_requests: int = Opt(
        64, "--max-requests", min=1, help="The requests that are answered at once"
    ),
    timeout: float = Opt(
        60.0,
        "--timeout",
        min=0.1,
        help="The seconds to read a request, and those to answer it",
    ),
    verbose: bool = Opt(False, "--verbose", "-V", help="Print each request"),
) -> None:
    """Show a page to resolve and correct texts, and answer POST /coref."""
    try:
        from ..server.run import listen, run
        from ..server.settings import Limits
    except ModuleNotFoundError as error:
        raise ImportError(Errors.FC200.format(name=error.name)) from error
    with listen(host, port) as taken:
        loaded = load_pipelines(pipelines or [])
        address, number = taken.getsockname()[:2]
        shown = f"[{address}]" if ":" in address else address
        print_message("good", f"Serving on http://{shown}:{number} (Ctrl-C to stop)")
        limits = Limits(int(max_mb * (1 << 20)), max_requests, timeout)
        run(loaded, taken, limits, log_level="info" if verbose else "warning")


def load_pipelines(names: List[str]) -> Dict[str, Language]:
    """Load the pipelines, and add coreference to those without.

    names (List[str]): Names of packages, or folders; none for a blank English pipeline.
    RETURNS (Dict[str, Language]): The pipelines, by the name of the package or of the
        folder.
    RAISES (ValueError): Two pipelines have the same name.
    """
    loaded: Dict[str, Language] = {}
    for name in names or [DEFAULT_LANG]:
        nlp = load_pipeline(name if names else None)
        short = Path(name).resolve().name
        if short in loaded:
            raise ValueError(Errors.FC215.format(name=short))
        nlp(_WARM_UP)
        loaded[short] = nlp
    return loaded
