"""Decide who speaks each quotation, by clauses beside it and by the turns around it."""

from collections import defaultdict
from itertools import zip_longest
from typing import Dict, List, NamedTuple, Optional, Set, Tuple

import numpy as np

from ..types import Offsets
from .attribution import Cue, Scene
from .marks import Quotation
from .people import NOBODY, People

EXPLICIT, ANAPHORIC, IMPLICIT, SCRIPT = "explicit", "anaphoric", "implicit", "script"
# How much each of these speaks for a candidate, as log-odds, fitted to the development
# texts as a conditional random field, and rounded by hand.
WEIGHTS = {
    SCRIPT: 20.0,
    EXPLICIT: 8.0,
    ANAPHORIC: 2.0,
    "begins the paragraph": 2.5,
    "speaks nearby": 0.5,
    "recent": 0.5,
    "named in it": -1.0,
    "nobody": -2.0,
}
# And of the speakers of two turns, one after the other, or with one between them.
SAME, SAME_APART, ALTERNATES, ALTERNATES_APART = -1.0, 0.5, 3.0, 1.5
# How far back people can be mentioned who then speak, in words.
_WINDOW = 150
# How far apart the turns of a conversation can be, and of alternating speakers, in
# paragraphs.
_BREAK, _FAR = 8, 8
_MAX_CANDIDATES = 10
# A quotation, and the clause beside it, if any.
Part = Tuple[Quotation, Optional[Cue]]
# Sums numbers that are given by their logarithms, along an axis.
_sum = np.logaddexp.reduce


class Quote(NamedTuple):
    """Hold who says a quotation, by tokens; what is unknown is empty or -1.

    speaker, addressee (List[int]): The phrase beside the quotation, or else the nearest
        mention before it.
    kind (str): EXPLICIT ("said Ann"), ANAPHORIC ("she said"), IMPLICIT or SCRIPT.
    """

    span: Offsets
    speaker: List[int]
    addressee: List[int]
    cluster: int
    cue: int
    kind: str
    score: float


class Turn:
    """Hold the quotations that one person says one after the other, with their cues."""

    def __init__(self, parts: List[Part]) -> None:
        self.parts = parts
        # The paragraphs.
        self.first, self.last = (parts[i][0].paragraph for i in (0, -1))
        self.beat: Optional[Offsets] = None
        self.mention: Optional[Offsets] = None
        self.told: List[int] = []
        # What speaks for each candidate.
        self.signs: Dict[int, Set[str]] = defaultdict(set)
        self.person, self.score = NOBODY, 0.0


def attribute(scene: Scene) -> List[Quote]:
    """Decide who says each quotation of a document, in text order."""
    parts = [*zip(scene.quotations, scene.find_cues(), strict=True)]
    groups: List[List[Part]] = []
    for one, cue in parts:
        if one.depth or not (one.label or cue or scene.is_speech(one)):
            continue
        if groups and _goes_on(groups[-1], one, cue):
            groups[-1].append((one, cue))
        else:
            groups.append([(one, cue)])
    turns = [*map(Turn, groups)]
    for turn in turns:
        turn.beat = _find_beat(scene, turn)
    # In another quotation, what the clause beside it tells is all that is known.
    inside = [Turn([(q, cue)]) for q, cue in parts if q.depth and cue and cue.speaker]
    every = [*turns, *inside]
    phrases = [
        phrase
        for turn in every
        for one, cue in turn.parts
        for phrase in (turn.beat, one.label, *(cue[:2] if cue else ()))
    ]
    people = People(scene, [scene.to_offsets(*one) for one in phrases if one])
    for turn in every:
        _describe(people, turn)
    _add_speakers(turns)
    for turn in every:
        _judge(people, turn)
    for conversation in (turns, *([turn] for turn in inside)):
        decode(conversation)
    return sorted(_view(people, turn, *part) for turn in every for part in turn.parts)


def _goes_on(before: List[Part], other: Quotation, own: Optional[Cue]) -> bool:
    """Check whether a quotation belongs to the turn before it."""
    one, cue = before[-1][0], before[0][1]
    if other.label or one.paragraph != other.paragraph:
        # The marks of a speech of several paragraphs are closed at its end only.
        is_next = other.paragraph == one.paragraph + 1 and not one.is_closed
        return is_next and not (cue and own)
    is_next = one.outer[1] >= other.outer[0] and one.is_closed
    is_other = own and cue and own.speaker != cue.speaker
    return not (is_next or is_other) or own is cue is not None


def _find_beat(scene: Scene, turn: Turn) -> Optional[Offsets]:
    """Find the first noun phrase of the sentences right before a turn."""
    first = start = turn.parts[0][0].outer[0]
    while start and scene.is_joined(start - 1, first) and not scene.quoted[start - 1]:
        start -= 1
    return next(iter(scene.list_phrases(start, first)), None)


def _find_kind(people: People, one: Quotation, cue: Optional[Cue]) -> str:
    if one.label or cue is None:
        return SCRIPT if one.label else IMPLICIT
    if cue.speaker is None or cue.speaker[0] == cue.verb:
        return ANAPHORIC
    is_pronoun = people.pronouns[people.scene.to_offsets(*cue.speaker)]
    return ANAPHORIC if is_pronoun else EXPLICIT


