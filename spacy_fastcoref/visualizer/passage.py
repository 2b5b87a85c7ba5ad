"""Read what is drawn: the clusters of a Doc, or of a part of it."""

import unicodedata
from dataclasses import dataclass, replace
from typing import Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
from spacy.displacy import get_doc_settings
from spacy.tokens import Doc, Span

from ..clusters.index import check_index
from ..types import Cluster

_RIGHT_TO_LEFT = ("R", "AL")


class Mention(NamedTuple):
    """Hold one mention that is drawn.

    start (int): The first token.
    end (int): The token after the last.
    number (int): The number of its cluster, from 1.
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

    doc (Doc): The document.
    start (int): The first token.
    end (int): The token after the last.
    clusters (List[Tuple[int, Cluster]]): The clusters with a mention in the
        passage, with their numbers from 1. Other mentions of these are included.
    mentions (List[Mention]): The mentions in the passage, in text order, a mention
        before those that it contains.
    is_partial (bool): Whether only some of the clusters are drawn.
    """

    doc: Doc
    start: int
    end: int
    clusters: List[Tuple[int, Cluster]]
    mentions: List[Mention]
    is_partial: bool

    @property
    def depth(self) -> int:
        """Get the highest level of a mention; 0 if there are none."""
        return max((mention.level for mention in self.mentions), default=0)

    @property
    def is_right_to_left(self) -> bool:
        """Check whether the text is written from right to left."""
        if get_doc_settings(self.doc)["direction"] == "rtl":
            return True
        # The writing system of a language-independent pipeline is not known.
        kinds = [unicodedata.bidirectional(letter) for letter in self.text]
        n_right = sum(kind in _RIGHT_TO_LEFT for kind in kinds)
        return n_right > kinds.count("L")

    @property
    def text(self) -> str:
        """Get the text."""
        return self.doc[self.start : self.end].text_with_ws

    def get_text(self, start: int, end: int) -> str:
        """Get the text of a span."""
        return self.doc[start:end].text

    def add_mentions(self, spans: Iterable[Tuple[int, int]]) -> "Passage":
        """Add mentions of no cluster, which have the number 0.

        spans (Iterable[Tuple[int, int]]): Token offsets; those of mentions of clusters
            change nothing.
        """
        known = [mention[:3] for mention in self.mentions]
        new = set(spans) - {mention[:2] for mention in known}
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
    is_span = isinstance(source, Span)
    doc = source.doc if is_span else source
    start, end = (source.start, source.end) if is_span else (0, len(doc))
    wanted = None if only is None else set(only)
    clusters, found = [], []
    for number, cluster in enumerate(check_index(doc).clusters, start=1):
        if wanted is not None and number not in wanted:
            continue
        inside = [m for m in cluster.mentions if start <= m[0] and m[1] <= end]
        if inside:
            clusters.append((number, cluster))
            found += [(*mention, number) for mention in inside]
    mentions = _add_levels(found, len(doc))
    return Passage(doc, start, end, clusters, mentions, only is not None)


def _add_levels(
    mentions: Iterable[Tuple[int, int, int]], n_tokens: int
) -> List[Mention]:
    # An outer mention comes before those that it contains.
    found = sorted(mentions, key=lambda mention: (mention[0], -mention[1], mention[2]))
    spans = [mention[:2] for mention in found]
    levels = find_levels(spans, n_tokens, [end - start for start, end in spans])
    return [Mention(*m, level + 1) for m, level in zip(found, levels, strict=True)]


def find_levels(
    spans: Sequence[Tuple[int, int]], size: int, lengths: Sequence[float]
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
