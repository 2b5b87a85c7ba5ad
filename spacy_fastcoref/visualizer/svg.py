"""Draw a text with its mentions as SVG, for a paper or a web page."""

import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from spacy.tokens import Span, Token

from .palette import Theme, get_color, get_underline
from .passage import Mention, Passage
from .stylesheet import STEP
from .templates import escape

# The width of a letter at 16 pixels in the monospaced fonts of all systems, and that of
# a digit of a number.
LETTER = 9.6
DIGIT = 7.0
_WIDE = frozenset("WF")
_WITHOUT_WIDTH = frozenset(("Mn", "Me", "Cf"))
MARGIN = 16
# The letters' height above the baseline, and what is below it before the underlines.
ASCENT = 16
DESCENT = 4
_GAP = 12
# Each of UNDERLINES as lines: how far each is from the middle, how thick, its dashes.
_STROKES: Sequence[Sequence[Tuple[float, float, str]]] = (
    [(0, 2.5, "")],
    [(0, 2.5, ' stroke-dasharray="7 3"')],
    [(-1.4, 1, ""), (1.4, 1, "")],
    [(0, 2.5, ' stroke-dasharray="2.5 2.5"')],
)


class Words(NamedTuple):
    """Hold the place of the tokens of a line between two ends of mentions."""

    text: str
    line: int
    x: float
    width: float


class Segment(NamedTuple):
    """Hold the part of a mention in a line, from `x` to after all numbers at its `end`,
    and where its own number starts; None if it goes on in another line."""

    mention: Mention
    line: int
    x: float
    end: float
    number_x: Optional[float]


@dataclass
class Layout:
    """Hold the places of all tokens but white space, and of the parts of mentions."""

    is_mirrored: bool
    words: List[Words] = field(default_factory=list)
    segments: List[Segment] = field(default_factory=list)
    n_lines: int = 1
    width: float = 0.0

    def get_x(self, x: float) -> float:
        """Get the place in the picture, which is mirrored for text from the right."""
        return MARGIN + (self.width - x if self.is_mirrored else x)

    def find_baselines(self, above: Dict[int, float]) -> List[float]:
        """Find the baseline of each line, given the place `above` some of them, and of
        one that would be below."""
        depths = [0] * self.n_lines
        for segment in self.segments:
            depths[segment.line] = max(depths[segment.line], segment.mention.level)
        baselines, y = [], float(MARGIN)
        for line, depth in enumerate(depths):
            baselines.append(y + above.get(line, 0.0) + ASCENT)
            y = baselines[-1] + DESCENT + depth * STEP + _GAP
        return [*baselines, y + ASCENT]


def lay_out(passage: Passage, n_letters: int) -> Layout:
    """Break a text into lines."""
    ends: Dict[int, List[Mention]] = defaultdict(list)
    # What is inside ends first.
    for mention in sorted(passage.mentions, key=attrgetter("level")):
        words = [i for i in range(*mention[:2]) if not passage.doc[i].is_space]
        ends[words[-1] if words else mention.start].append(mention)
    # Words between these are drawn as one, so that a browser finds their direction.
    borders = {mention.start for mention in passage.mentions} | {i + 1 for i in ends}
    layout = Layout(passage.direction == "rtl")
    # The line, the start and the end of each token, and where each number starts.
    places: Dict[int, Tuple[int, float, float]] = {}
    numbers: Dict[Mention, float] = {}
    line, x = 0, 0.0
    for unit in _find_units(passage.span):
        inside = (measure_number(m.number) for token in unit for m in ends[token.i])
        needed = sum(measure(token.text) for token in unit) + sum(inside)
        if x and x + needed > n_letters * LETTER and not unit[0].is_space:
            line, x = line + 1, 0.0
        for token in unit:
            if token.is_space:
                # Two line breaks or more are one empty line.
                n_breaks = min(token.text.count("\n"), 2)
                line, x = line + n_breaks, (x and x + LETTER * len(token.text))
                x = 0.0 if n_breaks else x
                continue
            start, x = x, x + measure(token.text)
            last = layout.words[-1] if layout.words else None
            if last is None or last.line != line or token.i in borders:
                layout.words.append(Words(token.text, line, start, x - start))
            else:
                gap = " " * (start > last.x + last.width)
                text = f"{last.text}{gap}{token.text}"
                layout.words[-1] = last._replace(text=text, width=x - last.x)
            for mention in ends[token.i]:
                numbers[mention] = x
                x += measure_number(mention.number)
            places[token.i] = line, start, x
            layout.width = max(layout.width, x)
            x += LETTER * len(token.whitespace_)
    layout.n_lines = line + 1
    for mention in passage.mentions:
        found = [places[i] for i in range(*mention[:2]) if i in places]
        for row, group in groupby(found, key=itemgetter(0)):
            part = [*group]
            x, end, number_x = part[0][1], part[-1][2], None
            if part[-1] is found[-1]:
                number_x = numbers[mention]
                end = number_x + measure_number(mention.number)
            layout.segments.append(Segment(mention, row, x, end, number_x))
    return layout


