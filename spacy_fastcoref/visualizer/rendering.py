"""Draw the clusters of Docs, as displaCy draws parses and entities."""

from typing import Any, Callable, Dict, Iterable, List, Optional, Union

from spacy import displacy
from spacy.tokens import Doc, Span
from spacy.util import is_in_jupyter

from ..errors import Errors
from .arcs import render_links, render_links_svg
from .chains import render_chains
from .escaping import escape
from .options import Options, read_options
from .page import make_fragment, make_page
from .passage import Passage, read_passage
from .spans import render_spans
from .svg import render_spans_svg

Source = Union[Doc, Span]
TITLE = "Coreference"
Renderer = Callable[[Passage, Options], str]
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
    checked = read_options(options)
    markup = make_markup(docs, style, page, minify, checked)
    if jupyter or (jupyter is None and is_in_jupyter()):
        from IPython.display import HTML, display

        # The class keeps MathJax from reading the text.
        return display(HTML(f'<div class="tex2jax_ignore">{markup}</div>'))
    return markup


def make_markup(
    docs: Union[Source, Iterable[Source]],
    style: str,
    page: bool,
    minify: bool,
    options: Options,
) -> str:
    """Write pictures as HTML or SVG, in displaCy's wrapper; see `render`.

    docs (Union[Doc, Span, Iterable[Union[Doc, Span]]]): What to draw.
    style (str): The style.
    page (bool): Whether to write a whole page.
    minify (bool): Whether to leave line breaks out of the style sheet.
    options (Options): The options.
    RETURNS (str): The HTML or SVG.
    RAISES (ValueError): There is no such style, or `docs` are no Docs.
    """
    renderer = get_renderer(style, options.format)
    sources = _list_sources(docs)
    passages = [read_passage(source, options.clusters) for source in sources]
    pictures = [renderer(passage, options) for passage in passages]
    if options.format == "svg":
        markup = "\n".join(pictures)
    else:
        markup = _join_html(sources, pictures, page, minify, options.theme)
    wrap = displacy.RENDER_WRAPPER
    return markup if wrap is None else wrap(markup)


def get_renderer(style: str, format: str) -> Renderer:
    """Get the function that draws a style.

    style (str): The style.
    format (str): "html" or "svg".
    RETURNS (Callable[[Passage, Options], str]): The function.
    RAISES (ValueError): There is no such style, or it can't be drawn in this format.
    """
    if style not in STYLES:
        raise ValueError(Errors.FC172.format(style=style, available=", ".join(STYLES)))
    if format not in STYLES[style]:
        available = ", ".join(STYLES[style])
        styles = ", ".join(name for name in STYLES if format in STYLES[name])
        message = Errors.FC174.format(
            style=style, format=format, available=available, styles=styles
        )
        raise ValueError(message)
    return STYLES[style][format]


def _join_html(
    sources: List[Source], pictures: List[str], page: bool, minify: bool, theme: str
) -> str:
    titled = [
        _add_title(source, picture)
        for source, picture in zip(sources, pictures, strict=True)
    ]
    if not page:
        return make_fragment(titled, theme, minify)
    titles = [title for title in map(_get_title, sources) if title]
    title = titles[0] if titles else TITLE
    return make_page(titled, theme, title, minify)


def _list_sources(docs: Any) -> List[Source]:
    sources = [docs] if isinstance(docs, (Doc, Span)) else docs
    try:
        sources = list(sources)
    except TypeError as error:
        raise ValueError(Errors.FC173.format(value=docs)) from error
    for one in sources:
        if not isinstance(one, (Doc, Span)):
            raise ValueError(Errors.FC173.format(value=one))
    return sources


def _add_title(source: Source, picture: str) -> str:
    title = _get_title(source)
    return f"<h2>{escape(title)}</h2>{picture}" if title else picture


def _get_title(source: Source) -> str:
    """Get the title that displaCy shows above a Doc."""
    doc = source.doc if isinstance(source, Span) else source
    return str(doc.user_data.get("title") or "")
