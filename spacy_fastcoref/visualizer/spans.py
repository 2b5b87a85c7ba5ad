"""Write a text as HTML, with its mentions as coloured, numbered, nested spans."""

from typing import List

import numpy as np
from spacy.attrs import IDX, LENGTH
from spacy.lang.xx import MultiLanguage

from .escaping import escape, shorten
from .fragments import Edge, find_edges
from .options import Options
from .palette import get_color, get_underline
from .passage import Passage
from .stylesheet import MAX_LEVEL

# A longer legend is folded up.
LONG_LEGEND = 30


def render_spans(passage: Passage, options: Options) -> str:
    """Write a text with its mentions, and below it a legend of the clusters.

    passage (Passage): What is drawn.
    options (Options): The options; `legend` is read.
    RETURNS (str): The HTML, without a style sheet.
    """
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
    """Write the number, the main mention and the size of each cluster.

    passage (Passage): What is drawn.
    RETURNS (str): The HTML.
    """
    items = []
    for number, cluster in passage.clusters:
        main = shorten(passage.get_text(*cluster.mentions[cluster.main]))
        size = len(cluster.mentions)
        items.append(
            f"<li>{write_tag(number)}{escape(main)}{write_number(number)}</mark> "
            f'<span class="coref-count">×{size}</span></li>'
        )
    if not items:
        return '<p class="coref-legend coref-muted">No clusters</p>'
    attrs = f"{get_language(passage)}{get_direction(passage)}"
    listed = f"<ul{attrs}>{''.join(items)}</ul>"
    if len(items) <= LONG_LEGEND:
        return f'<div class="coref-legend">{listed}</div>'
    summary = f"<summary>{len(items)} clusters</summary>"
    return f'<details class="coref-legend">{summary}{listed}</details>'


def get_direction(passage: Passage) -> str:
    """Write the attribute for the direction of a text.

    passage (Passage): What is drawn.
    RETURNS (str): The attribute, after a space.
    """
    return f' dir="{"rtl" if passage.is_right_to_left else "ltr"}"'


def get_language(passage: Passage) -> str:
    """Write the attribute for the language of a text.

    passage (Passage): What is drawn.
    RETURNS (str): The attribute, after a space; empty if the language is not known.
    """
    lang = passage.doc.lang_
    # The code of pipelines for any language is that of no language.
    return f' lang="{escape(lang)}"' if lang not in ("", MultiLanguage.lang) else ""


def write_tag(number: int, level: int = 1, attrs: str = "") -> str:
    """Write the start tag of a mention, which ends with "</mark>".

    number (int): The number of its cluster.
    level (int): The level of its underline, from 1.
    attrs (str): More attributes, after a space.
    RETURNS (str): The tag.
    """
    colors = f"coref-c{get_color(number)} coref-u{get_underline(number)}"
    level = min(level, MAX_LEVEL)
    return f'<mark class="coref-mention {colors} coref-l{level}"{attrs}>'


def write_number(number: int) -> str:
    """Write the number of a cluster at the end of a mention.

    number (int): The number.
    RETURNS (str): The HTML.
    """
    return f'<sub class="coref-number">{number}</sub>'


def _find_offsets(passage: Passage, edges: List[Edge]) -> List[int]:
    """Find the character in the passage's text that each edge is before."""
    array = passage.doc.to_array([IDX, LENGTH]).astype(np.int64)
    starts, ends = array[:, 0], array.sum(axis=1)
    first = int(starts[passage.start]) if edges else 0
    return [
        # A cut has no gap: the next element of the mention starts where one ends.
        int(starts[e.token] if e.is_start or e.is_cut else ends[e.token - 1]) - first
        for e in edges
    ]


def _write_edge(edge: Edge) -> str:
    mention = edge.mention
    if edge.is_start:
        attrs = (
            f' data-cluster="{mention.number}" data-start="{mention.start}" '
            f'data-end="{mention.end}"'
        )
        return write_tag(mention.number, mention.level, attrs)
    return "</mark>" if edge.is_cut else f"{write_number(mention.number)}</mark>"