def _find_units(span: Span) -> Iterator[List[Token]]:
    """Find tokens between which no line may end."""
    unit: List[Token] = []
    for token in span:
        unit.append(token)
        if token.whitespace_ or token.is_space:
            yield unit
            unit = []
    if unit:
        yield unit


@lru_cache(maxsize=4096)
def measure(text: str) -> float:
    """Measure a text in a monospaced font."""
    n_letters = sum(
        0
        if unicodedata.category(letter) in _WITHOUT_WIDTH
        else 1 + (unicodedata.east_asian_width(letter) in _WIDE)
        for letter in text
    )
    return max(1, n_letters) * LETTER


def measure_number(number: int) -> float:
    """Measure the number of a cluster, with the space before it."""
    return 3 + DIGIT * len(str(number)) if number else 0.0


def render_spans_svg(passage: Passage) -> str:
    """Draw a text with its mentions."""
    layout = lay_out(passage, passage.options.width)
    baselines = layout.find_baselines({})
    return draw(passage, layout, baselines, "Text with coreference clusters")


def draw(
    passage: Passage,
    layout: Layout,
    baselines: Sequence[float],
    label: str,
    more: Sequence[str] = (),
) -> str:
    """Write the picture of a text, and what is drawn over it, with colours both as
    attributes, for programs that know no CSS, and as classes for style sheets."""
    theme = passage.theme
    width = round(layout.width + 2 * MARGIN)
    height = round(baselines[-1] - ASCENT - _GAP + MARGIN)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="coref-svg" role="img" '
        f'aria-label="{label}" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" '
        f'font-size="16" xml:lang="{escape(passage.doc.lang_)}" '
        f'direction="{passage.direction}">',
        f'<rect class="coref-page" width="100%" height="100%" fill="{theme.page}"/>',
    ]
    # A mention is drawn over those that contain it.
    for segment in sorted(layout.segments, key=lambda one: -one.mention.level):
        parts.append(_draw_segment(theme, layout, segment, baselines[segment.line]))
    style = f'class="coref-word" fill="{theme.text}"'
    for text, line, x, size in layout.words:
        middle = layout.get_x(x + size / 2)
        parts.append(write_text(text, middle, baselines[line], size, style))
    return "\n".join([*parts, *more, "</svg>"])


def write_text(text: str, x: float, y: float, width: float, style: str) -> str:
    """Write a text around a point."""
    length = f' textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs"'
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle"'
        f"{length if width else ''} {style}>{escape(text)}</text>"
    )


def _draw_segment(
    theme: Theme, layout: Layout, segment: Segment, baseline: float
) -> str:
    number, level = segment.mention[2:]
    left, right = sorted(map(layout.get_x, (segment.x, segment.end)))
    top = baseline - ASCENT + 1
    bottom = baseline + DESCENT + level * STEP - STEP / 2 + 1
    name, background, color = get_look(theme, number)
    parts = []
    if number:
        parts.append(
            f'<rect class="coref-fill {name}" x="{left:.1f}" y="{top:.1f}" '
            f'width="{right - left:.1f}" height="{bottom - top:.1f}" rx="2" '
            f'fill="{background}"/>'
        )
    for shift, thick, dashes in _STROKES[get_underline(number) if number else 0]:
        parts.append(
            f'<path class="coref-stroke {name}" stroke="{color}" '
            f'd="M{left:.1f} {bottom + shift:.1f}H{right:.1f}" '
            f'stroke-width="{thick}"{dashes}/>'
        )
    if number and segment.number_x is not None:
        middle = layout.get_x(segment.number_x + 2 + DIGIT * len(str(number)) / 2)
        style = f'class="coref-ink {name}" fill="{color}" font-size="11" '
        style += 'font-weight="bold"'
        parts.append(write_text(str(number), middle, baseline + 3, 0, style))
    return "".join(parts)


def get_look(theme: Theme, number: int) -> Tuple[str, str, str]:
    """Get the class, the background and the colour of a cluster; 0 for none."""
    if not number:
        return "coref-muted", "", theme.muted
    color = get_color(number)
    return f"coref-c{color}", *theme.clusters[color]
