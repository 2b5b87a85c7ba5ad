"""Define the component that finds quotations and their speakers, and its views."""

from bisect import bisect_left
from typing import Any, Dict, List, NamedTuple, Optional

from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup, Token
from wasabi import table

from ..clusters.chains import ClusterView
from ..clusters.index import get_index
from ..span_groups import has_its_tokens, read_group
from ..span_keys import QUOTES
from .attribution import Scene
from .turns import Quote, attribute


class QuoteView(NamedTuple):
    """Show a quotation.

    span (Span): What is said, without the marks.
    speaker (Optional[Span]): The main mention of the speaker's cluster, such as the
        name; the only mention of a speaker in no cluster; None if unknown.
    cluster (Optional[ClusterView]): The speaker's cluster.
    mention (Optional[Span]): The mention beside the quotation, such as "she".
    addressee (Optional[Span]): Who is spoken to, where the text tells.
    cue (Optional[Token]): The verb of the clause beside it, such as "said".
    kind (str): "explicit", "anaphoric", "implicit" or "script".
    score (float): The probability of the speaker.
    """

    span: Span
    speaker: Optional[Span]
    cluster: Optional[ClusterView]
    mention: Optional[Span]
    addressee: Optional[Span]
    cue: Optional[Token]
    kind: str
    score: float

    def to_json(self) -> Dict[str, Any]:
        """Convert to values that JSON has.

        RETURNS (Dict[str, Any]): The character offsets `start` and `end`, the texts,
            and `cluster`, the speaker's number in the order of the clusters.
        """
        shown = {
            name: value and value.text
            for name, value in self._asdict().items()
            if name in ("speaker", "mention", "addressee", "cue")
        }
        return {
            "start": self.span.start_char,
            "end": self.span.end_char,
            "text": self.span.text,
            **shown,
            "cluster": None if self.cluster is None else self.cluster.i,
            "kind": self.kind,
            "score": round(self.score, 3),
        }


def annotate_quotes(doc: Doc) -> Doc:
    """Find the quotations of a document and who says them, by clusters that it has."""
    found = attribute(Scene(doc))
    spans = [Span(doc, *quote.span) for quote in found]
    attrs = {name: [getattr(q, name) for q in found] for name in Quote._fields[1:]}
    doc.spans[QUOTES] = SpanGroup(doc, name=QUOTES, attrs=attrs, spans=spans)
    return doc


@Language.factory(
    "coref_quotes", requires=["doc.spans"], assigns=["doc.spans", "span._.speaker"]
)
def make_quotes(nlp: Language, name: str) -> Any:
    """Construct a component that finds quotations and their speakers.

    RETURNS (Callable[[Doc], Doc]): The component, to be added after coreference.
    """
    return annotate_quotes


def get_quotes(doc: Doc) -> List[QuoteView]:
    """Get the quotations of a document.

    RETURNS (List[QuoteView]): The quotations in text order; none if the component has
        not read the document.
    RAISES (ValueError): The document was retokenised after that.
    """
    return [_view(span, i) for i, span in enumerate(read_group(doc, QUOTES))]


def get_quote(span: Span) -> Optional[QuoteView]:
    """Get the quotation that a span is."""
    group = span.doc.spans.get(QUOTES, ())
    key = (span.start, span.end)
    i = bisect_left(group, key, key=lambda one: (one.start, one.end))
    is_found = i < len(group) and (group[i].start, group[i].end) == key
    return _view(span, i) if is_found and has_its_tokens(group[i]) else None


def get_speaker(span: Span) -> Optional[Span]:
    """Get the main mention of who says a quotation; None if unknown."""
    quote = get_quote(span)
    return None if quote is None else quote.speaker


def _view(span: Span, i: int) -> QuoteView:
    doc, index = span.doc, get_index(span.doc)
    stored = {name: values[i] for name, values in doc.spans[QUOTES].attrs.items()}
    offsets, told, cue = (stored[name] for name in ("speaker", "addressee", "cue"))
    mention, heard = (doc[slice(*one)] if one else None for one in (offsets, told))
    numbers = (stored["cluster"], *index.by_span.get(tuple(told), (-1,))[:1])
    cluster, other = (
        ClusterView(doc, n, index.clusters[n]) if -1 < n < len(index.clusters) else None
        for n in numbers
    )
    speaker = cluster.main if cluster else mention
    addressee = other.main if other else heard
    verb = doc[cue] if cue >= 0 else None
    rest = stored["kind"], stored["score"]
    return QuoteView(span, speaker, cluster, mention, addressee, verb, *rest)


def format_quotes(doc: Doc) -> str:
    """Format the quotations of a document as a table.

    RETURNS (str): The table: who speaks to whom, how sure that is, and what is said.
    """
    rows = [
        (
            quote.speaker.text if quote.speaker else "?",
            quote.addressee.text if quote.addressee else "",
            quote.kind,
            f"{quote.score:.2f}",
            " ".join(quote.span.text.split()),
        )
        for quote in get_quotes(doc)
    ]
    header = ("speaker", "to", "kind", "score", "quotation")
    return table(rows, header=header, divider=True, max_col=60)
