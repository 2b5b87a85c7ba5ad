"""Read what is drawn: the clusters of a Doc, or of a part of it."""

import unicodedata
from dataclasses import dataclass, replace
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from spacy.displacy import get_doc_settings
from spacy.tokens import Doc, Span

from ..clusters.index import check_index
from ..types import Cluster, Offsets


class Mention(NamedTuple):
    """Hold the token offsets of a mention that is drawn.

    number (int): The number of its cluster, from 1; 0 for none.
    level (int): How far its underline is below the text, from 1: a mention is below
        all that it contains.
    """

    start: int
    end: int
    number: int
    level: int


@dataclass
class Passage:
    """Hold a Doc, or a part of it, with the clusters that are drawn.

    clusters (List[Tuple[int, Cluster]]): The clusters with a mention in the passage,
        with their numbers from 1. Other mentions of these are included.
    mentions (List[Mention]): The mentions in the passage, in text order, a mention
        before those that it contains.
    is_partial (bool): Whether only some of the clusters are drawn.
    """

    span: Span
    clusters: List[Tuple[int, Cluster]]
    mentions: List[Mention]
    is_partial: bool

    @property
    def doc(self) -> Doc:
        """Get the whole document."""
        return self.span.doc

    @property
    def numbers(self) -> Dict[Offsets, int]:
        """Map mentions to the numbers of their clusters."""
        return {mention[:2]: mention.number for mention in self.mentions}

    @property
    def is_right_to_left(self) -> bool:
        """Check whether the text is written from right to left."""
        if get_doc_settings(self.doc)["direction"] == "rtl":
            return True
        # The writing system of a language-independent pipeline is not known.
        kinds = [*map(unicodedata.bidirectional, self.span.text)]
        return kinds.count("R") + kinds.count("AL") > kinds.count("L")

    def add_mentions(self, spans: Iterable[Offsets]) -> "Passage":
        """Add mentions of no cluster; those that are there change nothing."""
        known = [mention[:3] for mention in self.mentions]
        new = {*spans} - self.numbers.keys()
        found = _add_levels([*known, *((*span, 0) for span in new)], len(self.doc))
        return replace(self, mentions=found)


def read_passage(
    source: Union[Doc, Span], only: Optional[Iterable[int]] = None
) -> Passage:
    """Read the clusters of a Doc or a Span.

    source (Union[Doc, Span]): A Doc, or a Span for the mentions inside it alone.
    only (Optional[Iterable[int]]): The numbers of the clusters to draw; None for all.
    RETURNS (Passage): What is drawn.
    """
    span = source[:]
    first, last = span.start, span.end
    wanted = None if only is None else {*only}
    clusters, found = [], []
    for number, cluster in enumerate(check_index(span.doc).clusters, start=1):
        if wanted is not None and number not in wanted:
            continue
        inside = [m for m in cluster.mentions if first <= m[0] and m[1] <= last]
        if inside:
            clusters.append((number, cluster))
            found += [(*mention, number) for mention in inside]
    mentions = _add_levels(found, len(span.doc))
    return Passage(span, clusters, mentions, only is not None)


def _add_levels(
    mentions: Iterable[Tuple[int, int, int]], n_tokens: int
) -> List[Mention]:
    # An outer mention comes before those that it contains.
    found = sorted(mentions, key=lambda mention: (mention[0], -mention[1], mention[2]))
    spans = [mention[:2] for mention in found]
    levels = find_levels(spans, n_tokens, [end - start for start, end in spans])
    return [Mention(*m, level + 1) for m, level in zip(found, levels, strict=True)]


def find_levels(
    spans: Sequence[Offsets], size: int, lengths: Sequence[float]
) -> List[int]:
    """Find levels so that no two spans with a place in common have the same.

    lengths (Sequence[float]): The spans' lengths: the shortest is lowest, and of equal
        ones the last.
    """
    highest = np.zeros(size, dtype=np.int64)
    levels = [0] * len(spans)
    for i in sorted(range(len(spans) - 1, -1, -1), key=lengths.__getitem__):
        covered = highest[slice(*spans[i])]
        levels[i] = int(covered.max())
        covered[:] = levels[i] + 1
    return levels
