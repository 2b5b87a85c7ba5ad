"""Draw the links of mentions as arcs above the text."""

import math
from collections import defaultdict
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..types import Offsets
from .escaping import escape
from .options import Options
from .palette import get_color
from .passage import Passage, find_levels
from .spans import get_direction, get_language, write_mention
from .svg import ASCENT, MARGIN, Canvas, Layout, Segment, lay_out

# The distance of arcs above each other, and of the lowest from the letters.
STEP = 17
_FIRST = 14
_RADIUS = 6
# The width of a letter of a label, and of the columns in which arcs find their level.
_LETTER = 6.6
_COLUMN = 4
# A point of an arrow, where an arc is cut.
_CUT = "m{0} -4l{1} 4l{0} 4m{1} -4"
# A longer table is folded up.
LONG_TABLE = 30
_SIGNS = {"forbidden": "✗", "doubtful": "?"}


class Link(NamedTuple):
    """Hold a link that was made, or one that rules kept from being made.

    score (Optional[float]): The log-odds of the link; None if it is not known.
    verdict (str): What rules say: "allowed", "doubtful" or "forbidden"; "" if nobody
        asked them.
    rules, reasons (Sequence[str]): The rules that object, or that make the link, and
        what these say.
    """

    mention: Offsets
    antecedent: Offsets
    score: Optional[float]
    verdict: str = ""
    rules: Sequence[str] = ()
    reasons: Sequence[str] = ()
    is_chosen: bool = True


def find_links(passage: Passage, component: Any) -> List[Link]:
    """Find the links inside a passage, in text order; what was made comes first.

    component (Optional[FastCoref]): The component that made the clusters, to list as
        well the links that its model prefers and its rules object to, and what rules
        say about all of them; None for the links that are stored.
    """
    source = _read_links(passage) if component is None else _explain(passage, component)
    first, last = passage.span.start, passage.span.end
    links = [
        link for link in source if all(first <= a and z <= last for a, z in link[:2])
    ]
    return sorted(links, key=lambda link: (link.mention, not link.is_chosen))


def _read_links(passage: Passage) -> Iterator[Link]:
    for _, cluster in passage.clusters:
        for i, antecedent in enumerate(cluster.antecedents):
            if antecedent >= 0:
                score = cluster.scores[i] if cluster.scores else None
                yield Link(cluster.mentions[i], cluster.mentions[antecedent], score)


def _explain(passage: Passage, component: Any) -> Iterator[Link]:
    known = passage.numbers
    for explanation in component.explain_all(passage.doc):
        mention = (explanation.mention.start, explanation.mention.end)
        if passage.is_partial and mention not in known:
            continue
        # What a link has to score to be preferred to the one that was made, if any. The
        # score of a pair that the model did not score is NaN.
        made = [one.score for one in explanation.candidates if one.is_chosen]
        best = max([*made, explanation.threshold])
        for one in explanation.candidates:
            is_opposed = one.rules or one.verdict != "allowed"
            if one.is_chosen or (is_opposed and one.score > best):
                yield Link(
                    mention,
                    (one.mention.start, one.mention.end),
                    None if math.isnan(one.score) else one.score,
                    one.verdict,
                    one.rules,
                    one.reasons,
                    one.is_chosen,
                )


