"""Wrap pictures for where they are shown: alone, in a notebook or as a page."""

from typing import Sequence

from .escaping import escape
from .stylesheet import make_css, make_page_css

# No script runs on a page and nothing is fetched, whatever the text is.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def make_fragment(pictures: Sequence[str], theme: str, minify: bool) -> str:
    """Join pictures to a part of a page, with their style sheet.

    pictures (Sequence[str]): The HTML of each.
    theme (str): "light", "dark" or "auto".
    minify (bool): Whether to leave line breaks out of the style sheet.
    RETURNS (str): The HTML.
    """
    return f"{_write_style(make_css(theme), minify)}{_join(pictures)}"


def make_page(pictures: Sequence[str], theme: str, title: str, minify: bool) -> str:
    """Join pictures to a page that needs no other file.

    pictures (Sequence[str]): The HTML of each.
    theme (str): "light", "dark" or "auto".
    title (str): The page's title.
    minify (bool): Whether to leave line breaks out of the style sheet.
    RETURNS (str): The HTML.
    """
    scheme = "light dark" if theme == "auto" else theme
    style = _write_style(make_page_css(theme), minify)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="{scheme}">\n'
        f"<title>{escape(title)}</title>\n{style}\n"
        f"</head>\n<body>\n<main>\n{_join(pictures)}\n</main>\n</body>\n</html>\n"
    )


def _write_style(css: str, minify: bool) -> str:
    # Line breaks of the text itself are part of it, so only these can go.
    return f"<style>{css.replace(chr(10), '') if minify else css}</style>"


def _join(pictures: Sequence[str]) -> str:
    return "\n".join(f'<figure class="coref">{one}</figure>' for one in pictures)
