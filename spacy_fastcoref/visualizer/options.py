"""Check the options of a picture."""

from dataclasses import dataclass, fields
from typing import Any, Dict, List, Optional

from ..errors import Errors
from .stylesheet import THEMES

FORMATS = ("html", "svg")


@dataclass
class Options:
    """Hold the options of a picture.

    clusters (Optional[List[int]]): The numbers of the clusters to draw, from 1; None
        for all.
    legend (bool): Whether a list of the clusters follows the text.
    theme (str): "light", "dark", or "auto" for what the reader's system is set to.
    format (str): "html" or "svg".
    width (int): The length of a line in an SVG picture, in characters.
    component (Optional[FastCoref]): The component that made the clusters, to draw what
        its rules say about links.
    """

    clusters: Optional[List[int]] = None
    legend: bool = True
    theme: str = "auto"
    format: str = "html"
    width: int = 80
    component: Any = None

    def __post_init__(self) -> None:
        clusters = self.clusters
        is_list = clusters is None or isinstance(clusters, (list, tuple, set, range))
        if not (is_list and all(isinstance(one, int) for one in clusters or ())):
            self._refuse("clusters", "a list of numbers of clusters, from 1, or None")
        if self.theme not in THEMES:
            self._refuse("theme", " or ".join(map(repr, THEMES)))
        if self.format not in FORMATS:
            self._refuse("format", " or ".join(map(repr, FORMATS)))
        if not (isinstance(self.width, int) and self.width >= 20):
            self._refuse("width", "a whole number of at least 20")
        if not (self.component is None or hasattr(self.component, "explain_all")):
            self._refuse("component", "a component 'fastcoref', or None")

    def _refuse(self, name: str, expected: str) -> None:
        value = getattr(self, name)
        raise ValueError(Errors.FC170.format(name=name, value=value, expected=expected))


def read_options(options: Dict[str, Any]) -> Options:
    """Check options."""
    known = [field.name for field in fields(Options)]
    unknown = sorted(set(options) - set(known), key=str)
    if unknown:
        raise ValueError(
            Errors.FC171.format(names=unknown, available=", ".join(sorted(known)))
        )
    return Options(**options)
