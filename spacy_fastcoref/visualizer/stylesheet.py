"""Write the CSS of the pictures. It has no effect on what is around them."""

from functools import lru_cache
from pathlib import Path
from string import Template

from .escaping import escape
from .palette import N_COLORS, UNDERLINES
from .palette import THEMES as COLORS

# The distance between the underlines of nested mentions, in pixels, and how many can be
# told apart. Below that, the numbers do.
STEP = 5
MAX_LEVEL = 8
THEMES = ("auto", "light", "dark")

_FOLDER = Path(__file__).parent
# How JupyterLab, Jupyter Notebook and Visual Studio Code say which theme they have.
_LIGHT_NOTEBOOKS = "[data-jp-theme-light=true] .coref,.vscode-light .coref"
_DARK_NOTEBOOKS = "[data-jp-theme-light=false] .coref,.vscode-dark .coref"


@lru_cache(maxsize=None)
def make_css(theme: str = "auto") -> str:
    """Write the style sheet of all pictures.

    theme (str): "light", "dark", or "auto" for that of the notebook that the picture is
        in, and elsewhere for what the reader's system is set to.
    RETURNS (str): The CSS.
    """
    light, dark = map(_write_colors, ("light", "dark"))
    first = dark if theme == "dark" else light
    # A page has the colours too, around its pictures.
    lines = [f":root,.coref{{{first}}}"]
    if theme == "auto":
        lines += [
            f"@media (prefers-color-scheme:dark){{:root,.coref{{{dark}}}}}",
            f"{_LIGHT_NOTEBOOKS}{{{light}}}",
            f"{_DARK_NOTEBOOKS}{{{dark}}}",
        ]
    lines += [
        # For scripts that choose the classes of clusters, as get_color does.
        f":root{{--coref-colors:{N_COLORS};--coref-underlines:{len(UNDERLINES)}}}"
    ]
    lines += [
        f".coref-c{i}{{--coref-bg:var(--coref-b{i});--coref-line:var(--coref-k{i})}}"
        for i in range(N_COLORS)
    ]
    layout = (_FOLDER / "pictures.css").read_text(encoding="utf8")
    return "\n".join([*lines, layout + _write_underlines()])


def make_page(body: str, style: str, title: str, theme: str) -> str:
    """Write a whole page, which needs no other file and runs no script."""
    page = Template((_FOLDER / "page.html").read_text(encoding="utf8"))
    scheme = "light dark" if theme == "auto" else theme
    return page.substitute(body=body, style=style, title=escape(title), scheme=scheme)


def _write_colors(theme: str) -> str:
    colors, clusters = COLORS[theme]
    found = dict(colors._asdict())
    for i, one in enumerate(clusters):
        found |= {f"b{i}": one.background, f"k{i}": one.line}
    return ";".join(f"--coref-{name}:{color}" for name, color in found.items())


def _write_underlines() -> str:
    lines = [
        f".coref-u{i}{{border-bottom-style:{style}}}"
        for i, style in enumerate(UNDERLINES)
    ]
    lines += [
        f".coref-l{level}{{padding-bottom:{1 + (level - 1) * STEP}px}}\n"
        f".coref-d{level}{{line-height:calc(1.7em + {level * STEP}px)}}"
        for level in range(1, MAX_LEVEL + 1)
    ]
    return "\n".join(lines) + "\n"
