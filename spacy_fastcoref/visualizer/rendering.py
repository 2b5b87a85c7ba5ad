"""Draw the clusters of Docs, as displaCy draws parses and entities."""

import warnings
from typing import Any, Callable, Dict, Iterable, List, Optional, Union
from wsgiref.simple_server import make_server

from spacy import displacy
from spacy.errors import Warnings as SpacyWarnings
from spacy.tokens import Doc, Span
from spacy.util import find_available_port, is_in_jupyter

from ..errors import Errors, check_known
from .arcs import render_links, render_links_svg
from .passage import Options, Passage, read_passage
from .spans import render_chains, render_spans
from .stylesheet import make_css
from .svg import render_spans_svg
from .templates import fill

Source = Union[Doc, Span]
Renderer = Callable[[Passage], str]
# How each style is drawn, by the format.
STYLES: Dict[str, Dict[str, Renderer]] = {
    "spans": {"html": render_spans, "svg": render_spans_svg},
    "chains": {"html": render_chains},
    "links": {"html": render_links, "svg": render_links_svg},
}


def render(
    docs: Union[Source, Iterable[Source]],
    style: str = "spans",
    page: bool = False,
    minify: bool = False,
    jupyter: Optional[bool] = None,
    options: Dict[str, Any] = {},  # noqa: B006 (displaCy's signature; not changed)
) -> Optional[str]:
    """Draw clusters, and show the picture in a Jupyter notebook.

    docs (Union[Doc, Span, Iterable[Union[Doc, Span]]]): What to draw. Of a Span, only
        the mentions inside it are drawn.
    style (str): "spans" for the text with its mentions, "chains" for a table of the
        clusters, "links" for the text with an arc for each link.
    page (bool): Whether to return a whole page, and not a part of one.
    minify (bool): Whether to leave line breaks out of the style sheet.
    jupyter (Optional[bool]): Whether to show the picture in a notebook and return
        nothing; None to find out.
    options (Dict[str, Any]): See `Options`.
    RETURNS (Optional[str]): The HTML, or the SVG; None in a notebook.
    RAISES (ValueError): There is no such style or option, or `docs` are no Docs.
    """
    for name in options:
        check_known("option of pictures", name, Options.__dataclass_fields__)
    checked = Options(**options)
    renderer = get_renderer(style, checked.format)
    is_one = isinstance(docs, (Doc, Span)) or not isinstance(docs, Iterable)
    sources: List[Any] = [docs] if is_one else [*docs]
    for source in sources:
        if not isinstance(source, (Doc, Span)):
            raise ValueError(Errors.FC173.format(value=source))
    passages = [read_passage(source, checked) for source in sources]
    pictures = [renderer(passage) for passage in passages]
    if checked.format == "svg":
        markup = "\n".join(pictures)
    else:
        # The title that displaCy shows above a Doc.
        titles = [one.doc.user_data.get("title") for one in passages]
        titled = [*zip(titles, pictures, strict=True)]
        css = make_css(checked.theme)
        # Line breaks of the text itself are part of it, so only these can go.
        css = css.replace("\n", "") if minify else css
        theme = checked.theme
        markup = fill("page.html", pictures=titled, css=css, page=page, theme=theme)
    if displacy.RENDER_WRAPPER is not None:
        markup = displacy.RENDER_WRAPPER(markup)
    if jupyter or (jupyter is None and is_in_jupyter()):
        from IPython.display import HTML, display

        # The class keeps MathJax from reading the text.
        return display(HTML(f'<div class="tex2jax_ignore">{markup}</div>'))
    return markup


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
        warnings.warn(SpacyWarnings.W011, stacklevel=2)
    port = find_available_port(port, host, auto_select_port)
    kind = "image/svg+xml" if options.get("format") == "svg" else "text/html"
    body = markup.encode("utf8")

    def answer(environ: Dict[str, Any], start_response: Callable) -> List[bytes]:
        start_response("200 OK", [("Content-Type", f"{kind}; charset=utf-8")])
        return [body]

    with make_server(host, port, answer) as server:
        print(f"\nUsing the '{style}' visualizer")
        print(f"Serving on http://{host}:{server.server_port} ...\n")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print(f"Shutting down server on port {server.server_port}.")


def get_renderer(style: str, format: str) -> Renderer:
    """Get the function that draws a style."""
    check_known("style of pictures", style, STYLES)
    kind = f"format of pictures in the style {style!r} called"
    check_known(kind, format, STYLES[style])
    return STYLES[style][format]
