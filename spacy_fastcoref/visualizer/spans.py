"""Write a text with its mentions as nested spans, and its clusters as a table."""

from collections import Counter
from itertools import groupby
from operator import attrgetter
from typing import Iterator, List, NamedTuple, Sequence, Tuple

import numpy as np
from spacy.attrs import IDX, LENGTH
from spacy.lang.xx import MultiLanguage

from ..types import Cluster
from .escaping import escape, shorten
from .options import Options
from .palette import get_color, get_underline
from .passage import Mention, Passage
from .stylesheet import MAX_LEVEL

# A longer legend is folded up.
LONG_LEGEND = 30


class _Edge(NamedTuple):
    """Hold one start or end of an element."""

    token: int
    mention: Mention
    is_start: bool
    is_cut: bool


def render_spans(passage: Passage, options: Options) -> str:
    """Write a text with its mentions, and below it a legend of the clusters."""
    legend = render_legend(passage) if options.legend else ""
    return render_text(passage) + legend


def render_text(passage: Passage) -> str:
    """Write a text with its mentions.

    passage (Passage): What is drawn.
    RETURNS (str): The HTML. Without its numbers, its text is that of the Doc.
    """
    edges = list(find_edges(passage.mentions))
    parts, copied = [], 0
    text = passage.text
    for edge, offset in zip(edges, _find_offsets(passage, edges), strict=True):
        parts += [escape(text[copied:offset]), _write_edge(edge)]
        copied = offset
    parts.append(escape(text[copied:]))
    depth = max(1, min(passage.depth, MAX_LEVEL))
    attrs = f"{get_language(passage)}{get_direction(passage)}"
    return f'<div class="coref-text coref-d{depth}"{attrs}>{"".join(parts)}</div>'


def render_legend(passage: Passage) -> str:
    """Write the number, the main mention and the size of each cluster."""
    items = [
        f"<li>{write_mention(passage, number, cluster.mentions[cluster.main])} "
        f'<span class="coref-count">×{len(cluster.mentions)}</span></li>'
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
    rows = "".join(
        _write_row(passage, number, cluster) for number, cluster in passage.clusters
    )
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
    texts = [shorten(passage.get_text(*mention)) for mention in cluster.mentions]
    del texts[cluster.main]
    main = write_mention(passage, number, cluster.mentions[cluster.main])
    # Mentions of the same text once, in the order of the first of them.
    others = "".join(
        f"<li>{escape(text)}{_write_times(n_times)}</li>"
        for text, n_times in Counter(texts).items()
    )
    return (
        f'<tr><th scope="row">{main}</th>'
        f'<td><ul class="coref-others">{others}</ul></td>'
        f'<td class="coref-size">{len(cluster.mentions)}</td></tr>'
    )


def _write_times(n_times: int) -> str:
    return f' <span class="coref-count">×{n_times}</span>' if n_times > 1 else ""


def get_direction(passage: Passage) -> str:
    """Write the attribute for the direction of a text."""
    return f' dir="{"rtl" if passage.is_right_to_left else "ltr"}"'


def get_language(passage: Passage) -> str:
    """Write the attribute for the language of a text."""
    lang = passage.doc.lang_
    # The code of pipelines for any language is that of no language.
    return f' lang="{escape(lang)}"' if lang not in ("", MultiLanguage.lang) else ""


def write_tag(number: int, level: int = 1, attrs: str = "") -> str:
    """Write the start tag of a mention, which ends with "</mark>"."""
    colors = f"coref-c{get_color(number)} coref-u{get_underline(number)}"
    level = min(level, MAX_LEVEL)
    return f'<mark class="coref-mention {colors} coref-l{level}"{attrs}>'


def write_mention(passage: Passage, number: int, mention: Tuple[int, int]) -> str:
    """Write a mention alone, on one line."""
    text = escape(shorten(passage.get_text(*mention)))
    return f"{write_tag(number)}{text}{write_number(number)}</mark>" if number else text


def write_number(number: int) -> str:
    """Write the number of a cluster at the end of a mention."""
    return f'<sub class="coref-number">{number}</sub>'


def _find_offsets(passage: Passage, edges: List[_Edge]) -> List[int]:
    """Find the character in the passage's text that each edge is before."""
    array = passage.doc.to_array([IDX, LENGTH]).astype(np.int64)
    starts, ends = array[:, 0], array.sum(axis=1)
    first = int(starts[passage.start]) if edges else 0
    return [
        # A cut has no gap: the next element of the mention starts where one ends.
        int(starts[e.token] if e.is_start or e.is_cut else ends[e.token - 1]) - first
        for e in edges
    ]


def _write_edge(edge: _Edge) -> str:
    mention = edge.mention
    if edge.is_start:
        attrs = (
            f' data-cluster="{mention.number}" data-start="{mention.start}" '
            f'data-end="{mention.end}"'
        )
        return write_tag(mention.number, mention.level, attrs)
    return "</mark>" if edge.is_cut else f"{write_number(mention.number)}</mark>"


def find_edges(mentions: Sequence[Mention]) -> Iterator[_Edge]:
    """Find the elements of mentions, in the order in which they are written.

    mentions (Sequence[Mention]): The mentions in text order, a mention before those
        that it contains.
    """
    # The open elements. Each ends no later than the one before it.
    stack: List[Mention] = []
    for start, group in groupby(mentions, key=attrgetter("start")):
        while stack and stack[-1].end <= start:
            yield _Edge(stack[-1].end, stack.pop(), False, False)
        new = list(group)
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
