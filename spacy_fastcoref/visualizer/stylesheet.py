"""Write the CSS of the pictures. It has no effect on what is around them."""

from functools import lru_cache

from .palette import DARK, LIGHT, UNDERLINES
from .templates import fill

# The distance between the underlines of nested mentions, in pixels, and how many can be
# told apart. Below that, the numbers do.
STEP = 5
MAX_LEVEL = 8


@lru_cache(maxsize=None)
def make_css(theme: str = "auto") -> str:
    """Write the style sheet of all pictures.

    theme (str): "light", "dark", or "auto" for that of the notebook that the picture is
        in, and elsewhere for what the reader's system is set to.
    RETURNS (str): The CSS.
    """
    return fill(
        "pictures.css",
        theme=theme,
        light=LIGHT,
        dark=DARK,
        underlines=UNDERLINES,
        levels=range(1, MAX_LEVEL + 1),
        step=STEP,
    )
