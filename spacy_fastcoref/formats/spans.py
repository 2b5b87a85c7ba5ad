"""Make documents of texts, the character offsets of mentions, and links of mentions."""

from dataclasses import dataclass, field
from typing import Dict, Hashable, List, Tuple

import numpy as np
from spacy.language import Language

from ..graph import number_components, split_components
from ..types import Offsets
from .base import Document
from .docs import make_doc, mark_doc


@dataclass
class LinkedText:
    """Hold a text whose mentions are joined by links.

    key (str): The document's name.
    text (str): The text.
    mentions (Dict[Hashable, Tuple[int, int]]): The character offsets of the mentions by
        their names in the file.
    links (List[Tuple[Hashable, Hashable]]): Pairs of mentions of the same entity.
    entities (Dict[str, Hashable]): The first mention of each entity that has a name.
    """

    key: str
    text: str
    mentions: Dict[Hashable, Offsets] = field(default_factory=dict)
    links: List[Tuple[Hashable, Hashable]] = field(default_factory=list)
    entities: Dict[str, Hashable] = field(default_factory=dict)

    def make_document(self, nlp: Language) -> Document:
        """Join linked mentions to clusters; mentions without a link stay alone."""
        numbers = {name: i for i, name in enumerate(self.mentions)}
        for name in (name for link in self.links for name in link):
            if name not in numbers:
                raise ValueError(f"there is a link to {name}, which is no mention")
        ends = [[numbers[link[i]] for link in self.links] for i in (0, 1)]
        pairs = np.array(ends, dtype=np.int64).reshape(2, -1)
        labels = number_components(len(numbers), (pairs[0], pairs[1]))
        spans = list(self.mentions.values())
        groups = split_components(labels) if spans else []
        clusters = [[spans[i] for i in group] for group in groups]
        # A span can be annotated twice, with its type and with its entity.
        clusters.sort(key=len, reverse=True)
        return mark_doc(make_doc(nlp, self.text), self.key, clusters)


def find_utf16_offsets(text: str) -> Dict[int, int]:
    """Map offsets in UTF-16 units, as of Java and JavaScript, to characters."""
    wide = np.array([ord(character) > 0xFFFF for character in text], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(1 + wide)])
    return dict(zip(offsets.tolist(), range(len(offsets)), strict=True))
