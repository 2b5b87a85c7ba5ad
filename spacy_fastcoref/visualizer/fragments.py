"""Cut mentions into elements that are nested, as those of HTML have to be."""

from itertools import groupby
from operator import attrgetter
from typing import Iterator, List, NamedTuple, Sequence

from .passage import Mention


class Edge(NamedTuple):
    """Hold one start or end of an element.

    token (int): The token that it is before.
    mention (Mention): The mention.
    is_start (bool): Whether the element starts here, or ends.
    is_cut (bool): Whether the mention goes on, on the other side of the edge. A
        mention that crosses another one has several elements.
    """

    token: int
    mention: Mention
    is_start: bool
    is_cut: bool


def find_edges(mentions: Sequence[Mention]) -> Iterator[Edge]:
    """Find the elements of mentions, in the order in which they are written.

    mentions (Sequence[Mention]): The mentions in text order, a mention before those
        that it contains.
    YIELDS (Edge): The edges; each element is inside another one or beside it.
    """
    # The open elements. Each ends no later than the one before it.
    stack: List[Mention] = []
    for start, group in groupby(mentions, key=attrgetter("start")):
        while stack and stack[-1].end <= start:
            yield Edge(stack[-1].end, stack.pop(), False, False)
        new = list(group)
        # What ends inside a new element has to be inside it.
        crossed: List[Mention] = []
        while stack and stack[-1].end < new[0].end:
            crossed.append(stack.pop())
            yield Edge(start, crossed[-1], False, True)
        opened = [(mention, True) for mention in reversed(crossed)]
        opened += [(mention, False) for mention in new]
        # The sort keeps the order of those that end together.
        for mention, is_cut in sorted(opened, key=lambda one: -one[0].end):
            stack.append(mention)
            yield Edge(start, mention, True, is_cut)
    while stack:
        yield Edge(stack[-1].end, stack.pop(), False, False)
