"""Draw a text with its mentions as SVG, for a paper or a web page."""

import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from spacy.tokens import Span, Token

from .escaping import escape
from .options import Options
from .palette import THEMES, UNDERLINES, get_color, get_underline
from .passage import Mention, Passage
from .stylesheet import STEP

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
FONT = "DejaVu Sans Mono, Menlo, Consolas, monospace"
# Each underline as lines: how far each is from the middle, how thick, and its dashes.
_STROKES: Dict[str, Sequence[Tuple[float, float, str]]] = {
    "solid": [(0, 2.5, "")],
    "dashed": [(0, 2.5, "7 3")],
    "double": [(-1.4, 1, ""), (1.4, 1, "")],
    "dotted": [(0, 2.5, "2.5 2.5")],
}


class Words(NamedTuple):
    """Hold the place of the tokens of a line between two ends of mentions."""

    text: str
    line: int
    x: float
    width: float


class Segment(NamedTuple):
    """Hold the part of a mention that is in one line.

    end (float): Where it ends, after the numbers of all mentions that end here.
    number_x (Optional[float]): Where its number starts; None if it goes on in another
        line.
    """

    mention: Mention
    line: int
    x: float
    end: float
    number_x: Optional[float]


@dataclass
class Layout:
    """Hold the places of all tokens but white space, and of the parts of mentions."""

    words: List[Words] = field(default_factory=list)
    segments: List[Segment] = field(default_factory=list)
    n_lines: int = 1
    width: float = 0.0


def lay_out(passage: Passage, n_letters: int) -> Layout:
    """Break a text into lines."""
    ends: Dict[int, List[Mention]] = defaultdict(list)
    # What is inside ends first.
    for mention in sorted(passage.mentions, key=attrgetter("level")):
        ends[_find_last(passage, mention)].append(mention)
    # Words between these are drawn as one, so that a browser finds their direction.
    borders = {mention.start for mention in passage.mentions} | {i + 1 for i in ends}
    layout = Layout()
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


def _find_last(passage: Passage, mention: Mention) -> int:
    """Find the last token of a mention that is not white space."""
    last = mention.end - 1
    while last > mention.start and passage.doc[last].is_space:
        last -= 1
    return last


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


def render_spans_svg(passage: Passage, options: Options) -> str:
    """Draw a text with its mentions."""
    canvas = Canvas(passage, options, lay_out(passage, options.width), {})
    return canvas.write("Text with coreference clusters")


class Canvas:
    """Draw a text with its mentions, and what a style adds.

    An element has its colours as attributes, for programs that know no CSS, and as
    classes, by which a page's style sheet sets those of its theme.

    above (Dict[int, float]): How much place each line has for what is drawn above it.
    """

    def __init__(
        self,
        passage: Passage,
        options: Options,
        layout: Layout,
        above: Dict[int, float],
    ) -> None:
        self.passage, self.layout, self.numbers = passage, layout, passage.numbers
        # A picture alone can't know the reader's system.
        theme = "dark" if options.theme == "dark" else "light"
        self.colors, self.clusters = THEMES[theme]
        self.is_right_to_left = passage.is_right_to_left
        self.width = self.layout.width + 2 * MARGIN
        self.baselines, self.height = self._place_lines(above)
        self.more: List[str] = []

    def write(self, label: str) -> str:
        """Write the picture."""
        lang = escape(self.passage.doc.lang_)
        direction = "rtl" if self.is_right_to_left else "ltr"
        width, height = round(self.width), round(self.height)
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="coref-svg" role="img" '
            f'aria-label="{escape(label)}" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="{FONT}" font-size="16" '
            f'xml:lang="{lang}" direction="{direction}">',
            f'<rect class="coref-page" width="100%" height="100%" '
            f'fill="{self.colors.page}"/>',
        ]
        # A mention is drawn over those that contain it.
        for segment in sorted(self.layout.segments, key=lambda s: -s.mention.level):
            parts.append(self._draw_segment(segment))
        for words in self.layout.words:
            x, y = self.get_x(words.x + words.width / 2), self.baselines[words.line]
            style = f'class="coref-word" fill="{self.colors.text}"'
            parts.append(self.write_text(words.text, x, y, words.width, style))
        return "\n".join([*parts, *self.more, "</svg>"])

    def get_x(self, x: float) -> float:
        """Get the place of a point, which is mirrored for text from right to left."""
        return self.width - MARGIN - x if self.is_right_to_left else MARGIN + x

    def write_text(
        self, text: str, x: float, y: float, width: float, style: str
    ) -> str:
        """Write a text around a point."""
        length = f' textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs"'
        return (
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle"'
            f"{length if width else ''} {style}>{escape(text)}</text>"
        )

    def _place_lines(self, above: Dict[int, float]) -> Tuple[List[float], float]:
        """Find the baseline of each line, and the height of all."""
        depths = [0] * self.layout.n_lines
        for segment in self.layout.segments:
            depths[segment.line] = max(depths[segment.line], segment.mention.level)
        baselines, y = [], float(MARGIN)
        for line, depth in enumerate(depths):
            y += above.get(line, 0.0) + ASCENT
            baselines.append(y)
            y += DESCENT + depth * STEP + _GAP
        return baselines, y - _GAP + MARGIN

    def _draw_segment(self, segment: Segment) -> str:
        mention, baseline = segment.mention, self.baselines[segment.line]
        left, right = sorted((self.get_x(segment.x), self.get_x(segment.end)))
        bottom = baseline + DESCENT + mention.level * STEP - STEP / 2 + 1
        if not mention.number:
            muted = self.colors.muted, "solid", "coref-muted"
            return self._draw_line(left, right, bottom, *muted)
        color = get_color(mention.number)
        name, colors = f"coref-c{color}", self.clusters[color]
        top = baseline - ASCENT + 1
        underline = UNDERLINES[get_underline(mention.number)]
        parts = [
            f'<rect class="coref-fill {name}" x="{left:.1f}" y="{top:.1f}" '
            f'width="{right - left:.1f}" height="{bottom - top:.1f}" rx="2" '
            f'fill="{colors.background}"/>',
            self._draw_line(left, right, bottom, colors.line, underline, name),
        ]
        if segment.number_x is not None:
            number = str(mention.number)
            middle = self.get_x(segment.number_x + 2 + DIGIT * len(number) / 2)
            style = (
                f'class="coref-ink {name}" fill="{colors.line}" font-size="11" '
                'font-weight="bold"'
            )
            parts.append(self.write_text(number, middle, baseline + 3, 0, style))
        return "".join(parts)

    def _draw_line(
        self, left: float, right: float, y: float, color: str, style: str, name: str
    ) -> str:
        return "".join(
            f'<path class="coref-stroke {name}" stroke="{color}" '
            f'd="M{left:.1f} {y + shift:.1f}H{right:.1f}" '
            f'stroke-width="{thick}"'
            + (f' stroke-dasharray="{dashes}"' if dashes else "")
            + "/>"
            for shift, thick, dashes in _STROKES[style]
        )
