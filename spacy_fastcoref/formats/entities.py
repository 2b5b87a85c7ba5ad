"""Read and write the brackets of CorefUD, such as "Entity=(e1-person-2-" and "e1)"."""

import re
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..types import Offsets
from .conll import check_crossing
from .parsing import LineError

_BRACKETS = re.compile(r"\(([^()]+)(\)?)|([^()]+)\)")
# A part of a discontinuous mention: "e1[1/2]".
_PART = re.compile(r"(.+)\[(\d+)/(\d+)\]")
# What can't be in an entity type.
_RESERVED = re.compile(r"[-()=|,\s]")
# What names the entity; GUM calls it group.
_NAMES = ("eid", "GRP")
FIELDS = ("eid", "etype", "head")


class _Open(NamedTuple):
    """Hold a bracket that is open.

    start (int): The first word.
    line (int): The line.
    etype (str): The entity type, "" for unknown.
    head (Optional[int]): The number of the head among the words of the mention.
    """

    start: int
    line: int
    etype: str
    head: Optional[int]


class EntityReader:
    """Read the brackets of a document."""

    def __init__(self, fields: Sequence[str] = FIELDS) -> None:
        self.fields = tuple(fields)
        self.clusters: Dict[str, List[Offsets]] = {}
        self.types: Dict[Offsets, str] = {}
        self.open: Dict[str, List[_Open]] = {}
        # The parts of each discontinuous mention whose last part is to come.
        self.parts: Dict[str, List[Tuple[_Open, int]]] = {}

    def read(self, text: str, start: int, end: int, line: int) -> None:
        """Read the brackets of a word."""
        for opened, closed_too, closed in _BRACKETS.findall(text):
            if opened:
                values = opened.split("-")
                named = dict(zip(self.fields, values, strict=False))
                name = next((named[n] for n in _NAMES if n in named), values[0])
                head = named.get("head", "")
                number = int(head) if head.isdigit() else None
                bracket = _Open(start, line, named.get("etype", ""), number)
                self.open.setdefault(name, []).append(bracket)
                if closed_too:
                    self._close(name, end)
            else:
                self._close(closed, end)

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
        head = parts[0][0].head or 1
        chosen = parts[0]
        for bracket, end in parts:
            if 0 < head <= end - bracket.start:
                chosen = bracket, end
                break
            head -= end - bracket.start
        bracket, end = chosen
        if bracket.start == end:
            return
        span = bracket.start, end
        self.clusters.setdefault(entity, []).append(span)
        if parts[0][0].etype:
            self.types[span] = parts[0][0].etype

    def close(self) -> None:
        """Check that all brackets are closed."""
        for name, brackets in self.open.items():
            for bracket in brackets:
                reason = f"the bracket ({name} is never closed"
                raise LineError(reason, bracket.line)


def write_entities(
    clusters: List[List[Offsets]],
    heads: Dict[Offsets, int],
    types: Dict[Offsets, str],
) -> Dict[int, str]:
    """Write clusters as the brackets of CorefUD."""
    check_crossing(clusters, "corefud")
    opened: Dict[int, str] = {}
    closed: Dict[int, str] = {}
    single: Dict[int, str] = {}
    mentions = [(*mention, i) for i, c in enumerate(clusters) for mention in c]
    for start, end, i in sorted(mentions, key=lambda one: (one[0], -one[1])):
        etype = _RESERVED.sub("_", types[start, end])
        head = heads[start, end] - start + 1
        bracket = f"(e{i + 1}-{etype}-{head}"
        if end - start == 1:
            single[start] = single.get(start, "") + bracket + ")"
            continue
        opened[start] = opened.get(start, "") + bracket
        closed[end - 1] = f"e{i + 1})" + closed.get(end - 1, "")
    return {
        # No bracket that closes may follow one that opens: their names would run
        # together.
        token: closed.get(token, "") + opened[token] + single.get(token, "")
        if token in opened
        else single.get(token, "") + closed.get(token, "")
        for token in {*opened, *closed, *single}
    }
