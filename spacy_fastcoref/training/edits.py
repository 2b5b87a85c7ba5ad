"""Replace spans of a Doc by other words, and keep the rest of it."""

from typing import List, Mapping, Sequence, Tuple

from spacy.tokens import Doc, Span, SpanGroup

from ..types import Offsets
from .readers.examples import copy_annotation

_KEPT = ("TAG", "POS", "MORPH", "ENT_IOB", "ENT_TYPE")
Edits = Mapping[Offsets, Sequence[str]]


def edit_words(doc: Doc, edits: Edits) -> Tuple[List[str], List[bool], List[int]]:
    """Replace spans: list the words, whether a space follows each, and the new place of
    each token and of the end, -1 within a replaced span.

    The last of the new words keeps the white space of the span; a space follows each of
    the others, but not before a comma.
    """
    words: List[str] = []
    spaces: List[bool] = []
    places: List[int] = []
    by_start = {start: (end, new) for (start, end), new in edits.items()}
    end = 0
    for token in doc:
        if token.i < end:
            places.append(-1)
            continue
        places.append(len(words))
        end, new = by_start.get(token.i, (token.i + 1, [token.text]))
        words += new
        spaces += [word != "," for word in new[1:]]
        spaces.append(bool(doc[end - 1].whitespace_))
    return words, spaces, [*places, len(words)]


def edit_doc(doc: Doc, edits: Edits) -> Doc:
    """Copy a Doc, and replace some of its spans.

    The copy keeps sentences, and SpanGroups without the spans that start or end inside
    a replaced span. It keeps tags and the parse only where words are replaced by words.
    """
    words, spaces, places = edit_words(doc, edits)
    new = Doc(doc.vocab, words=words, spaces=spaces)
    if all(len(one) == end - start == 1 for (start, end), one in edits.items()):
        copy_annotation(doc, new, _KEPT)
    elif doc.has_annotation("SENT_START"):
        starts = {places[token.i] for token in doc if token.is_sent_start}
        for token in new:
            token.is_sent_start = token.i in starts
    for key, group in doc.spans.items():
        moved = [(places[span.start], places[span.end], span.label) for span in group]
        spans = [Span(new, a, z, label=label) for a, z, label in moved if a >= 0 <= z]
        # The attrs have one value for each span.
        attrs = dict(group.attrs) if len(spans) == len(group) else {}
        new.spans[key] = SpanGroup(new, name=key, attrs=attrs, spans=spans)
    new._.coref_scheme = doc._.coref_scheme
    return new
