"""Make the Doc in which the mentions of a new turn are linked."""

from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import Dict, Iterable, List, Optional, Set, Tuple, Union

from spacy.tokens import Doc, Span

from ..clusters.chains import ClusterView
from ..clusters.store import set_clusters
from ..grammar.features import FIRST, ONE
from ..resolution.policies import Policy
from ..resolution.resolve import get_policy, resolve
from ..span_groups import find_groups, read_group
from ..span_keys import APART, SEEDS, SPEAKERS
from ..types import Cluster
from .memory import Excerpt, Memory, find_persons, find_token_keys


def make_context(
    memory: Memory, turn: Doc, speaker: Optional[str], window: int, reminders: int
) -> Tuple[Doc, List[int], List[int]]:
    """Make a Doc of excerpts of earlier turns, whose mentions have must-links, and of a
    new turn.

    Return also where each of them starts in it, and the index of each token in the
    whole conversation.
    """
    first = max(0, memory.n_tokens - window)
    numbers = range(max(0, memory.find_part(first, first).turn), len(memory))
    parts = map(memory.get_excerpt, numbers)
    cut = (e._replace(start=max(e.start, first)) for e in parts)
    recent = [e for e in cut if e.start < e.end]
    excerpts = [*_find_reminders(memory, turn, speaker, first, reminders), *recent]
    doc, starts = join([*map(memory.cut, excerpts), turn])
    new = Excerpt(len(memory), memory.n_tokens, memory.n_tokens + len(turn))
    spoken = [(memory.turns[e.turn].doc, *memory.find_offsets(e)) for e in excerpts]
    copy_speakers(doc, [*spoken, (turn, 0, len(turn))], starts)
    seeds: Dict[int, List[Span]] = {}
    for excerpt, offset in zip(excerpts, starts, strict=False):
        shift = offset - excerpt.start
        for (start, end), member in memory.list_members(excerpt):
            span = doc[start + shift : end + shift]
            seeds.setdefault(member.number, []).append(span)
    for number, spans in seeds.items():
        doc.spans[f"{SEEDS}_cluster_{number}"] = spans
    for name in (SEEDS, APART):
        for key in find_groups(turn, name):
            spans = read_group(turn, key)
            moved = [doc[s.start + starts[-1] : s.end + starts[-1]] for s in spans]
            doc.spans[f"{name}_turn_{key}"] = moved
    doc._.coref_scheme = turn._.coref_scheme
    origins = [i for e in (*excerpts, new) for i in range(e.start, e.end)]
    return doc, starts, origins


def _find_reminders(
    memory: Memory, turn: Doc, speaker: Optional[str], first: int, n_words: int
) -> List[Excerpt]:
    """Find earlier mentions with a word of the new turn, or of its speaker."""
    keys = set(find_token_keys(turn, speaker)) & memory.latest.keys()
    places = {memory.latest[key] for key in keys}
    # The latest mentions are the likeliest antecedents.
    remote = sorted((place for place in places if place.start < first), reverse=True)
    chosen: List[Excerpt] = []
    for place in remote:
        if place.end - place.start <= n_words:
            n_words -= place.end - place.start
            chosen.append(place)
    return merge(chosen)


def merge(excerpts: Iterable[Excerpt]) -> List[Excerpt]:
    """Merge excerpts that overlap."""
    merged: List[Excerpt] = []
    for excerpt in sorted(excerpts):
        if merged and excerpt[:2] <= (merged[-1].turn, merged[-1].end):
            last = merged.pop()
            excerpt = last._replace(end=max(last.end, excerpt.end))
        merged.append(excerpt)
    return merged


def join(docs: List[Doc]) -> Tuple[Doc, List[int]]:
    """Join excerpts to one Doc with the annotation of tokens."""
    doc = Doc.from_docs(docs, exclude=["spans", "user_data", "tensor"])
    return doc, [0, *accumulate(map(len, docs[:-1]))]


def copy_speakers(
    doc: Doc, parts: Iterable[Tuple[Doc, int, int]], starts: Iterable[int]
) -> None:
    """Copy the speakers of turns to the Doc that joins these tokens of them."""
    spans = []
    for (turn, begin, stop), offset in zip(parts, starts, strict=True):
        for span in read_group(turn, SPEAKERS):
            start, end = max(span.start, begin), min(span.end, stop)
            if start < end:
                shift = offset - begin
                spans.append(Span(doc, start + shift, end + shift, label=span.label))
    if spans:
        doc.spans[SPEAKERS] = spans


# The maximum number of main mentions before the turn. Main mentions have mentions
# inside, and these have main mentions as well.
_MAX_MAINS = 64


def resolve_turn(memory: Memory, number: int, policy: Union[str, Policy]) -> str:
    """Replace the mentions of a turn by the main mentions of their clusters."""
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

    Return also the turn's first token, and who says "I" or "my" in a main mention, by
    the token, if it is not the speaker of the turn.
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
    has_parse = doc.has_annotation("DEP")
    persons, masks = find_persons(doc)
    clusters: Dict[int, Cluster] = {}
    speakers: Dict[int, str] = {}
    for part, start in zip(excerpts, starts, strict=True):
        turn, shift = memory.turns[part.turn], start - part.start
        if part.start == turn.start and start < len(doc) and not has_parse:
            doc[start].is_sent_start = True
        for _, (key, index) in memory.list_members(part):
            one = replace(memory.clusters[key].select([index]), candidates=[])
            moved = one.move(partial(int.__add__, shift))
            clusters.setdefault(key, Cluster([])).extend(moved)
        if turn.speaker not in (None, memory.turns[number].speaker):
            for i in range(start, part.end + shift):
                if persons[i] == FIRST and masks[i] & ONE:
                    speakers[i] = turn.speaker
    known = {mention for one in clusters.values() for mention in one.mentions}
    spoken = {(i, i + 1) for i in speakers}
    alone = (Cluster([mention]) for mention in spoken - known)
    set_clusters(doc, [*clusters.values(), *alone])
    return doc, starts[-1], speakers


def _apply(
    policy: Policy, speakers: Dict[int, str], cluster: ClusterView, mention: Span
) -> Union[Span, str, None]:
    """Apply a policy, but replace "my" in a main mention by the speaker who says it."""
    if len(mention) == 1 and mention.start in speakers:
        return speakers[mention.start]
    return policy(cluster, mention)
