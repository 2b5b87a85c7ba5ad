"""Draw the clusters in the README: python docs/images/draw.py clusters.svg"""

import sys
from pathlib import Path
from xml.sax.saxutils import escape

import spacy

TEXT = (
    "Alice Walker is a lawyer in Boston. She met Tom Baker last week, and he asked her "
    "about her new contract."
)
COLORS = ("#ffd166", "#8ecae6", "#b7e4c7")
SIZE, CHAR, LINE, MARGIN, WIDTH = 16, 9.64, 58, 16, 56


def main(path: Path) -> None:
    """Resolve the text and draw it.

    path (Path): The picture.
    """
    nlp = spacy.blank("en")
    nlp.add_pipe("fastcoref", config={"device": "cpu", "precision": "float32"})
    doc = nlp(TEXT)
    found = {
        span.start: (number, span)
        for number, group in enumerate(doc.spans.values())
        for span in group
    }
    boxes, letters, column, line, i = [], [], 0, 0, 0
    while i < len(doc):
        number, span = found.get(i, (None, doc[i : i + 1]))
        if column + len(span.text) > WIDTH:
            column, line = 0, line + 1
        x, y = MARGIN + column * CHAR, MARGIN + 20 + line * LINE
        width = len(span.text) * CHAR
        if number is not None:
            boxes.append(
                f'<rect x="{x - 3:.1f}" y="{y - 18}" width="{width + 6:.1f}" '
                f'height="40" '
                f'rx="5" fill="{COLORS[number % len(COLORS)]}"/>'
                f'<text x="{x + width / 2:.1f}" y="{y + 16}" font-size="11" '
                f'text-anchor="middle" font-weight="bold">{number + 1}</text>'
            )
        letters.append(
            f'<text x="{x:.1f}" y="{y}" textLength="{width:.1f}">'
            f"{escape(span.text)}</text>"
        )
        column += len(span.text) + len(span[-1].whitespace_)
        i = span.end
    width = round(2 * MARGIN + WIDTH * CHAR)
    height = 2 * MARGIN + 30 + line * LINE
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-label="Clusters of a text: '
        f'1 is Alice Walker, 2 is Tom Baker" fill="#1d2b36" font-size="{SIZE}" '
        'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace">\n'
        f'<rect width="100%" height="100%" rx="8" fill="#f8f9fa"/>\n'
        + "\n".join(boxes + letters)
        + "\n</svg>\n",
        encoding="utf8",
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
