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