def _describe(people: People, turn: Turn) -> None:
    """Note what speaks for each candidate of a turn."""
    scene, signs = people.scene, turn.signs
    for one, cue in turn.parts:
        phrase = one.label or (cue and cue.speaker)
        if cue and cue.addressee:
            turn.told.append(people.find(scene.to_offsets(*cue.addressee)))
        if phrase and turn.mention is None:
            turn.mention = scene.to_offsets(*phrase)
            signs[people.find(turn.mention)].add(_find_kind(people, one, cue))
        for start, end, person in people.between(*scene.to_offsets(one.start, one.end)):
            if people.is_name[start, end]:
                signs[person].add("named in it")
            if _is_vocative(people, (start, end), one):
                turn.told.append(person)
    if turn.beat:
        signs[people.find(scene.to_offsets(*turn.beat))].add("begins the paragraph")
    first = turn.parts[0][0].outer[0]
    window = scene.tokens[max(0, first - _WINDOW)], scene.tokens[first]
    for start, end, person in people.between(*window):
        if not scene.is_quoted((start, end)):
            signs[person].add("recent")


def _is_vocative(people: People, mention: Offsets, quote: Quotation) -> bool:
    """Check whether a name addresses somebody: it is between signs."""
    scene = people.scene
    start, end = (int(k) for k in np.searchsorted(scene.tokens, mention))
    before = scene.words[start - 1] if start > quote.start else ""
    after = scene.words[end] if end < quote.end else ""
    return not people.pronouns[mention] and (
        (before == "," and after in ("", *".!?,;—-"))
        or (before in ("", *".!?;—") and after in ("!", ","))
    )


def _add_speakers(turns: List[Turn]) -> None:
    """Make those who speak in a conversation candidates for all its turns."""
    talk: List[Turn] = []
    for turn, after in zip_longest(turns, turns[1:]):
        talk.append(turn)
        if after and after.first - turn.last <= _BREAK:
            continue
        told = {
            person
            for one in talk
            for person, signs in one.signs.items()
            if signs & {SCRIPT, EXPLICIT, ANAPHORIC}
        }
        for one in talk:
            for person in told:
                one.signs[person].add("speaks nearby")
        talk = []


def _judge(people: People, turn: Turn) -> None:
    """Leave out who can't have the pronoun of the clause: no man is "she"."""
    turn.signs.pop(NOBODY, None)
    bits = -1
    if turn.mention and people.pronouns[turn.mention]:
        bits = people.agreement[turn.mention]
    for person in [*turn.signs]:
        if not people.find_agreement(person) & bits:
            del turn.signs[person]
        elif person != people.narrator and person not in people.told:
            turn.signs[person].add("nobody")


def decode(turns: List[Turn]) -> None:
    """Find the likeliest speaker of each turn, and the probability. Each depends on
    the speakers of the two turns before: sum over all, forward and back."""
    people, scores, forward = [np.array([NOBODY])] * 2, [], []
    sums = np.zeros((1, 1))
    for i, turn in enumerate(turns):
        logits = {p: sum(map(WEIGHTS.__getitem__, s)) for p, s in turn.signs.items()}
        logits = logits or {NOBODY: 0.0}
        best = sorted(logits, key=lambda p: (-logits[p], p))[:_MAX_CANDIDATES]
        people.append(np.array(best))
        own = np.array([logits[person] for person in best])
        scores.append(_score_turns(people[i:], turns[max(0, i - 2) : i + 1]) + own)
        sums = _sum(scores[i] + sums[:, :, None], 0)
        forward.append(sums)
    sums = np.zeros_like(sums)
    for i in range(len(turns) - 1, -1, -1):
        logs = _sum(forward[i] + sums, 0)
        shares = np.exp(logs - _sum(logs, 0))
        place = int(shares.argmax())
        turns[i].person = int(people[i + 2][place])
        turns[i].score = float(shares[place])
        sums = _sum(scores[i] + sums, 2)


def _score_turns(people: List[np.ndarray], turns: List[Turn]) -> np.ndarray:
    """Score who speaks three turns: no one twice, and the first one again."""
    first, middle, last = people
    found = np.zeros((len(first), len(middle), len(last)))
    if len(turns) > 1:
        is_next = turns[-1].first - turns[-2].last <= 1
        is_same = middle[:, None] == last
        found += (SAME if is_next else SAME_APART) * is_same
    if len(turns) > 2 and turns[-1].first - turns[-3].last <= _FAR:
        is_next = turns[-1].first - turns[-3].last <= 2
        alternates = (first[:, None] == last)[:, None, :] & ~is_same
        found += (ALTERNATES if is_next else ALTERNATES_APART) * alternates
    return found


def _view(people: People, turn: Turn, one: Quotation, cue: Optional[Cue]) -> Quote:
    scene, person = people.scene, turn.person
    first, own = scene.tokens[one.outer[0]], one.label or (cue and cue.speaker)
    mention = scene.to_offsets(*own) if own else None
    is_known = 0 <= person < people.n_clusters
    is_told = mention and (is_known or people.find(mention) == person)
    if person != NOBODY and not is_told:
        mention = people.find_nearest(person, first)
    told: Optional[Offsets] = None
    if cue and cue.addressee:
        told = scene.to_offsets(*cue.addressee)
    elif turn.told and turn.told[-1] != NOBODY:
        told = people.find_nearest(turn.told[-1], first)
    return Quote(
        scene.to_offsets(one.start, one.end),
        [*(mention or ())],
        [*(told or ())],
        person if is_known else -1,
        scene.tokens[cue.verb] if cue and cue.verb >= 0 else -1,
        _find_kind(people, one, cue),
        turn.score if mention else 0.0,
    )
