"""Check the options of a picture."""

from dataclasses import dataclass
from typing import Any, List, Optional

from ..errors import check_known, check_setting
from .stylesheet import THEMES


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
        given = () if self.clusters is None else self.clusters
        is_list = isinstance(given, (list, tuple, set, range))
        is_list = is_list and all(isinstance(one, int) for one in given)
        expected = "a list of numbers of clusters, from 1, or None"
        check_setting("clusters", self.clusters, is_list, expected)
        check_known("theme", self.theme, THEMES)
        is_width = isinstance(self.width, int) and self.width >= 20
        check_setting("width", self.width, is_width, "a whole number of at least 20")
        is_ours = self.component is None or hasattr(self.component, "explain_all")
        expected = "a component 'fastcoref', or None"
        check_setting("component", self.component, is_ours, expected)
