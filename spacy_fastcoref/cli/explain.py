"""Define `python -m spacy coref explain`: print the scores and verdicts of links."""

import re
from typing import Iterator, List, Optional

from spacy.cli._util import Arg, Opt
from spacy.language import Language
from spacy.tokens import Doc, Span

from ..errors import Errors
from ..pipeline.explain import Explanation
from . import coref_cli
from .pipelines import LANGUAGE, MODEL, get_last_component, load_pipeline
from .texts import read_argument


@coref_cli.command("explain")
def explain_cli(
    text: Optional[str] = Arg(
        None, help="The text; standard input by default, or for -"
    ),
    mentions: Optional[List[str]] = Opt(
        None,
        "--mention",
        help="The words of a mention to explain; repeat the option for several; by "
        "default, all mentions that the model finds",
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
    for explanation in explain(nlp, read_argument(text), mentions or [], candidate):
        table = str(explanation).strip("\n")
        print(f"{table}\n")


def explain(
    nlp: Language,
    text: str,
    mentions: List[str],
    candidate: Optional[str] = None,
) -> Iterator[Explanation]:
    """Explain the links of mentions.

    nlp (Language): A pipeline with the component. Its `max_length` is raised to the
        length of the text.
    text (str): The text.
    mentions (List[str]): The words of the mentions; empty for all mentions.
    candidate (Optional[str]): The words of another mention, to explain links to it
        alone.
    YIELDS (Explanation): The explanations, in text order.
    RAISES (ValueError): The text has no such words.
    """
    # The text may be a whole novel.
    nlp.max_length = max(nlp.max_length, len(text))
    doc = nlp(text)
    component = get_last_component(nlp)
    spans = sorted({span for words in mentions for span in find_spans(doc, words)})
    if candidate is None:
        yield from component.explain_all(doc, spans or None)
        return
    others = find_spans(doc, candidate)
    if not mentions:
        spans = [one.mention for one in component.explain_all(doc)]
    for span in spans:
        for other in others:
            if other.start < span.start:
                yield component.explain(doc, span, other)


def find_spans(doc: Doc, words: str) -> List[Span]:
    """Find all places where a Doc has these words.

    doc (Doc): The document.
    words (str): The words; case and white space are ignored.
    RETURNS (List[Span]): The spans of whole tokens.
    RAISES (ValueError): There are none.
    """
    pattern = r"\s+".join(map(re.escape, words.split()))
    found = re.finditer(pattern, doc.text, re.IGNORECASE) if pattern else ()
    spans = [doc.char_span(*match.span()) for match in found]
    kept = [span for span in spans if span is not None]
    if not kept:
        raise ValueError(Errors.FC166.format(words=words))
    return kept
