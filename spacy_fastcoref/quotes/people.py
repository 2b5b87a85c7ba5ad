"""Know the people of a document: whose each phrase is, and who can be whom."""

from bisect import bisect_left, insort
from collections import defaultdict
from typing import Dict, Iterable, List, Set, Tuple

import numpy as np

from ..clusters.index import get_index
from ..grammar.auto import find_rules
from ..grammar.features import FIRST, ONE_PERSON, SEVERAL
from ..types import Offsets
from .attribution import Scene

# The number of nobody.
NOBODY = -1


class People:
    """Know the people of a document, each by a number.

    They are the clusters, those of a narrator as one, and the names and noun phrases
    beside quotations that are in none. `pronouns` has the person of each phrase that is
    a pronoun, such as FIRST, and 0 for other phrases.
    """

    def __init__(self, scene: Scene, phrases: Iterable[Offsets]) -> None:
        self.scene, index = scene, get_index(scene.doc)
        self.n_clusters = self.n_people = len(index.clusters)
        self.spans: Dict[int, List[Offsets]] = defaultdict(list)
        found = sorted({*index.by_span, *phrases})
        table = np.array(found, dtype=np.int64).reshape(-1, 2)
        rules = find_rules(scene.doc.lang_)
        facts = rules.read_mentions(rules.read_tokens(scene.doc), table)
        self.agreement, self.pronouns, self.is_name = (
            dict(zip(found, values.tolist(), strict=True))
            for values in (facts.agreement, facts.person, facts.is_name)
        )
        narrators = [
            i
            for i, cluster in enumerate(index.clusters)
            if any(map(self._is_narrator, cluster.mentions))
        ]
        self.narrator = min(narrators, default=NOBODY)
        self._masks: Dict[int, int] = {}
        self._persons: Dict[Offsets, int] = {}
        self._texts: Dict[str, int] = {}
        # Those that something names or describes.
        self.told: Set[int] = set()
        for i, cluster in enumerate(index.clusters):
            for span in cluster.mentions:
                self._add(span, self.narrator if i in narrators else i)
        # Things, which the model tells or pronouns, don't speak.
        things = {
            i
            for i, one in enumerate(index.clusters)
            if any(one.types) and 2 * one.types.count("person") < len(one.types)
        }
        self.mentions = [
            (*span, person)
            for span, person in sorted(self._persons.items())
            if person not in things
            and self.find_agreement(person) & (ONE_PERSON | SEVERAL)
        ]
        self._starts = [start for start, _, _ in self.mentions]

    def _add(self, span: Offsets, person: int) -> None:
        self._persons[span] = person
        insort(self.spans[person], span)
        if not self.pronouns[span]:
            self._texts.setdefault(self._read(span), person)
            self.told.add(person)

    def _read(self, span: Offsets) -> str:
        return " ".join(self.scene.doc[slice(*span)].text.lower().split())

    def _is_narrator(self, span: Offsets) -> bool:
        is_one = self.pronouns[span] == FIRST and not self.agreement[span] & SEVERAL
        return is_one and not self.scene.is_quoted(span)

    def find(self, span: Offsets) -> int:
        """Find whose phrase this is; NOBODY for a pronoun that is linked to nothing."""
        if self._is_narrator(span) and self.narrator >= 0:
            return self.narrator
        if span in self._persons or self.pronouns[span]:
            return self._persons.get(span, NOBODY)
        # Its head: "Ann" of "dear Ann".
        ends = [i for _, end, i in self.between(*span) if end == span[1]]
        text = self._read(span)
        if text not in self._texts and not ends:
            self._add(span, self.n_people)
            self.n_people += 1
        return self._texts[text] if text in self._texts else ends[0]

    def between(self, start: int, end: int) -> List[Tuple[int, int, int]]:
        """List the mentions of people within some tokens."""
        first, last = np.searchsorted(self._starts, (start, end))
        return [one for one in self.mentions[first:last] if one[1] <= end]

    def find_agreement(self, person: int) -> int:
        """Find what a person can be: the agreement bits that the mentions share."""
        if person not in self._masks:
            mask = -1
            for span in self.spans[person]:
                mask = mask & self.agreement[span] or mask
            self._masks[person] = mask
        return self._masks[person]

    def find_nearest(self, person: int, token: int) -> Offsets:
        """Find the last mention of a person before a token, or else the first one."""
        spans = self.spans[person]
        return spans[max(0, bisect_left(spans, (token, 0)) - 1)]
