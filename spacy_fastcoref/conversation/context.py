"""Make the Doc in which the mentions of a new turn are linked."""

from itertools import accumulate
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

from spacy.tokens import Doc, Span

from ..span_groups import find_groups, read_group
from ..span_keys import APART, SEEDS, SPEAKERS
from .keys import find_token_keys
from .memory import Excerpt, Memory


class Context(NamedTuple):
    """Hold excerpts of earlier turns and the new turn as one Doc.

    doc (Doc): The Doc.
    excerpts (List[Excerpt]): The excerpts in text order, the new turn last.
    starts (List[int]): The first token of each excerpt in the Doc.
    """

    doc: Doc
    excerpts: List[Excerpt]
    starts: List[int]


def make_context(
    memory: Memory,
    turn: Doc,
    speaker: Optional[str],
    *,
    window: int,
    reminders: int,
) -> Context:
    """Make the context of a new turn.

    memory (Memory): The earlier turns.
    turn (Doc): The new turn.
    speaker (Optional[str]): The new turn's speaker; None if unknown.
    window (int): The number of words before the turn.
    reminders (int): The number of words of mentions from before the window.
    RETURNS (Context): The context. All earlier mentions of one cluster have a
        must-link.
    """
    recent = _find_recent(memory, window)
    first = recent[0] if recent else Excerpt(len(memory), 0, 0)
    remote = _find_reminders(memory, turn, speaker, first, reminders)
    excerpts = [*remote, *recent, Excerpt(len(memory), 0, len(turn))]
    parts = [cut(memory.get_doc(e.turn), e) for e in excerpts[:-1]]
    doc, starts = join([*parts, turn])
    turns = [*(memory.turns[e.turn].doc for e in excerpts[:-1]), turn]
    _copy_speakers(doc, turns, excerpts, starts)
    _set_seeds(doc, memory, excerpts, starts)
    for name in (SEEDS, APART):
        for key in find_groups(turn, name):
            spans = read_group(turn, key)
            moved = [doc[s.start + starts[-1] : s.end + starts[-1]] for s in spans]
            doc.spans[f"{name}_turn_{key}"] = moved
    doc._.coref_scheme = turn._.coref_scheme
    return Context(doc, excerpts, starts)


def _find_recent(memory: Memory, n_words: int) -> List[Excerpt]:
    """Find the last words of the conversation."""
    found: List[Excerpt] = []
    for number in range(len(memory) - 1, -1, -1):
        if not n_words:
            break
        length = memory.turns[number].length
        start = max(length - n_words, 0)
        if length:
            found.append(Excerpt(number, start, length))
        n_words -= length - start
    return found[::-1]


def _find_reminders(
    memory: Memory,
    turn: Doc,
    speaker: Optional[str],
    first: Excerpt,
    n_words: int,
) -> List[Excerpt]:
    """Find mentions from before the window with a word of the new turn, or of its
    speaker."""
    if not n_words:
        return []
    keys = set(find_token_keys(turn, speaker)) & memory.places.keys()
    places = {memory.places[key] for key in keys}
    before = (first.turn, first.start)
    # The latest mentions are the likeliest antecedents.
    remote = sorted((p for p in places if (p.turn, p.start) < before), reverse=True)
    chosen: List[Excerpt] = []
    for place in remote:
        if place.end - place.start <= n_words:
            n_words -= place.end - place.start
            chosen.append(place)
    return merge(chosen)


def merge(excerpts: Iterable[Excerpt]) -> List[Excerpt]:
    """Merge excerpts that overlap.

    excerpts (Iterable[Excerpt]): The excerpts.
    RETURNS (List[Excerpt]): The merged excerpts, in text order.
    """
    merged: List[Excerpt] = []
    for excerpt in sorted(excerpts):
        if merged and excerpt[:2] <= (merged[-1].turn, merged[-1].end):
            last = merged.pop()
            excerpt = last._replace(end=max(last.end, excerpt.end))
        merged.append(excerpt)
    return merged


def cut(doc: Doc, excerpt: Excerpt) -> Doc:
    """Cut an excerpt from its turn.

    doc (Doc): The turn.
    excerpt (Excerpt): The excerpt.
    RETURNS (Doc): The excerpt, or the turn itself if it is the whole turn.
    """
    if (excerpt.start, excerpt.end) == (0, len(doc)):
        return doc
    return doc[excerpt.start : excerpt.end].as_doc()


def join(docs: List[Doc]) -> Tuple[Doc, List[int]]:
    """Join excerpts to one Doc with the annotation of tokens.

    docs (List[Doc]): The excerpts, at least one.
    RETURNS (Tuple[Doc, List[int]]): The Doc, and the first token of each excerpt.
    """
    doc = Doc.from_docs(docs, exclude=["spans", "user_data", "tensor"])
    return doc, [0, *accumulate(map(len, docs[:-1]))]


def _copy_speakers(
    doc: Doc, turns: List[Doc], excerpts: List[Excerpt], starts: List[int]
) -> None:
    spans = []
    for turn, excerpt, offset in zip(turns, excerpts, starts, strict=True):
        for span in read_group(turn, SPEAKERS):
            start, end = max(span.start, excerpt.start), min(span.end, excerpt.end)
            if start < end:
                shift = offset - excerpt.start
                spans.append(Span(doc, start + shift, end + shift, label=span.label))
    if spans:
        doc.spans[SPEAKERS] = spans


def _set_seeds(
    doc: Doc, memory: Memory, excerpts: List[Excerpt], starts: List[int]
) -> None:
    found: Dict[int, List[Span]] = {}
    for (number, first, last), offset in zip(excerpts[:-1], starts, strict=False):
        shift = offset - first
        for (start, end), member in memory.turns[number].members.items():
            if first <= start and end <= last:
                span = doc[start + shift : end + shift]
                found.setdefault(member.number, []).append(span)
    for key, spans in found.items():
        doc.spans[f"{SEEDS}_cluster_{key}"] = spans
