"""Write a text with its mentions as nested spans, and its clusters as a table."""

from collections import Counter
from itertools import groupby
from operator import attrgetter
from typing import Iterator, List, NamedTuple, Sequence

from spacy.lang.xx import MultiLanguage

from ..clusters.index import find_characters
from ..types import Cluster, Offsets
from .escaping import escape, shorten
from .options import Options
from .palette import get_color, get_underline
from .passage import Mention, Passage
from .stylesheet import MAX_LEVEL

# A longer legend is folded up.
LONG_LEGEND = 30
_COUNT = ' <span class="coref-count">×{}</span>'


class _Edge(NamedTuple):
    """Hold the token that a start or end of an element is before."""

    token: int
    mention: Mention
    is_start: bool
    is_cut: bool


def render_spans(passage: Passage, options: Options) -> str:
    """Write a text with its mentions, and below it a legend of the clusters."""
    return render_text(passage) + (_render_legend(passage) if options.legend else "")


def render_text(passage: Passage) -> str:
    """Write a text with its mentions.

    passage (Passage): What is drawn.
    RETURNS (str): The HTML. Without its numbers, its text is that of the Doc.
    """
    parts, copied = [], 0
    doc, text, first = passage.doc, passage.span.text_with_ws, passage.span.start_char
    for edge in find_edges(passage.mentions):
        # A cut has no gap: the next element of the mention starts where one ends.
        if edge.is_start or edge.is_cut:
            offset = doc[edge.token].idx - first
        else:
            offset = find_characters(doc, edge.token - 1, edge.token)[1] - first
        parts += [escape(text[copied:offset]), _write_edge(edge)]
        copied = offset
    parts.append(escape(text[copied:]))
    levels = (mention.level for mention in passage.mentions)
    depth = min(max(levels, default=1), MAX_LEVEL)
    attrs = f"{get_language(passage)}{get_direction(passage)}"
    return f'<div class="coref-text coref-d{depth}"{attrs}>{"".join(parts)}</div>'


def _render_legend(passage: Passage) -> str:
    """Write the number, the main mention and the size of each cluster."""
    items = [
        f"<li>{write_mention(passage, number, cluster.mentions[cluster.main])}"
        f"{_COUNT.format(len(cluster.mentions))}</li>"
        for number, cluster in passage.clusters
    ]
    if not items:
        return '<p class="coref-legend coref-muted">No clusters</p>'
    attrs = f"{get_language(passage)}{get_direction(passage)}"
    listed = f"<ul{attrs}>{''.join(items)}</ul>"
    if len(items) <= LONG_LEGEND:
        return f'<div class="coref-legend">{listed}</div>'
    summary = f"<summary>{len(items)} clusters</summary>"
    return f'<details class="coref-legend">{summary}{listed}</details>'


def render_chains(passage: Passage, options: Options) -> str:
    """Write the main mention of each cluster, its other mentions and their number."""
    rows = "".join(_write_row(passage, *one) for one in passage.clusters)
    if not rows:
        return '<p class="coref-muted">No clusters</p>'
    return (
        f'<table class="coref-table"{get_direction(passage)}>'
        "<caption>Clusters</caption><thead><tr>"
        '<th scope="col">Main mention</th><th scope="col">Other mentions</th>'
        '<th scope="col" class="coref-size">Mentions</th></tr></thead>'
        f"<tbody{get_language(passage)}>{rows}</tbody></table>"
    )


def _write_row(passage: Passage, number: int, cluster: Cluster) -> str:
    texts = [shorten(passage.doc[slice(*m)].text) for m in cluster.mentions]
    del texts[cluster.main]
    main = write_mention(passage, number, cluster.mentions[cluster.main])
    # Mentions of the same text once, in the order of the first of them.
    others = "".join(
        f"<li>{escape(text)}{_COUNT.format(n) if n > 1 else ''}</li>"
        for text, n in Counter(texts).items()
    )
    return (
        f'<tr><th scope="row">{main}</th>'
        f'<td><ul class="coref-others">{others}</ul></td>'
        f'<td class="coref-size">{len(cluster.mentions)}</td></tr>'
    )


def get_direction(passage: Passage) -> str:
    """Write the attribute for the direction of a text."""
    return f' dir="{"rtl" if passage.is_right_to_left else "ltr"}"'


def get_language(passage: Passage) -> str:
    """Write the attribute for the language of a text."""
    lang = passage.doc.lang_
    # The code of pipelines for any language is that of no language.
    return f' lang="{escape(lang)}"' if lang not in ("", MultiLanguage.lang) else ""


def _write_tag(number: int, level: int = 1, attrs: str = "") -> str:
    colors = f"coref-c{get_color(number)} coref-u{get_underline(number)}"
    level = min(level, MAX_LEVEL)
    return f'<mark class="coref-mention {colors} coref-l{level}"{attrs}>'


def write_mention(passage: Passage, number: int, mention: Offsets) -> str:
    """Write a mention alone, on one line."""
    text = escape(shorten(passage.doc[slice(*mention)].text))
    return f"{_write_tag(number)}{text}{_write_end(number)}" if number else text


def _write_end(number: int) -> str:
    return f'<sub class="coref-number">{number}</sub></mark>'


def _write_edge(edge: _Edge) -> str:
    start, end, number, level = edge.mention
    if edge.is_start:
        attrs = f' data-cluster="{number}" data-start="{start}" data-end="{end}"'
        return _write_tag(number, level, attrs)
    return "</mark>" if edge.is_cut else _write_end(number)


def find_edges(mentions: Sequence[Mention]) -> Iterator[_Edge]:
    """Find the elements of mentions, in the order in which they are written."""
    # The open elements. Each ends no later than the one before it.
    stack: List[Mention] = []
    for start, group in groupby(mentions, key=attrgetter("start")):
        while stack and stack[-1].end <= start:
            yield _Edge(stack[-1].end, stack.pop(), False, False)
        new = [*group]
        # What ends inside a new element has to be inside it.
        crossed: List[Mention] = []
        while stack and stack[-1].end < new[0].end:
            crossed.append(stack.pop())
            yield _Edge(start, crossed[-1], False, True)
        opened = [(mention, True) for mention in reversed(crossed)]
        opened += [(mention, False) for mention in new]
        # The sort keeps the order of those that end together.
        for mention, is_cut in sorted(opened, key=lambda one: -one[0].end):
            stack.append(mention)
            yield _Edge(start, mention, True, is_cut)
    while stack:
        yield _Edge(stack[-1].end, stack.pop(), False, False)
