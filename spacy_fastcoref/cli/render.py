"""Define `python -m spacy coref render`: draw the clusters of a text."""

from pathlib import Path
from typing import Optional

from spacy.cli._util import Arg, Opt
from spacy.language import Language

from ..visualizer.rendering import render as draw
from . import coref_cli
from .messages import print_message
from .output import check_writable
from .pipelines import LANGUAGE, MODEL, get_last_component, load_pipeline
from .texts import read_argument


@coref_cli.command("render")
def render_cli(
    text: Optional[str] = Arg(
        None, help="The text; standard input by default, or for -"
    ),
    model: Optional[str] = MODEL,
    lang: str = LANGUAGE,
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
    nlp = load_pipeline(model, lang)
    is_svg = output is not None and output.suffix.lower() == ".svg"
    kind = "svg" if is_svg else "html"
    markup = render(nlp, read_argument(text), style, theme=theme, format=kind)
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
    all_options = {"component": get_last_component(nlp), **options}
    return str(draw(nlp(text), style, page=True, jupyter=False, options=all_options))
