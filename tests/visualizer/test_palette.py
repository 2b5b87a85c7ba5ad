import pytest

from spacy_fastcoref.visualizer.palette import (
    DARK,
    LIGHT,
    N_COLORS,
    UNDERLINES,
    get_color,
    get_underline,
)


def get_luminance(color):
    """The relative luminance of a colour, as WCAG 2 defines it."""
    values = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def get_contrast(one, other):
    """The contrast of two colours, as WCAG 2 defines it: from 1 to 21."""
    darker, lighter = sorted(map(get_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


# WCAG 2.2, level AA: text, and what is not text but has a meaning.
TEXT, GRAPHICS = 4.5, 3.0


@pytest.mark.parametrize("colors", [LIGHT, DARK])
def test_contrast(colors):
    for color in (colors.text, colors.muted, colors.bad):
        assert get_contrast(color, colors.page) >= TEXT
    for one in colors.clusters:
        assert get_contrast(colors.mention, one.background) >= TEXT
        # The number has the colour of the underline.
        assert get_contrast(one.line, one.background) >= TEXT
        assert get_contrast(one.line, colors.page) >= TEXT
        # A mention inside another one is seen by its underline.
        for other in colors.clusters:
            assert get_contrast(one.line, other.background) >= GRAPHICS


def test_clusters_that_look_alike_are_far_apart():
    n_looks = N_COLORS * len(UNDERLINES)
    looks = [(get_color(i), get_underline(i)) for i in range(1, 2 * n_looks + 1)]
    assert len(set(looks[:n_looks])) == n_looks
    assert looks[:n_looks] == looks[n_looks:]
    assert all(a != b for a, b in zip(looks, looks[1:], strict=False))
