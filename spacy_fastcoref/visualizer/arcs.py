"""Draw the links of mentions as arcs above the text."""

import math
from collections import defaultdict
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..types import Offsets
from .passage import Passage, find_levels
from .svg import ASCENT, MARGIN, Layout, Segment, draw, get_look, lay_out, write_text
from .templates import escape, fill

# The distance of arcs above each other, and of the lowest from the letters.
STEP = 17
_FIRST = 14
_RADIUS = 6
# The width of a letter of a label, and of the columns in which arcs find their level.
_LETTER = 6.6
_COLUMN = 4
# A point of an arrow, where an arc is cut.
_CUT = "m{0} -4l{1} 4l{0} 4m{1} -4"
_SIGNS = {"forbidden": "✗", "doubtful": "?"}


class Link(NamedTuple):
    """Hold a link that was made, or one that rules kept from being made.

    verdict (str): "allowed", "doubtful" or "forbidden"; "" if nobody asked the rules.
    rules, reasons (Sequence[str]): Those that object or make the link, and why.
    """

    mention: Offsets
    antecedent: Offsets
    score: Optional[float]
    verdict: str = ""
    rules: Sequence[str] = ()
    reasons: Sequence[str] = ()
    is_chosen: bool = True

    @property
    def shown_score(self) -> str:
        """Get the score as it is printed by `explain`."""
        return "" if self.score is None else f"{self.score:.1f}".replace("-", "−")


def find_links(passage: Passage) -> List[Link]:
    """Find the links inside a passage, in text order; what was made comes before what
    the component's model prefers and its rules object to."""
    has_component = passage.options.component is not None
    source = _explain(passage) if has_component else _read_links(passage)
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


def _explain(passage: Passage) -> Iterator[Link]:
    known, options = passage.numbers, passage.options
    for explanation in options.component.explain_all(passage.doc):
        mention = (explanation.mention.start, explanation.mention.end)
        if options.clusters is not None and mention not in known:
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
        parts = [before, link.shown_score, sign, *link.rules]
        return " ".join(filter(None, parts))


def render_links(passage: Passage) -> str:
    """Draw a text with an arc for each link, and below it a table of the links."""
    links = find_links(passage)
    picture = _draw(passage, links) if links else ""
    return fill("links.html", passage=passage, links=links, picture=picture)


def render_links_svg(passage: Passage) -> str:
    """Draw a text with an arc for each link."""
    return _draw(passage, find_links(passage))


def _draw(passage: Passage, links: List[Link]) -> str:
    passage = passage.add_mentions(end for link in links for end in link[:2])
    layout = lay_out(passage, passage.options.width)
    arcs = find_arcs(layout, links)
    levels = place_arcs(arcs, layout.width)
    above: Dict[int, float] = defaultdict(float)
    for arc, level in zip(arcs, levels, strict=True):
        above[arc.line] = max(above[arc.line], _FIRST + level * STEP)
    baselines, numbers = layout.find_baselines(above), passage.numbers
    drawn = []
    for arc, level in zip(arcs, levels, strict=True):
        number, foot = numbers[arc.link.mention], baselines[arc.line] - ASCENT
        drawn.append(_draw_arc(passage, layout, arc, number, foot, level))
    # A label is drawn over all arcs.
    more = [part for parts in zip(*drawn, strict=True) for part in parts]
    return draw(passage, layout, baselines, "Text with coreference links", more)


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


def _draw_arc(
    passage: Passage, layout: Layout, arc: _Arc, number: int, foot: float, level: int
) -> Tuple[str, str]:
    """Draw an arc from above the letters, and its label."""
    link, theme = arc.link, passage.theme
    top = foot - _FIRST + 4 - level * STEP
    start, end = layout.get_x(arc.start), layout.get_x(arc.end)
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
    name, _, color = get_look(theme, number if link.is_chosen else 0)
    dashes = "8 3" if link.verdict == "doubtful" else ""
    if not (link.is_chosen and number):
        dashes = "1.5 3"
        if link.verdict == "forbidden" or link.rules:
            name, color, dashes = "coref-bad", theme.bad, "4 3"
    dashes = dashes and f' stroke-dasharray="{dashes}"'
    drawn = (
        f"<g><title>{escape(_describe(passage, link))}</title>"
        f'<path class="coref-stroke {name}" d="{outline}" fill="none" '
        f'stroke="{color}" stroke-width="1.5"{dashes}/>'
    )
    if arc.has_start:
        # An arrow, to the antecedent.
        drawn += f'<path class="coref-ink {name}" fill="{color}" '
        drawn += f'd="M{start:.1f} {foot + 1:.1f}l-3.5 -7h7z"/>'
    width = len(arc.label) * _LETTER
    x = max((start + end) / 2, width / 2 + 4)
    x = min(x, layout.width + 2 * MARGIN - width / 2 - 4)
    look = f'class="coref-ink {name}" fill="{color}" font-size="11" direction="ltr"'
    label = (
        f'<rect class="coref-page" x="{x - width / 2 - 2:.1f}" y="{top - 6:.1f}" '
        f'width="{width + 4:.1f}" height="12" fill="{theme.page}"/>'
    ) + write_text(arc.label, x, top + 4, width, look)
    return f"{drawn}</g>", label if arc.label else ""


def _describe(passage: Passage, link: Link) -> str:
    mention, antecedent = (passage.doc[slice(*one)].text for one in link[:2])
    sign = "→" if link.is_chosen else "↛"
    facts = filter(None, [link.shown_score, link.verdict, *link.reasons])
    return f"{mention} {sign} {antecedent}: {'; '.join(facts)}"
