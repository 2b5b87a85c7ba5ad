"""Resolve a turn, so that it can be read without the conversation."""

from dataclasses import replace
from functools import partial
from typing import Dict, List, Set, Tuple, Union

from spacy.tokens import Doc, Span

from ..clusters.chains import ClusterView
from ..clusters.store import set_clusters
from ..grammar.features import FIRST, ONE
from ..resolution.policies import Policy
from ..resolution.resolve import get_policy, resolve
from ..types import Cluster
from .context import join, merge
from .keys import find_persons
from .memory import Excerpt, Memory

# The maximum number of main mentions before the turn. Main mentions have mentions
# inside, and these have main mentions as well.
_MAX_MAINS = 64


def resolve_turn(memory: Memory, number: int, policy: Union[str, Policy]) -> str:
    """Replace the mentions of a turn by the main mentions of their clusters.

    memory (Memory): The conversation.
    number (int): The number of the turn.
    policy (Union[str, Policy]): The registered name of a policy, or a policy.
    RETURNS (str): The resolved text.
    """
    doc, first, speakers = _make_doc(memory, number)
    resolved = resolve(doc, partial(_apply, get_policy(policy), speakers))
    start = doc[first:].start_char if len(doc) else 0
    shift = 0
    for change in resolved.replacements:
        if change.source_end <= start:
            shift = change.end - change.source_end
    return resolved.text[start + shift :]


def _make_doc(memory: Memory, number: int) -> Tuple[Doc, int, Dict[int, str]]:
    """Make a Doc of the main mentions of a turn's clusters, and of the turn.

    RETURNS (Tuple[Doc, int, Dict[int, str]]): The Doc with the clusters, the turn's
        first token, and who says "I" or "my" in a main mention, by the token, if it is
        not the speaker of the turn.
    """
    whole = memory.get_excerpt(number)
    mains: Set[Excerpt] = set()
    todo = [whole]
    while todo and len(mains) < _MAX_MAINS:
        for _, member in memory.list_members(todo.pop()):
            place = memory.mains[member.number]
            if place.turn != number and place not in mains:
                mains.add(place)
                todo.append(place)
    # The word before a mention tells whether its capital letter is that of a sentence.
    before = (max(p.start - 1, memory.turns[p.turn].start) for p in mains)
    parts = [p._replace(start=i) for p, i in zip(mains, before, strict=True)]
    excerpts = [*merge(parts), whole]
    doc, starts = join([*map(memory.cut, excerpts)])
    for part, start in zip(excerpts, starts, strict=True):
        is_first = part.start == memory.turns[part.turn].start
        if is_first and start < len(doc) and not doc.has_annotation("DEP"):
            doc[start].is_sent_start = True
    speakers = _find_speakers(doc, memory, excerpts, starts)
    clusters = _list_clusters(memory, excerpts, starts)
    known = {mention for cluster in clusters for mention in cluster.mentions}
    spoken = {(i, i + 1) for i in speakers}
    set_clusters(doc, [*clusters, *(Cluster([m]) for m in spoken - known)])
    return doc, starts[-1], speakers


def _list_clusters(
    memory: Memory, excerpts: List[Excerpt], starts: List[int]
) -> List[Cluster]:
    clusters: Dict[int, Cluster] = {}
    for part, start in zip(excerpts, starts, strict=True):
        shift = start - part.start
        for _, (number, index) in memory.list_members(part):
            one = replace(memory.clusters[number].select([index]), candidates=[])
            moved = one.move(partial(int.__add__, shift))
            clusters.setdefault(number, Cluster([])).extend(moved)
    return [*clusters.values()]


def _find_speakers(
    doc: Doc, memory: Memory, excerpts: List[Excerpt], starts: List[int]
) -> Dict[int, str]:
    speakers: Dict[int, str] = {}
    persons, masks = find_persons(doc)
    own = memory.turns[excerpts[-1].turn].speaker
    for part, start in zip(excerpts[:-1], starts, strict=False):
        speaker = memory.turns[part.turn].speaker
        if speaker not in (None, own):
            tokens = range(start, start + part.end - part.start)
            spoken = [i for i in tokens if persons[i] == FIRST and masks[i] & ONE]
            speakers.update(dict.fromkeys(spoken, speaker))
    return speakers


def _apply(
    policy: Policy, speakers: Dict[int, str], cluster: ClusterView, mention: Span
) -> Union[Span, str, None]:
    """Apply a policy, but replace "my" in a main mention by the speaker who says it."""
    if len(mention) == 1 and mention.start in speakers:
        return speakers[mention.start]
    return policy(cluster, mention)
