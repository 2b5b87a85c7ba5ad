"""Draw the pictures of the README and the docs: python docs/images/draw.py FOLDER

It writes clusters.svg, links.svg and pictures.html. The last is what pictures-light.png
and pictures-dark.png show: a browser's window of 760 by 720 pixels, in both themes.
"""

import sys
from pathlib import Path

import spacy

from spacy_fastcoref import render

CLUSTERS = (
    "Alice Walker is a lawyer in Boston. She met Tom Baker last week, and he asked her "
    "about her new contract."
)
LINKS = "Susan met Emma. He was late."
NESTED = "My mother called my brother. He told her that she was late, and she laughed."


def main(folder: Path) -> None:
    """Resolve the texts and draw them.

    folder (Path): Where the pictures are written.
    """
    nlp = spacy.blank("en")
    settings = {"device": "cpu", "precision": "float32"}
    component = nlp.add_pipe("fastcoref", config=settings)
    options = {"format": "svg", "width": 64, "component": component}
    for name, text, style in (
        ("clusters", CLUSTERS, "spans"),
        ("links", LINKS, "links"),
    ):
        svg = render(nlp(text), style=style, options=options)
        (folder / f"{name}.svg").write_text(f"{svg}\n", encoding="utf8")
    doc = nlp(NESTED)
    shown = [str(render(doc, style=style)) for style in ("spans", "chains", "links")]
    page = str(render([], page=True)).replace("<main>", "<main>" + "".join(shown))
    (folder / "pictures.html").write_text(page, encoding="utf8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
