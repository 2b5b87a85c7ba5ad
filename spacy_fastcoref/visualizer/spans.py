"""Write a text with its mentions as nested spans, and its clusters as a table."""

from collections import Counter
from itertools import groupby
from operator import attrgetter
from typing import Iterator, List, Sequence, Tuple

from ..clusters.index import find_characters
from .passage import Mention, Passage
from .stylesheet import MAX_LEVEL
from .templates import fill


def render_spans(passage: Passage) -> str:
    """Write a text with its mentions, and below it a legend of the clusters."""
    has_legend = passage.options.legend
    legend = fill("legend.html", passage=passage) if has_legend else ""
    return render_text(passage) + legend


def render_text(passage: Passage) -> str:
    """Write a text with its mentions.

    passage (Passage): What is drawn.
    RETURNS (str): The HTML. Without its numbers, its text is that of the Doc.
    """
    parts, copied = [], 0
    doc, text, first = passage.doc, passage.span.text_with_ws, passage.span.start_char
    for token, (*place, level), kind in find_edges(passage.mentions):
        if kind == "end":
            offset = find_characters(doc, token - 1, token)[1] - first
        else:
            # A cut has no gap: the next element of the mention starts where one ends.
            offset = doc[token].idx - first
        parts.append((text[copied:offset], kind, *place, min(level, MAX_LEVEL)))
        copied = offset
    levels = (mention.level for mention in passage.mentions)
    depth = min(max(levels, default=1), MAX_LEVEL)
    rest = text[copied:]
    return fill("text.html", passage=passage, parts=parts, rest=rest, depth=depth)


def render_chains(passage: Passage) -> str:
    """Write the main mention of each cluster, its other mentions and their number."""
    rows = []
    for number, cluster in passage.clusters:
        texts = [*map(passage.shorten, cluster.mentions)]
        del texts[cluster.main]
        # Mentions of the same text once, in the order of the first of them.
        rows.append((number, cluster, Counter(texts)))
    return fill("chains.html", passage=passage, rows=rows)


def find_edges(mentions: Sequence[Mention]) -> Iterator[Tuple[int, Mention, str]]:
    """Find the edges of elements in text order, each with the token after it: "start",
    "end", or "cut" where the next element of the mention starts."""
    # The open elements. Each ends no later than the one before it.
    stack: List[Mention] = []
    for start, group in groupby(mentions, key=attrgetter("start")):
        while stack and stack[-1].end <= start:
            yield stack[-1].end, stack.pop(), "end"
        new = [*group]
        end = new[0].end
        # What ends inside a new element has to be inside it.
        while stack and stack[-1].end < end:
            new.insert(0, stack.pop())
            yield start, new[0], "cut"
        # The sort keeps the order of those that end together.
        for mention in sorted(new, key=lambda one: -one.end):
            stack.append(mention)
            yield start, mention, "start"
    while stack:
        yield stack[-1].end, stack.pop(), "end"
