"""Draw a text with its mentions as SVG, for a paper or a web page."""

from typing import Dict, List, Optional, Sequence, Tuple

from .escaping import escape
from .layout import DIGIT, Layout, Segment, lay_out
from .options import Options
from .palette import THEMES, UNDERLINES, get_color, get_underline
from .passage import Passage
from .stylesheet import STEP

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


def render_spans_svg(passage: Passage, options: Options) -> str:
    """Draw a text with its mentions."""
    return Canvas(passage, options).write("Text with coreference clusters")


class Canvas:
    """Draw a text with its mentions, and what a style adds.

    An element has its colours as attributes, for programs that know no CSS, and as
    classes, by which a page's style sheet sets those of its theme.
    """

    def __init__(
        self,
        passage: Passage,
        options: Options,
        layout: Optional[Layout] = None,
        above: Optional[Dict[int, float]] = None,
    ) -> None:
        self.passage = passage
        self.layout = lay_out(passage, options.width) if layout is None else layout
        # A picture alone can't know the reader's system.
        theme = "dark" if options.theme == "dark" else "light"
        self.colors, self.clusters = THEMES[theme]
        self.is_right_to_left = passage.is_right_to_left
        self.width = self.layout.width + 2 * MARGIN
        self.baselines, self.height = self._place_lines(above or {})
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
        parts += map(self._draw_word, self.layout.words)
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

    def _draw_word(self, word) -> str:
        x = self.get_x(word.x + word.width / 2)
        style = f'class="coref-word" fill="{self.colors.text}"'
        return self.write_text(
            word.text, x, self.baselines[word.line], word.width, style
        )

    def _draw_segment(self, segment: Segment) -> str:
        mention, baseline = segment.mention, self.baselines[segment.line]
        left, right = sorted((self.get_x(segment.x), self.get_x(segment.end)))
        bottom = baseline + DESCENT + mention.level * STEP - STEP / 2 + 1
        if not mention.number:
            return self._draw_line(
                left, right, bottom, self.colors.muted, "solid", "coref-muted"
            )
        color = get_color(mention.number)
        name, colors = f"coref-c{color}", self.clusters[color]
        top = baseline - ASCENT + 1
        parts = [
            f'<rect class="coref-fill {name}" x="{left:.1f}" y="{top:.1f}" '
            f'width="{right - left:.1f}" height="{bottom - top:.1f}" rx="2" '
            f'fill="{colors.background}"/>',
            self._draw_line(
                left,
                right,
                bottom,
                colors.line,
                UNDERLINES[get_underline(mention.number)],
                name,
            ),
        ]
        if segment.is_last:
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
