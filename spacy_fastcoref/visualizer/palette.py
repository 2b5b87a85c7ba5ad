"""Define the colours and underlines of clusters, in light and dark."""

from typing import NamedTuple, Tuple


class ClusterColors(NamedTuple):
    """Hold the colours of a cluster in one theme."""

    background: str
    line: str


class Theme(NamedTuple):
    """Hold the colours of a theme."""

    page: str
    text: str
    mention: str
    muted: str
    bad: str
    rule: str
    clusters: Tuple[ClusterColors, ...]


def _read(colors: str) -> Tuple[ClusterColors, ...]:
    found = colors.split()
    return tuple(map(ClusterColors, found[::2], found[1::2]))


# Hues of equal lightness, so that no cluster stands out. Neighbours in the list are far
# apart, since clusters that are near each other in a text have numbers near each other.
LIGHT = Theme(
    *("#ffffff", "#1b1b1b", "#1b1b1b", "#595959", "#b3261e", "#c9c9c9"),
    clusters=_read(
        "#feddc8 #824103 #d4e6ff #0c54a0 #c6f3c6 #036819 #fed8e9 #8a2b60 "
        "#f4e5ac #655401 #e3e1ff #57429c #a8f5f4 #036262 #fedbda #932a33 "
        "#c1edff #045e78 #deedb5 #4e5d02 #f7d8fe #763584 #b2f5dd #03654e"
    ),
)
DARK = Theme(
    *("#16181c", "#e6e6e6", "#f2f2f2", "#a9adb3", "#ff9f9f", "#45494f"),
    clusters=_read(
        "#502a0c #fea668 #1a3658 #91c1ff #1b3f1d #86d489 #4f253a #fc9ac9 "
        "#403400 #d8bd51 #352e57 #bcb2ff #013e3e #2ad7d7 #542526 #ff9f9f "
        "#013c4d #49cffc #313a09 #b3ca65 #45284c #e3a2f2 #024030 #54d8b1"
    ),
)
N_COLORS = len(LIGHT.clusters)
UNDERLINES = ("solid", "dashed", "double", "dotted")


def get_color(number: int) -> int:
    """Get the colour of a cluster."""
    return (number - 1) % N_COLORS


def get_underline(number: int) -> int:
    """Get the underline of a cluster. Clusters of one colour have different ones."""
    return (number - 1 + (number - 1) // N_COLORS) % len(UNDERLINES)


def get_classes(number: int) -> str:
    """Get the classes by which a style sheet sets the looks of a cluster."""
    return f"coref-c{get_color(number)} coref-u{get_underline(number)}"
