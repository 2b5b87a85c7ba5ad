"""Define the commands for one text: `resolve`, `quotes`, `explain` and `render`."""

import json
import re
from pathlib import Path
from typing import Iterator, List, Optional

from spacy.cli._util import Opt
from spacy.language import Language
from spacy.tokens import Doc, Span

from ..errors import Errors, check_known
from ..factories import find_last_component
from ..files import replace_file
from ..pipeline.explain import Explanation
from ..quotes.component import annotate_quotes, format_quotes, get_quotes
from ..resolution.resolve import DEFAULT_POLICY, resolve_text
from ..visualizer.rendering import get_renderer, render
from . import coref_cli
from .console import print_message, read_argument
from .options import LANGUAGE, MODEL, TEXT, check_writable, load_pipeline

# The kinds of pictures by the endings of their files.
_KINDS = {".svg": "svg", ".html": "html", ".htm": "html"}


@coref_cli.command("resolve")
def resolve_cli(
    text: Optional[str] = TEXT,
    model: Optional[str] = MODEL,
    lang: str = LANGUAGE,
    policy: str = Opt(
        DEFAULT_POLICY,
        "--policy",
        "-p",
        help="The registered name of the policy for the resolved text",
    ),
) -> None:
    """Print a text's clusters and its resolved text."""
    doc = annotate_text(load_pipeline(model, lang), text)
    for chain in doc._.coref_chains:
        print(chain.pretty_representation)
    print(f"\n{resolve_text(doc, policy)}")


@coref_cli.command("quotes")
def quotes_cli(
    text: Optional[str] = TEXT,
    model: Optional[str] = MODEL,
    lang: str = LANGUAGE,
    as_json: bool = Opt(False, "--json", "-j", help="Print a line of JSON for each"),
) -> None:
    """Print who says each quotation of a text, and to whom."""
    doc = annotate_quotes(annotate_text(load_pipeline(model, lang), text))
    if not as_json:
        print(format_quotes(doc))
        return
    for quote in get_quotes(doc):
        print(json.dumps(quote.to_json(), ensure_ascii=False))


def annotate_text(nlp: Language, text: Optional[str]) -> Doc:
    """Apply a pipeline to a text as it is given, which may be a whole novel."""
    text = read_argument(text)
    nlp.max_length = max(nlp.max_length, len(text))
    return nlp(text)


@coref_cli.command("explain")
def explain_cli(
    text: Optional[str] = TEXT,
    mentions: Optional[List[str]] = Opt(
        None,
        "--mention",
        help="The words of a mention to explain; repeat the option for several; by "
        "default, all mentions that have candidates",
    ),
    candidate: Optional[str] = Opt(
        None,
        "--candidate",
        help="The words of another mention, to explain links to it alone",
    ),
    model: Optional[str] = MODEL,
    lang: str = LANGUAGE,
) -> None:
    """Print what speaks for and against each antecedent of a mention.

    The number after a mention is its first token; > marks the antecedent that was
    chosen.
    """
    nlp = load_pipeline(model, lang)
    found = [*explain_text(nlp, text, mentions or [], candidate)]
    for explanation in found:
        if mentions or explanation.candidates:
            table = str(explanation).strip("\n")
            print(f"{table}\n")
    if not (mentions or any(explanation.candidates for explanation in found)):
        print_message("warn", "No mention has a candidate for an antecedent")


def explain_text(
    nlp: Language,
    text: Optional[str],
    mentions: List[str],
    candidate: Optional[str] = None,
) -> Iterator[Explanation]:
    """Explain the links of mentions, or those to one candidate alone."""
    doc = annotate_text(nlp, text)
    component = nlp.get_pipe(find_last_component(nlp))
    spans = sorted({span for words in mentions for span in _find_spans(doc, words)})
    if candidate is None:
        yield from component.explain_all(doc, spans or None)
        return
    others = _find_spans(doc, candidate)
    if not mentions:
        spans = [one.mention for one in component.explain_all(doc)]
    for span in spans:
        for other in others:
            if other.start < span.start:
                yield component.explain(doc, span, other)


def _find_spans(doc: Doc, words: str) -> List[Span]:
    """Find all places where a Doc has these words; case and spaces are ignored."""
    pattern = r"\s+".join(map(re.escape, words.split()))
    found = re.finditer(pattern, doc.text, re.IGNORECASE) if pattern else ()
    spans = [doc.char_span(*match.span()) for match in found]
    kept = [span for span in spans if span is not None]
    if not kept:
        raise ValueError(Errors.FC166.format(words=words))
    return kept


@coref_cli.command("render")
def render_cli(
    text: Optional[str] = TEXT,
    model: Optional[str] = MODEL,
    lang: str = LANGUAGE,
    output: Optional[Path] = Opt(
        None,
        "--output",
        "-o",
        help="The file, .svg or .html; standard output by default",
        dir_okay=False,
    ),
    style: str = Opt("spans", "--style", "-s", help="spans, chains or links"),
    theme: str = Opt("auto", "--theme", "-t", help="light, dark or auto"),
) -> None:
    """Draw the clusters of a text as a page, or as SVG."""
    kind = "html"
    if output is not None:
        check_writable(output.parent)
        ending = output.suffix.lower()
        check_known("ending of pictures,", ending, _KINDS)
        kind = _KINDS[ending]
    get_renderer(style, kind)
    nlp = load_pipeline(model, lang)
    doc = annotate_text(nlp, text)
    component = nlp.get_pipe(find_last_component(nlp))
    options = {"component": component, "theme": theme, "format": kind}
    markup = str(render(doc, style, page=True, jupyter=False, options=options))
    if output is None:
        print(markup)
        return
    with replace_file(output) as new:
        new.write_text(markup, encoding="utf8")
    print_message("good", f"Written to {output}")
