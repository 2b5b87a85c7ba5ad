"""Write the colours of clusters as a style sheet for the page."""

from typing import Iterator, Sequence

from ..visualizer.palette import (
    DARK,
    DARK_CLUSTERS,
    LIGHT,
    LIGHT_CLUSTERS,
    UNDERLINES,
    ClusterColors,
    Colors,
)


def make_palette() -> str:
    """Make the style sheet.

    RETURNS (str): CSS: the variables of both themes, and the classes `color-…` and
        `line-…`, numbered from 0, of mentions.
    """
    dark = "\n".join(_make_variables(DARK, DARK_CLUSTERS))
    lines = [
        ":root {",
        f"--n-colors: {len(LIGHT_CLUSTERS)}; --n-lines: {len(UNDERLINES)};",
        *_make_variables(LIGHT, LIGHT_CLUSTERS),
        "}",
        "@media (prefers-color-scheme: dark) {",
        ":root {",
        dark,
        "}",
        "}",
    ]
    for i in range(len(LIGHT_CLUSTERS)):
        lines.append(
            f".color-{i} {{ --back: var(--back-{i}); --line: var(--line-{i}) }}"
        )
    for i, name in enumerate(UNDERLINES):
        lines.append(f".line-{i} {{ --style: {name} }}")
    return "\n".join(lines)


def _make_variables(colors: Colors, clusters: Sequence[ClusterColors]) -> Iterator[str]:
    for name, value in colors._asdict().items():
        yield f"--{name}: {value};"
    for i, cluster in enumerate(clusters):
        yield f"--back-{i}: {cluster.background}; --line-{i}: {cluster.line};"
