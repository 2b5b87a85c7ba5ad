"""Define `python -m spacy coref serve`: the page and the HTTP API."""

import secrets
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Dict, List, Optional

from spacy.cli._util import Arg, Opt
from spacy.language import Language

from .. import pretrained
from ..about import DEFAULT_LANG
from ..errors import Errors, check_setting
from ..factories import find_last_component
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
        help="Installed pipelines, their folders, or languages; by default a blank one "
        "for each language that weights ship for",
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
    allow_host: Optional[List[str]] = Opt(
        None,
        "--allow-host",
        help="A name or address that clients may call the server by, beside localhost",
    ),
    token: bool = Opt(
        False, "--token", help="Answer only those who know the address with its token"
    ),
    verbose: bool = Opt(False, "--verbose", "-V", help="Print each request"),
) -> None:
    """Show a page to resolve and correct texts, and answer POST /coref."""
    try:
        from ..server.access import ANY_HOST, Access
        from ..server.limits import Limits
        from ..server.run import listen, run
    except ModuleNotFoundError as error:
        message = Errors.FC200.format(reason=error, extra="server")
        raise ImportError(message) from error
    hosts = frozenset(name.lower().strip("[]") for name in allow_host or ())
    access = Access(hosts, secrets.token_urlsafe(16) if token else None)
    limits = Limits(int(max_mb * (1 << 20)), max_requests, timeout)
    with listen(host, port) as taken:
        address, number = taken.getsockname()[:2]
        if not ip_address(address).is_loopback:
            if not hosts:
                raise ValueError(Errors.FC233.format(address=address))
            # 0.0.0.0 is no address that a client can call.
            address = min(hosts - {ANY_HOST}, default=address)
        loaded = load_pipelines(pipelines or [])
        shown = f"http://[{address}]" if ":" in address else f"http://{address}"
        # No server is told what is behind the number sign, and no log has it.
        end = f"/#token={access.token}" if token else ""
        print_message("good", f"Serving on {shown}:{number}{end} (Ctrl-C to stop)")
        run(loaded, taken, limits, access, log_level="info" if verbose else "warning")


def load_pipelines(names: List[str]) -> Dict[str, Language]:
    """Load pipelines, or those of languages, and add coreference to those without."""
    loaded: Dict[str, Language] = {}
    models: Dict[str, Any] = {}
    langs = sorted(pretrained.list_languages(), key=lambda lang: lang != DEFAULT_LANG)
    for name in names or langs:
        is_lang = name in langs and not Path(name).exists()
        nlp = load_pipeline(None, name) if is_lang else load_pipeline(name)
        short = Path(name).resolve().name
        expected = "the name of another pipeline, by which clients choose it"
        check_setting("PIPELINE", short, short not in loaded, expected)
        if is_lang:
            # Languages that share weights share them in memory.
            component = nlp.get_pipe(find_last_component(nlp))
            weights = pretrained.get_folder(name).name
            component.model = models.setdefault(weights, component.model)
        # Those that nobody has named may never be asked for.
        if names or not loaded:
            nlp(_WARM_UP)
        loaded[short] = nlp
    return loaded
