"""Replace spans of a Doc with other words, and keep the annotation around them."""

from typing import Iterable, List, NamedTuple, Optional, Tuple

from spacy.tokens import Doc, Span, SpanGroup


class Edit(NamedTuple):
    """Hold a span to replace, and the new words.

    start, end (int): The token offsets of the span.
    words (List[str]): The new words.
    spaces (List[bool]): Whether a space follows each new word. The last value is not
        used: the last word keeps the white space of the span.
    """

    start: int
    end: int
    words: List[str]
    spaces: List[bool]


def edit_doc(doc: Doc, edits: Iterable[Edit]) -> Doc:
    """Copy a Doc, and replace some of its spans.

    The copy keeps sentences and SpanGroups. It drops spans that start or end inside a
    replaced span.

    doc (Doc): The document. Its tags and parse are not copied, since they would not fit
        the new words.
    edits (Iterable[Edit]): The spans to replace, which must not overlap.
    RETURNS (Doc): The new document.
    """
    words, spaces, starts = [], [], []
    # The new offset of each old offset; None for offsets inside a replaced span.
    places: List[Optional[int]] = []
    position = 0
    for edit in sorted(edits):
        _copy(doc, position, edit.start, words, spaces, starts, places)
        places.extend([len(words), *[None] * (edit.end - edit.start - 1)])
        is_start = bool(doc[edit.start].is_sent_start)
        words.extend(edit.words)
        spaces.extend([*edit.spaces[:-1], bool(doc[edit.end - 1].whitespace_)])
        starts.extend([is_start, *[False] * (len(edit.words) - 1)])
        position = edit.end
    _copy(doc, position, len(doc), words, spaces, starts, places)
    places.append(len(words))
    has_sentences = doc.has_annotation("SENT_START")
    new = Doc(
        doc.vocab,
        words=words,
        spaces=spaces,
        sent_starts=starts if has_sentences else None,
    )
    for key, group in doc.spans.items():
        new.spans[key] = _move_group(new, group, places)
    new._.coref_scheme = doc._.coref_scheme
    return new


def _copy(
    doc: Doc,
    start: int,
    end: int,
    words: List[str],
    spaces: List[bool],
    starts: List[bool],
    places: List[Optional[int]],
) -> None:
    places.extend(range(len(words), len(words) + end - start))
    for token in doc[start:end]:
        words.append(token.text)
        spaces.append(bool(token.whitespace_))
        starts.append(bool(token.is_sent_start))


def _move_group(new: Doc, group: SpanGroup, places: List[Optional[int]]) -> SpanGroup:
    found: List[Tuple[int, Span]] = []
    for i, span in enumerate(group):
        start, end = places[span.start], places[span.end]
        if start is not None and end is not None:
            found.append((i, Span(new, start, end, label=span.label)))
    kept = {i for i, _ in found}
    attrs = dict(group.attrs)
    if len(kept) < len(group):
        # The attrs have one value for each span, and would no longer fit.
        attrs = {}
    spans = [span for _, span in found]
    return SpanGroup(new, name=group.name, attrs=attrs, spans=spans)
