"""Read and write the brackets of CoNLL-2012, "(1", and CorefUD, "(e1-place-2"."""

import re
from collections import defaultdict
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..errors import Errors
from ..types import Offsets
from .docs import find_crossing
from .parsing import LineError

_BRACKETS = re.compile(r"\(([^()|]+)(\)?)|([^()|]+)\)")
# A part of a discontinuous mention: "e1[1/2]".
_PART = re.compile(r"(.+)\[(\d+)/(\d+)\]")
# What names the entity; GUM calls it group.
_NAMES = ("eid", "GRP")


class _Open(NamedTuple):
    start: int
    line: int
    etype: str
    head: Optional[int]


class EntityReader:
    """Read the brackets of a document, which have fields separated by hyphens, or
    nothing but a name."""

    def __init__(self, fields: Sequence[str] = ()) -> None:
        self.fields = fields
        self.clusters: Dict[str, List[Offsets]] = {}
        self.types: Dict[Offsets, str] = {}
        self.open: Dict[str, List[_Open]] = {}
        # The parts of each discontinuous mention whose last part is to come.
        self.parts: Dict[str, List[Tuple[_Open, int]]] = {}

    def read(self, text: str, start: int, end: int, line: int) -> None:
        """Read the brackets of a word."""
        for opened, closed_too, closed in _BRACKETS.findall(text):
            name = closed
            if opened:
                values = opened.split("-") if self.fields else [opened]
                named = dict(zip(self.fields, values, strict=False))
                name = next((named[n] for n in _NAMES if n in named), values[0])
                head = named.get("head", "")
                number = int(head) if head.isdigit() else None
                bracket = _Open(start, line, named.get("etype", ""), number)
                self.open.setdefault(name, []).append(bracket)
            if closed or closed_too:
                self._close(name, end)

    def _close(self, name: str, end: int) -> None:
        if not self.open.get(name):
            raise ValueError(f"the bracket {name}) was never opened")
        bracket = self.open[name].pop()
        part = _PART.fullmatch(name)
        if part is None:
            self._add(name, [(bracket, end)])
            return
        entity, number, n_parts = part.groups()
        self.parts.setdefault(entity, []).append((bracket, end))
        if number == n_parts:
            self._add(entity, self.parts.pop(entity))

    def _add(self, entity: str, parts: List[Tuple[_Open, int]]) -> None:
        """Add a mention: of several parts, the one with the head."""
        first = parts[0][0]
        span, head = (first.start, parts[0][1]), first.head or 1
        for bracket, end in parts:
            if 0 < head <= end - bracket.start:
                span = bracket.start, end
                break
            head -= end - bracket.start
        if span[0] == span[1]:
            return
        self.clusters.setdefault(entity, []).append(span)
        if first.etype:
            self.types[span] = first.etype

    def close(self) -> List[List[Offsets]]:
        """Check that all brackets are closed, and list the clusters."""
        for name, brackets in self.open.items():
            for bracket in brackets:
                raise LineError(f"the bracket ({name} is never closed", bracket.line)
        return [*self.clusters.values()]


def write_entities(
    clusters: List[List[Offsets]],
    format: str,
    name: Callable[[int], str] = str,
    describe: Callable[[Offsets], str] = lambda mention: "",
    separator: str = "",
) -> Dict[int, str]:
    """Write the brackets of each word that has any; after the name of the cluster, the
    one that opens has what describes the mention."""
    # Where mentions of a cluster cross, their brackets could not be told apart.
    for cluster in clusters:
        for (start, end), (other_start, other_end) in find_crossing(cluster):
            reason = (
                f"two mentions of one cluster overlap without nesting: the words "
                f"{start} to {end - 1} and {other_start} to {other_end - 1}"
            )
            raise ValueError(Errors.FC162.format(name=format, reason=reason))
    opened: Dict[int, List[str]] = defaultdict(list)
    closed: Dict[int, List[str]] = defaultdict(list)
    single: Dict[int, List[str]] = defaultdict(list)
    mentions = [(*mention, name(i)) for i, c in enumerate(clusters) for mention in c]
    # Longer mentions are opened first, and closed last.
    for start, end, own in sorted(mentions, key=lambda one: (one[0], -one[1])):
        bracket = f"({own}{describe((start, end))}"
        if end - start == 1:
            single[start].append(f"{bracket})")
        else:
            opened[start].append(bracket)
            closed[end - 1].insert(0, f"{own})")
    return {
        # No bracket that closes may follow one that opens: their names would run
        # together.
        word: separator.join(
            [*closed[word], *opened[word], *single[word]]
            if word in opened
            else [*single[word], *closed[word]]
        )
        for word in {*opened, *closed, *single}
    }