def _render_table(passage: Passage, links: List[Link]) -> str:
    """Write links as a table."""
    numbers = passage.numbers
    is_scored = any(link.score is not None for link in links)
    is_judged = any(link.verdict for link in links)
    names = ["Mention", "Antecedent"]
    names += ["Score"] if is_scored else []
    names += ["Linked", "Verdict", "Reasons"] if is_judged else []
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    rows = []
    for link in links:
        mention, *cells = (
            write_mention(passage, numbers.get(one, 0), one) for one in link[:2]
        )
        if is_scored:
            cells.append(format_score(link.score))
        if is_judged:
            cells.append("yes" if link.is_chosen else "no")
            cells += [link.verdict, escape("; ".join(link.reasons))]
        rows.append(
            f'<tr><th scope="row">{mention}</th>'
            f"{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        )
    table = (
        '<div class="coref-scroll" tabindex="0" role="region" aria-label="Table of '
        f'links"><table class="coref-table"{get_direction(passage)}>'
        f"<thead><tr>{head}</tr></thead><tbody{get_language(passage)}>"
        f"{''.join(rows)}</tbody></table></div>"
    )
    is_open = "" if len(links) > LONG_TABLE else ' open=""'
    summary = f"<summary>Links: {len(links)}</summary>"
    return f'<details class="coref-links"{is_open}>{summary}{table}</details>'


def format_score(score: Optional[float]) -> str:
    """Format a score as it is printed by `explain`."""
    return "" if score is None else f"{score:.1f}".replace("-", "−")


class _Arc(NamedTuple):
    """Hold an arc, or the part of one that is in one line."""

    link: Link
    line: int
    start: float
    end: float
    has_start: bool
    has_end: bool
    sign: str = ""

    @property
    def label(self) -> str:
        """Get the score of the link, and the rules that object to it or make it."""
        if not self.has_end:
            return f"{self.sign} …"
        link, before = self.link, self.sign and f"… {self.sign}"
        is_refused = bool(link.rules) and not link.is_chosen
        sign = _SIGNS.get(link.verdict, "✗" * is_refused)
        parts = [before, format_score(link.score), sign, *link.rules]
        return " ".join(filter(None, parts))


def render_links(passage: Passage, options: Options) -> str:
    """Draw a text with an arc for each link, and below it a table of the links."""
    links = find_links(passage, options.component)
    if not links:
        return '<p class="coref-muted">No links</p>'
    return (
        '<div class="coref-scroll" tabindex="0" role="region" aria-label="Links">'
        f"{_draw(passage, links, options)}</div>{_render_table(passage, links)}"
    )


def render_links_svg(passage: Passage, options: Options) -> str:
    """Draw a text with an arc for each link."""
    return _draw(passage, find_links(passage, options.component), options)


def _draw(passage: Passage, links: List[Link], options: Options) -> str:
    passage = passage.add_mentions(end for link in links for end in link[:2])
    layout = lay_out(passage, options.width)
    arcs = find_arcs(layout, links)
    levels = place_arcs(arcs, layout.width)
    above: Dict[int, float] = defaultdict(float)
    for arc, level in zip(arcs, levels, strict=True):
        above[arc.line] = max(above[arc.line], _FIRST + level * STEP)
    canvas = Canvas(passage, options, layout, above)
    labels = []
    for arc, level in zip(arcs, levels, strict=True):
        drawn, label = _draw_arc(canvas, arc, level)
        canvas.more.append(drawn)
        labels.append(label)
    # A label is drawn over all arcs.
    canvas.more += labels
    return canvas.write("Text with coreference links")


def find_arcs(layout: Layout, links: List[Link]) -> List[_Arc]:
    """Find the arcs of links, two for a link from one line to another."""
    segments: Dict[Offsets, Segment] = {}
    for segment in layout.segments:
        # An arc starts where its mention does.
        segments.setdefault(segment.mention[:2], segment)
    # A mention of white space alone has no place.
    links = [link for link in links if segments.keys() >= {*link[:2]}]
    ports = _find_ports(segments, links)
    arcs, n_cut = [], 0
    for i, link in enumerate(links):
        first, last = segments[link.antecedent].line, segments[link.mention].line
        start, end = ports[i, link.antecedent], ports[i, link.mention]
        if first == last:
            arcs.append(_Arc(link, first, start, end, True, True))
        else:
            # The letters of an arc that is cut: a to z, then aa to zz.
            sign = chr(ord("a") + n_cut % 26) * (1 + n_cut // 26)
            n_cut += 1
            arcs.append(_Arc(link, first, start, layout.width, True, False, sign))
            arcs.append(_Arc(link, last, 0.0, end, False, True, sign))
    return arcs


def _find_ports(
    segments: Dict[Offsets, Segment], links: List[Link]
) -> Dict[Tuple[int, Offsets], float]:
    """Find where each link meets its mentions: side by side, so that none cross."""
    meeting: Dict[Offsets, List[Tuple[int, Offsets]]] = defaultdict(list)
    for i, link in enumerate(links):
        meeting[link.mention].append((i, link.antecedent))
        meeting[link.antecedent].append((i, link.mention))
    ports = {}
    for mention, others in meeting.items():
        segment = segments[mention]
        # Those that come from before, the nearest first; then those that go on, the
        # farthest first.
        others.sort(key=lambda one: (one[1] > mention, [-i for i in one[1]]))
        width = segment.end - segment.x
        for place, (i, _) in enumerate(others, start=1):
            ports[i, mention] = segment.x + width * place / (len(others) + 1)
    return ports


def place_arcs(arcs: List[_Arc], width: float) -> List[int]:
    """Find how high each arc is, so that none is drawn over another one."""
    n_columns = int(width / _COLUMN) + 2
    columns = []
    for arc in arcs:
        # What the arc and its label cover.
        middle, half = (arc.start + arc.end) / 2, len(arc.label) * _LETTER / 2
        left, right = min(arc.start, middle - half), max(arc.end, middle + half)
        first = min(max(0, int(left / _COLUMN)), n_columns - 1)
        last = min(max(first, int(right / _COLUMN)), n_columns - 1)
        begin = arc.line * n_columns
        columns.append((begin + first, begin + last + 1))
    size = n_columns * (1 + max((arc.line for arc in arcs), default=0))
    return find_levels(columns, size, [arc.end - arc.start for arc in arcs])


def _draw_arc(canvas: Canvas, arc: _Arc, level: int) -> Tuple[str, str]:
    link = arc.link
    foot = canvas.baselines[arc.line] - ASCENT
    top = foot - _FIRST + 4 - level * STEP
    start, end = canvas.get_x(arc.start), canvas.get_x(arc.end)
    # The edge of the picture, where an arc goes on in another line.
    edge = MARGIN - 8
    side = 1 if end >= start else -1
    radius = min(_RADIUS, abs(end - start) / 2)
    bend = side * radius
    cut = _CUT.format(side * -4, side * 4)
    outline = f"M{start - side * edge:.1f} {top:.1f}{cut}"
    if arc.has_start:
        outline = f"M{start:.1f} {foot:.1f}V{top + radius:.1f}q0 {-radius:.1f}"
        outline += f" {bend:.1f} {-radius:.1f}"
    if arc.has_end:
        outline += f"H{end - bend:.1f}q{bend:.1f} 0 {bend:.1f} {radius:.1f}V{foot:.1f}"
    else:
        outline += f"H{end + side * edge:.1f}{cut}"
    color, name, dashes = _get_look(canvas, link)
    parts = [
        f"<title>{escape(_describe(canvas.passage, link))}</title>",
        f'<path class="coref-stroke {name}" d="{outline}" fill="none" '
        f'stroke="{color}" stroke-width="1.5"{dashes}/>',
    ]
    if arc.has_start:
        # An arrow, to the antecedent.
        parts.append(
            f'<path class="coref-ink {name}" fill="{color}" '
            f'd="M{start:.1f} {foot + 1:.1f}l-3.5 -7h7z"/>'
        )
    label = ""
    if arc.label:
        width = len(arc.label) * _LETTER
        x = max((start + end) / 2, width / 2 + 4)
        x = min(x, canvas.width - width / 2 - 4)
        look = f'class="coref-ink {name}" fill="{color}" font-size="11" direction="ltr"'
        label = (
            f'<rect class="coref-page" x="{x - width / 2 - 2:.1f}" y="{top - 6:.1f}" '
            f'width="{width + 4:.1f}" height="12" fill="{canvas.colors.page}"/>'
        ) + canvas.write_text(arc.label, x, top + 4, width, look)
    return f"<g>{''.join(parts)}</g>", label


def _get_look(canvas: Canvas, link: Link) -> Tuple[str, str, str]:
    """Get the colour, the class and the dashes of a link."""
    number = canvas.numbers[link.mention]
    if link.is_chosen and number:
        color = get_color(number)
        dashes = ' stroke-dasharray="8 3"' if link.verdict == "doubtful" else ""
        return canvas.clusters[color].line, f"coref-c{color}", dashes
    if link.verdict == "forbidden" or link.rules:
        return canvas.colors.bad, "coref-bad", ' stroke-dasharray="4 3"'
    return canvas.colors.muted, "coref-muted", ' stroke-dasharray="1.5 3"'


def _describe(passage: Passage, link: Link) -> str:
    mention, antecedent = (passage.doc[slice(*one)].text for one in link[:2])
    sign = "→" if link.is_chosen else "↛"
    facts = filter(None, [format_score(link.score), link.verdict, *link.reasons])
    return f"{mention} {sign} {antecedent}: {'; '.join(facts)}"
