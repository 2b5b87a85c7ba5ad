"""Serve pictures to a browser, as displaCy does."""

import warnings
from typing import Any, Callable, Dict, Iterable, List, Union
from wsgiref.simple_server import make_server

from spacy.errors import Warnings
from spacy.util import find_available_port, is_in_jupyter

from .rendering import Source, render


def serve(
    docs: Union[Source, Iterable[Source]],
    style: str = "spans",
    page: bool = True,
    minify: bool = False,
    options: Dict[str, Any] = {},  # noqa: B006 (displaCy's signature; not changed)
    port: int = 5000,
    host: str = "127.0.0.1",
    auto_select_port: bool = False,
) -> None:
    """Serve a picture until Ctrl-C is pressed.

    docs (Union[Doc, Span, Iterable[Union[Doc, Span]]]): What to draw.
    style (str): The style, as in `render`.
    page (bool): Whether to serve a whole page, and not a part of one.
    minify (bool): Whether to leave line breaks out of the style sheet.
    options (Dict[str, Any]): See `Options`.
    port (int): The port.
    host (str): The host; "0.0.0.0" lets other machines in.
    auto_select_port (bool): Whether to take the next free port if this one is in use.
    RAISES (ValueError): There is no such style or option, `docs` are no Docs, or the
        port is in use.
    """
    markup = str(render(docs, style, page, minify, jupyter=False, options=options))
    if is_in_jupyter():
        warnings.warn(Warnings.W011, stacklevel=2)
    port = find_available_port(port, host, auto_select_port)
    app = make_app(markup, options.get("format", "html"))
    with make_server(host, port, app) as server:
        print(f"\nUsing the '{style}' visualizer")
        print(f"Serving on http://{host}:{server.server_port} ...\n")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print(f"Shutting down server on port {server.server_port}.")


def make_app(markup: str, format: str) -> Callable:
    """Make a WSGI application that answers every request with a picture.

    markup (str): The picture.
    format (str): "html" or "svg".
    RETURNS (Callable): The application.
    """
    kind = "image/svg+xml" if format == "svg" else "text/html"
    body = markup.encode("utf8")
    headers = {
        "Content-Type": f"{kind}; charset=utf-8",
        "Content-Length": f"{len(body)}",
    }

    def app(environ: Dict[str, Any], start_response: Callable) -> List[bytes]:
        start_response("200 OK", [*headers.items()])
        return [body]

    return app
