"""Define `python -m spacy coref render`: draw the clusters of a text."""

from pathlib import Path
from typing import Optional

import spacy
from spacy.cli._util import Arg, Opt
from spacy.language import Language

from ..factories import FACTORY, find_components, get_component
from ..languages.en import LANG
from ..visualizer.rendering import render as draw
from . import coref_cli
from .messages import print_message
from .output import check_writable
from .resolve import _read


@coref_cli.command("render")
def render_cli(
    text: Optional[str] = Arg(None, help="The text; standard input by default"),
    model: Optional[str] = Opt(
        None,
        "--model",
        "-m",
        help="An installed pipeline or its folder; a blank English one by default",
    ),
    output: Optional[Path] = Opt(
        None,
        "--output",
        "-o",
        help="The file: SVG if its name ends in .svg, else HTML; standard output by "
        "default",
        dir_okay=False,
    ),
    style: str = Opt("spans", "--style", "-s", help="spans, chains or links"),
    theme: str = Opt("auto", "--theme", "-t", help="light, dark or auto"),
) -> None:
    """Draw the clusters of a text as a page, or as SVG."""
    if output is not None:
        check_writable(output.parent)
    nlp = spacy.blank(LANG) if model is None else spacy.load(model)
    if not find_components(nlp.pipe_factories):
        nlp.add_pipe(FACTORY)
    is_svg = output is not None and output.suffix.lower() == ".svg"
    kind = "svg" if is_svg else "html"
    markup = render(nlp, _read(text), style, theme=theme, format=kind)
    if output is None:
        print(markup)
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(markup, encoding="utf8")
    print_message("good", f"Written to {output}")


def render(nlp: Language, text: str, style: str, **options: str) -> str:
    """Draw the clusters of a text.

    nlp (Language): A pipeline with the component. Its `max_length` is raised to the
        length of the text.
    text (str): The text.
    style (str): "spans", "chains" or "links"; for links, the rules are asked for
        reasons.
    options (str): Other options of the picture.
    RETURNS (str): The page, or the SVG.
    """
    # The text may be a whole novel.
    nlp.max_length = max(nlp.max_length, len(text))
    component = get_component(nlp, find_components(nlp.pipe_factories)[-1])
    all_options = {"component": component, **options}
    return str(draw(nlp(text), style, page=True, jupyter=False, options=all_options))
