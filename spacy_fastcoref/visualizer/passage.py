"""Read what is drawn: the clusters of a Doc, or of a part of it."""

import unicodedata
from dataclasses import dataclass, replace
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple, Union

import numpy as np
from spacy.displacy import get_doc_settings
from spacy.lang.xx import MultiLanguage
from spacy.tokens import Doc, Span

from ..clusters.index import check_index
from ..errors import check_known, check_setting
from ..types import Cluster, Offsets
from .palette import DARK, LIGHT, Theme

THEMES = ("auto", "light", "dark")


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


class Mention(NamedTuple):
    """Hold the tokens of a mention that is drawn, the number of its cluster or 0, and
    how far its underline is below the text, from 1: below all that it contains."""

    start: int
    end: int
    number: int
    level: int


@dataclass
class Passage:
    """Hold a Doc, or a part of it, with the clusters that are drawn, whole and with
    numbers, and the mentions inside, an outer one before those that it contains."""

    span: Span
    clusters: List[Tuple[int, Cluster]]
    mentions: List[Mention]
    options: Options

    @property
    def doc(self) -> Doc:
        """Get the whole document."""
        return self.span.doc

    @property
    def numbers(self) -> Dict[Offsets, int]:
        """Map mentions to the numbers of their clusters."""
        return {mention[:2]: mention.number for mention in self.mentions}

    @property
    def direction(self) -> str:
        """Get the direction in which the text is written: "ltr" or "rtl"."""
        # The writing system of a language-independent pipeline is not known.
        kinds = [*map(unicodedata.bidirectional, self.span.text)]
        if kinds.count("R") + kinds.count("AL") > kinds.count("L"):
            return "rtl"
        return get_doc_settings(self.doc)["direction"]

    @property
    def lang(self) -> str:
        """Get the language of the text; "" if it is not known."""
        return self.doc.lang_ if self.doc.lang_ != MultiLanguage.lang else ""

    @property
    def theme(self) -> Theme:
        """Get the colours of an SVG, which can't know the reader's system."""
        return DARK if self.options.theme == "dark" else LIGHT

    def shorten(self, mention: Offsets) -> str:
        """Write a mention on one line."""
        line = " ".join(self.doc[slice(*mention)].text.split())
        return line if len(line) <= 60 else f"{line[:59].rstrip()}…"

    def add_mentions(self, spans: Iterable[Offsets]) -> "Passage":
        """Add mentions of no cluster; those that are there change nothing."""
        known = [mention[:3] for mention in self.mentions]
        new = {*spans} - self.numbers.keys()
        found = _add_levels([*known, *((*span, 0) for span in new)], len(self.doc))
        return replace(self, mentions=found)


def read_passage(
    source: Union[Doc, Span], options: Optional[Options] = None
) -> Passage:
    """Read the clusters of a Doc or a Span.

    source (Union[Doc, Span]): A Doc, or a Span for the mentions inside it alone.
    options (Optional[Options]): How it is drawn; None for the defaults.
    RETURNS (Passage): What is drawn.
    """
    span, options = source[:], options or Options()
    first, last = span.start, span.end
    clusters, found = [], []
    for number, cluster in enumerate(check_index(span.doc).clusters, start=1):
        if options.clusters is not None and number not in options.clusters:
            continue
        inside = [m for m in cluster.mentions if first <= m[0] and m[1] <= last]
        if inside:
            clusters.append((number, cluster))
            found += [(*mention, number) for mention in inside]
    mentions = _add_levels(found, len(span.doc))
    return Passage(span, clusters, mentions, options)


def _add_levels(
    mentions: Iterable[Tuple[int, int, int]], n_tokens: int
) -> List[Mention]:
    # An outer mention comes before those that it contains.
    found = sorted(mentions, key=lambda mention: (mention[0], -mention[1], mention[2]))
    spans = [mention[:2] for mention in found]
    levels = find_levels(spans, n_tokens, [end - start for start, end in spans])
    return [Mention(*m, level + 1) for m, level in zip(found, levels, strict=True)]


def find_levels(spans: List[Offsets], size: int, lengths: List[float]) -> List[int]:
    """Find levels so that no two spans with a place in common have the same: the
    shortest is lowest, and of equal ones the last."""
    highest = np.zeros(size, dtype=np.int64)
    levels = [0] * len(spans)
    for i in sorted(range(len(spans) - 1, -1, -1), key=lengths.__getitem__):
        covered = highest[slice(*spans[i])]
        levels[i] = int(covered.max())
        covered[:] = levels[i] + 1
    return levels
