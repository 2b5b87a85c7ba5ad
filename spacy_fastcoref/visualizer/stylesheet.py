"""Write the CSS of the pictures. It has no effect on what is around them."""

from functools import lru_cache
from typing import Sequence

from .palette import (
    DARK,
    DARK_CLUSTERS,
    LIGHT,
    LIGHT_CLUSTERS,
    N_COLORS,
    UNDERLINES,
    ClusterColors,
    Colors,
)

# The distance between the underlines of nested mentions, in pixels, and how many can be
# told apart. Below that, the numbers do.
STEP = 5
MAX_LEVEL = 8
THEMES = ("auto", "light", "dark")

# How JupyterLab, Jupyter Notebook and Visual Studio Code say which theme they have.
_LIGHT_NOTEBOOKS = "[data-jp-theme-light=true] .coref,.vscode-light .coref"
_DARK_NOTEBOOKS = "[data-jp-theme-light=false] .coref,.vscode-dark .coref"
_LAYOUT = """
.coref{background:var(--coref-page);color:var(--coref-text);overflow-wrap:break-word}
.coref h2{font-size:1.25em;margin:0 0 .5em}
.coref-text{white-space:pre-wrap;unicode-bidi:isolate}
.coref-mention{background:var(--coref-bg);color:var(--coref-mention);
 border-bottom:3px solid var(--coref-line);border-radius:.25em .25em 0 0;
 padding:1px 2px;-webkit-box-decoration-break:clone;box-decoration-break:clone;
 -webkit-print-color-adjust:exact;print-color-adjust:exact}
.coref-number{color:var(--coref-line);font:bold .72em/1 system-ui,sans-serif;
 padding-inline-start:.2em;vertical-align:baseline;position:relative;top:.2em;
 unicode-bidi:isolate;user-select:none;-webkit-user-select:none}
.coref-legend{margin:1em 0 0;font-size:.9em;line-height:2.1}
.coref-legend summary{cursor:pointer}
.coref-legend ul{list-style:none;margin:0;padding:0}
.coref-legend li{display:inline-block;margin-inline-end:1em;unicode-bidi:isolate}
.coref-count,p.coref-muted{color:var(--coref-muted)}
.coref-count{direction:ltr;unicode-bidi:isolate}
.coref-table{border-collapse:collapse;color:inherit;font:inherit;line-height:2;text-align:start}
.coref-table caption{text-align:start;font-weight:bold}
.coref-table th,.coref-table td{padding:.2em 0;padding-inline-end:.8em;text-align:start;
 vertical-align:baseline;border-bottom:1px solid var(--coref-rule)}
.coref-table tbody th{font-weight:normal}
.coref-table ul{list-style:none;margin:0;padding:0}
.coref-table li{display:inline;unicode-bidi:isolate}
.coref-table li:not(:last-child)::after{content:" · ";color:var(--coref-muted)}
.coref-table .coref-size{text-align:end;padding-inline-end:0}
.coref-links{margin-top:1em;font-size:.9em}
.coref-links summary{cursor:pointer}
.coref-scroll{overflow-x:auto}
.coref-svg{max-width:none}
.coref-svg .coref-page{fill:var(--coref-page)}
.coref-svg .coref-word{fill:var(--coref-text)}
.coref-svg .coref-fill{fill:var(--coref-bg)}
.coref-svg .coref-stroke{stroke:var(--coref-line)}
.coref-svg .coref-ink{fill:var(--coref-line)}
.coref-svg .coref-muted{--coref-line:var(--coref-muted)}
.coref-svg .coref-bad{--coref-line:var(--coref-bad)}
"""
_PAGE = """
:root{color-scheme:light dark}
body{margin:0;background:var(--coref-page);color:var(--coref-text);
 font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{box-sizing:border-box;max-width:56rem;margin:0 auto;padding:1.5rem 1rem 3rem}
figure{margin:0 0 3rem}
"""


@lru_cache(maxsize=None)
def make_css(theme: str = "auto") -> str:
    """Write the style sheet of all pictures.

    theme (str): "light", "dark", or "auto" for that of the notebook that the picture is
        in, and elsewhere for what the reader's system is set to.
    RETURNS (str): The CSS.
    """
    light, dark = (
        _write_colors(LIGHT, LIGHT_CLUSTERS),
        _write_colors(DARK, DARK_CLUSTERS),
    )
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
        f".coref-c{i}{{--coref-bg:var(--coref-b{i});--coref-line:var(--coref-k{i})}}"
        for i in range(N_COLORS)
    ]
    return "\n".join(lines) + _LAYOUT + _write_underlines()


@lru_cache(maxsize=None)
def make_page_css(theme: str = "auto") -> str:
    """Write the style sheet of a whole page.

    theme (str): "light", "dark" or "auto".
    RETURNS (str): The CSS.
    """
    scheme = "light dark" if theme == "auto" else theme
    return make_css(theme) + _PAGE.lstrip().replace("light dark", scheme)


def _write_colors(colors: Colors, clusters: Sequence[ClusterColors]) -> str:
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
