import re

import pytest

from spacy_fastcoref.visualizer.palette import (
    DARK,
    DARK_CLUSTERS,
    LIGHT,
    LIGHT_CLUSTERS,
    N_COLORS,
    UNDERLINES,
    get_color,
    get_underline,
)
from spacy_fastcoref.visualizer.stylesheet import make_css

from .reading import get_contrast

# WCAG 2.2, level AA: text, and what is not text but has a meaning.
TEXT, GRAPHICS = 4.5, 3.0


@pytest.mark.parametrize(
    "colors, clusters", [(LIGHT, LIGHT_CLUSTERS), (DARK, DARK_CLUSTERS)]
)
def test_contrast(colors, clusters):
    for color in (colors.text, colors.muted, colors.bad):
        assert get_contrast(color, colors.page) >= TEXT
    for one in clusters:
        assert get_contrast(colors.mention, one.background) >= TEXT
        # The number has the colour of the underline.
        assert get_contrast(one.line, one.background) >= TEXT
        assert get_contrast(one.line, colors.page) >= TEXT
        # A mention inside another one is seen by its underline.
        for other in clusters:
            assert get_contrast(one.line, other.background) >= GRAPHICS


def test_clusters_that_look_alike_are_far_apart():
    n_looks = N_COLORS * len(UNDERLINES)
    looks = [(get_color(i), get_underline(i)) for i in range(1, 2 * n_looks + 1)]
    assert len(set(looks[:n_looks])) == n_looks
    assert looks[:n_looks] == looks[n_looks:]
    assert all(a != b for a, b in zip(looks, looks[1:], strict=False))


def read_colors(css, selector):
    """The variables that the first rule with a selector sets."""
    (declared,) = re.findall(re.escape(selector) + r"{([^{}]*)}", css)[:1]
    return dict(re.findall(r"--coref-(\w+):(#\w{6})", declared))


def test_style_sheet_has_the_colours_of_its_theme():
    css = make_css("auto")
    media = "@media (prefers-color-scheme:dark){:root,.coref"
    light, dark = read_colors(css, ":root,.coref"), read_colors(css, media)
    assert light == read_colors(make_css("light"), ":root,.coref")
    assert dark == read_colors(make_css("dark"), ":root,.coref")
    # A notebook's theme may differ from the system's.
    assert light == read_colors(
        css, "[data-jp-theme-light=true] .coref,.vscode-light .coref"
    )
    assert dark == read_colors(
        css, "[data-jp-theme-light=false] .coref,.vscode-dark .coref"
    )
    for colors, clusters, found in (
        (LIGHT, LIGHT_CLUSTERS, light),
        (DARK, DARK_CLUSTERS, dark),
    ):
        assert found.items() >= colors._asdict().items()
        pairs = [(found[f"b{i}"], found[f"k{i}"]) for i in range(N_COLORS)]
        assert pairs == list(clusters)
    used = set(re.findall(r"var\(--coref-(\w+)\)", css))
    assert used <= {*light, "bg", "line"}
