"""Decide who speaks each quotation, by clauses beside it and by the turns around it."""

from typing import Dict, List, NamedTuple, Optional, Tuple, Union

import numpy as np

from ..clusters.index import get_index
from ..grammar.auto import find_rules
from ..grammar.features import FEMALE, MALE, ONE_PERSON, SEVERAL
from ..grammar.word_index import has_capital
from ..types import Offsets
from .attribution import Cue, Scene, list_subjects
from .marks import Quotation

EXPLICIT, ANAPHORIC, IMPLICIT, SCRIPT = "explicit", "anaphoric", "implicit", "script"
# A person: the number of a cluster, or the words of a phrase that is in none.
Person = Union[int, str]
# How sure an attribution by a clause beside the quotation is: the accuracy on the
# development texts.
SURE = {EXPLICIT: 0.86, ANAPHORIC: 0.59, SCRIPT: 1.0}
# How much each of these speaks for a candidate, as log-odds.
WEIGHTS = {
    "linked_explicit": 3.0,
    "linked_anaphoric": 3.0,
    "alternates_apart": 1.0,
    "beat_before": 2.0,
    "same": -2.0,
    "alternates": 2.0,
    "next": -1.5,
    "alternates_back": 1.5,
    "addressed": 2.0,
    "vocative": -4.0,
    "speaks": 1.0,
    "recent": 0.5,
}
# How far back people can be mentioned who then speak, in words.
_WINDOW = 150


class Quote(NamedTuple):
    """Hold who says a quotation.

    span, speaker, addressee (Offsets): Token offsets; those of the speaker's nearest
        mention, empty if unknown, and likewise of who is spoken to.
    cue (int): The verb of the clause beside it; -1 for none.
    kind (str): "explicit" ("said Ann"), "anaphoric" ("she said"), "implicit", "script"
        ("Ann: …").
    score (float): The probability of the speaker.
    """

    span: Offsets
    speaker: Tuple[int, ...] = ()
    addressee: Tuple[int, ...] = ()
    cue: int = -1
    kind: str = IMPLICIT
    score: float = 0.0


class Turn:
    """Hold the quotations of a paragraph that one person says one after the other."""

    def __init__(self, rows: List[int], paragraph: int) -> None:
        self.rows, self.paragraph = rows, paragraph
        self.person: Optional[Person] = None
        self.mention: Optional[Offsets] = None
        self.told: List[Person] = []
        self.kind = IMPLICIT
        self.is_known = False
        self.score = 0.0


class People:
    """Know the people of a document: whose each phrase is, and what they can be."""

    def __init__(self, scene: Scene) -> None:
        self.scene, self.index = scene, get_index(scene.doc)
        self.pronouns = list_subjects(scene.lexicon, ("Nom", "Acc", "Dat"))
        mentions = sorted(self.index.by_span)
        rules = find_rules(scene.doc.lang_)
        self._by_name: Dict[str, int] = {}
        self.agreement: Dict[Person, int] = {}
        # The phrases that are in no cluster.
        self.named: Dict[str, List[Offsets]] = {}
        # The mentions of people, in text order, and what each of them can be.
        self.mentions: List[Tuple[int, int, int]] = []
        if not mentions:
            return
        facts = rules.read_mentions(
            rules.read_tokens(scene.doc), np.array(mentions, dtype=np.int64)
        )
        bits = dict(zip(mentions, facts.agreement.tolist(), strict=True))
        persons = dict(zip(mentions, facts.person.tolist(), strict=True))
        for i, cluster in enumerate(self.index.clusters):
            mask = -1
            for mention in cluster.mentions:
                mask = mask & bits[mention] or mask
                if not persons[mention]:
                    text = scene.doc[slice(*mention)].text.lower()
                    self._by_name.setdefault(text, i)
            self.agreement[i] = mask
        for start, end in mentions:
            i = self.index.by_span[start, end][0]
            if self.agreement[i] & (ONE_PERSON | SEVERAL):
                self.mentions.append((start, end, i))
        self.starts = [mention[0] for mention in self.mentions]

    def find(self, mention: Offsets) -> Optional[Person]:
        """Find whose phrase this is; None for a pronoun that is linked to nothing."""
        if mention in self.index.by_span:
            return self.index.by_span[mention][0]
        text = self.scene.doc[slice(*mention)].text.lower()
        if text in self._by_name:
            return self._by_name[text]
        if text in self.pronouns:
            return None
        # Its head: "Ann" of "dear Ann".
        ends = [i for s, e, i in self.between(*mention) if e == mention[1]]
        starts = [i for s, e, i in self.between(*mention) if s == mention[0]]
        found = ends or [i for i in starts if self.has_name(i)]
        if not found:
            self.named.setdefault(text, []).append(mention)
        return found[0] if found else text

    def has_name(self, i: Person) -> bool:
        """Check whether a cluster has a mention that is no pronoun."""
        if isinstance(i, str):
            return True
        cluster = self.index.clusters[i]
        start, end = cluster.mentions[cluster.main]
        return self.scene.doc[start:end].text.lower() not in self.pronouns

    def between(self, start: int, end: int) -> List[Tuple[int, int, int]]:
        """List the mentions of people within some tokens."""
        if not self.mentions:
            return []
        first, last = np.searchsorted(self.starts, (start, end))
        return [one for one in self.mentions[first:last] if one[1] <= end]

    def can_be(self, person: Person, text: str) -> bool:
        """Check whether a person can be called by a pronoun."""
        if isinstance(person, str) or not self.mentions:
            return True
        rules = self.scene.lexicon.features
        mask = self.agreement[person] & (MALE | FEMALE)
        for features, forms in rules.items():
            if text in forms.split() and "Person=3" in features:
                if "Gender=Masc" in features:
                    return bool(mask & MALE)
                if "Gender=Fem" in features:
                    return bool(mask & FEMALE)
        return True


def attribute(scene: Scene) -> List[Quote]:
    """Decide who says each quotation of a document.

    RETURNS (List[Quote]): The quotations that somebody says, in text order.
    """
    cues = _find_cues(scene)
    people = People(scene)
    turns = _find_turns(scene, cues)
    for turn in turns:
        _read_cues(scene, people, turn, cues)
    _continue_paragraphs(scene, turns)
    for _ in range(3):
        for i, turn in enumerate(turns):
            if not turn.is_known:
                choose(turn, list_features(scene, people, turns, i, cues))
    return _collect(scene, people, turns, cues)


def _find_cues(scene: Scene) -> List[Optional[Cue]]:
    """Find the clause of each quotation; what it interrupts has it on both sides."""
    cues: List[Optional[Cue]] = []
    for i, one in enumerate(scene.quotations):
        cue = None if one.label else scene.find_cue(one)
        last = cues[-1] if cues else None
        before = scene.quotations[i - 1]
        if last and before.paragraph == one.paragraph and before.depth == one.depth:
            gap = range(before.outer[1], one.outer[0])
            # One sentence with the verb is all that is between them.
            is_between = last.verb in gap and one.outer[0] - last.end <= 1
            cue = last if is_between else cue
        cues.append(cue)
    return cues


def _find_turns(scene: Scene, cues: List[Optional[Cue]]) -> List[Turn]:
    turns: List[Turn] = []
    for row, one in enumerate(scene.quotations):
        if one.depth or not (one.label or cues[row] or scene.is_speech(one)):
            continue
        if turns and turns[-1].paragraph == one.paragraph and not one.label:
            before = scene.quotations[turns[-1].rows[-1]]
            is_next = before.outer[1] >= one.outer[0] and before.is_closed
            first = cues[turns[-1].rows[0]]
            own = cues[row]
            is_other = own and first and own.speaker != first.speaker
            if not (is_next or is_other) or own is first is not None:
                turns[-1].rows.append(row)
                continue
        turns.append(Turn([row], one.paragraph))
    return turns


def _read_cues(
    scene: Scene, people: People, turn: Turn, cues: List[Optional[Cue]]
) -> None:
    """Read who speaks from labels, and from clauses beside the quotations."""
    for row in turn.rows:
        one, cue = scene.quotations[row], cues[row]
        phrase = one.label or (cue and cue.speaker)
        if cue and cue.addressee:
            told = people.find(scene.to_offsets(*cue.addressee))
            turn.told += [told] if told is not None else []
        if phrase and turn.mention is None:
            turn.mention = scene.to_offsets(*phrase)
            turn.person = people.find(turn.mention)
            kind = _find_kind(scene, people, row, cue)
            turn.score = SURE[kind]
            turn.kind = kind
            turn.is_known = kind == SCRIPT or (
                kind == EXPLICIT and any(map(has_capital, scene.words[slice(*phrase)]))
            )


def _find_kind(scene: Scene, people: People, row: int, cue: Optional[Cue]) -> str:
    if scene.quotations[row].label:
        return SCRIPT
    if cue is None:
        return IMPLICIT
    if cue.speaker is None or cue.speaker[0] == cue.verb:
        return ANAPHORIC
    start, end = cue.speaker
    is_pronoun = end - start == 1 and scene.lows[start] in people.pronouns
    return ANAPHORIC if is_pronoun else EXPLICIT


def _continue_paragraphs(scene: Scene, turns: List[Turn]) -> None:
    """Let a speech go on in the next paragraph, if its marks were not closed."""
    for one, after in zip(turns, turns[1:], strict=False):
        last, first = scene.quotations[one.rows[-1]], scene.quotations[after.rows[0]]
        is_next = first.paragraph == last.paragraph + 1 and not last.is_closed
        if is_next and not after.is_known:
            after.rows, one.rows = one.rows + after.rows, []
            after.person, after.mention = one.person, one.mention
            after.is_known, after.score = one.is_known, one.score
            after.told = one.told + after.told


def list_features(
    scene: Scene, people: People, turns: List[Turn], i: int, cues: List[Optional[Cue]]
) -> Dict[Person, List[str]]:
    """List the features of each candidate for the speaker of a turn."""
    turn = turns[i]
    found: Dict[Person, List[str]] = {}

    def add(person: Optional[Person], name: str) -> None:
        if person is not None:
            found.setdefault(person, []).append(name)

    if not turn.rows:
        return found
    quotes = [scene.quotations[row] for row in turn.rows]
    first = quotes[0].outer[0]
    before = [one for one in turns[max(0, i - 8) : i] if one.rows]
    after = [one for one in turns[i + 1 : i + 5] if one.rows]
    near = [one for one in before if turn.paragraph - one.paragraph <= 8]
    later = [one for one in after if one.paragraph - turn.paragraph <= 6]
    for one in {id(t): t for t in (*near, *later)}.values():
        if one.person not in found:
            add(one.person, "speaks")
    if turn.mention:
        own = people.find(turn.mention)
        if own is not None:
            add(own, f"linked_{turn.kind}")
    if near:
        if turn.paragraph - near[-1].paragraph <= 1:
            add(near[-1].person, "same")
        for told in near[-1].told:
            add(told, "addressed")
    if len(near) > 1 and near[-2].person != near[-1].person:
        is_near = turn.paragraph - near[-2].paragraph <= 2
        add(near[-2].person, "alternates" if is_near else "alternates_apart")
    if later:
        add(later[0].person, "next")
        for told in later[0].told:
            add(told, "addressed")
    if len(later) > 1 and later[1].person != later[0].person:
        add(later[1].person, "alternates_back")
    add(_find_beat(scene, people, first), "beat_before")
    window = scene.tokens[max(0, first - _WINDOW)]
    for start, _, person in people.between(window, scene.tokens[first]):
        number = int(np.searchsorted(scene.tokens, start))
        if not scene.quoted[number] and "recent" not in found.get(person, ()):
            add(person, "recent")
    for quote in quotes:
        said = scene.to_offsets(quote.start, quote.end)
        for start, end, person in people.between(*said):
            if _is_vocative(scene, (start, end), quote):
                turn.told.append(person)
                if "vocative" not in found.get(person, ["vocative"]):
                    add(person, "vocative")
    pronoun = ""
    if turn.mention:
        pronoun = scene.doc[slice(*turn.mention)].text.lower()
    return {
        person: names
        for person, names in found.items()
        if not pronoun or people.can_be(person, pronoun)
    }


def _find_beat(scene: Scene, people: People, first: int) -> Optional[Person]:
    """Find the first person of the sentences right before a turn."""
    start = first
    while start and scene.is_joined(start - 1, first) and not scene.quoted[start - 1]:
        start -= 1
    for phrase in scene.list_phrases(start, first)[:1]:
        return people.find(scene.to_offsets(*phrase))
    return None


def _is_vocative(scene: Scene, mention: Offsets, quote: Quotation) -> bool:
    """Check whether a name addresses somebody: it is between signs."""
    start, end = (int(k) for k in np.searchsorted(scene.tokens, mention))
    if scene.lows[start] in scene.lexicon.pronouns:
        return False
    before = scene.words[start - 1] if start > quote.start else ""
    after = scene.words[end] if end < quote.end else ""
    return (before == "," and after in ("", *".!?,;—-")) or (
        before in ("", *".!?;—") and after in ("!", ",")
    )


def choose(turn: Turn, features: Dict[Person, List[str]]) -> None:
    """Choose the speaker of a turn by the weights of what speaks for each candidate."""
    if not features:
        return
    people = list(features)
    logits = np.array([sum(WEIGHTS[n] for n in features[one]) for one in people])
    shares = np.exp(logits - logits.max())
    shares /= shares.sum() + np.exp(-logits.max())
    best = int(shares.argmax())
    turn.person = people[best]
    turn.score = SURE.get(turn.kind, float(shares[best]))


def _collect(
    scene: Scene, people: People, turns: List[Turn], cues: List[Optional[Cue]]
) -> List[Quote]:
    found = []
    for turn in turns:
        for row in turn.rows:
            one, cue = scene.quotations[row], cues[row]
            kind = _find_kind(scene, people, row, cue)
            own = one.label or (cue and cue.speaker)
            mention: Tuple[int, ...] = scene.to_offsets(*own) if own else ()
            if turn.person is not None and not (own and turn.is_known):
                mention = _find_mention(scene, people, turn, one.outer[0])
            told = cue and cue.addressee and scene.to_offsets(*cue.addressee)
            if not told and turn.told:
                told = _find_nearest(scene, people, turn.told[-1], one.outer[0])
            found.append(
                Quote(
                    scene.to_offsets(one.start, one.end),
                    mention,
                    tuple(told or ()),
                    scene.tokens[cue.verb] if cue and cue.verb >= 0 else -1,
                    kind,
                    turn.score if mention else 0.0,
                )
            )
    for row, one in enumerate(scene.quotations):
        cue = cues[row]
        if one.depth and cue and cue.speaker:
            kind = _find_kind(scene, people, row, cue)
            span = scene.to_offsets(one.start, one.end)
            mention = scene.to_offsets(*cue.speaker)
            verb = scene.tokens[cue.verb]
            found.append(Quote(span, mention, (), verb, kind, SURE[kind]))
    return sorted(found)


def _find_mention(
    scene: Scene, people: People, turn: Turn, number: int
) -> Tuple[int, ...]:
    if turn.mention and people.find(turn.mention) == turn.person:
        return turn.mention
    return _find_nearest(scene, people, turn.person, number)


def _find_nearest(
    scene: Scene, people: People, person: Optional[Person], number: int
) -> Tuple[int, ...]:
    """Find the last mention of a person before a word, or else the first one."""
    if person is None:
        return ()
    if isinstance(person, int):
        mentions = people.index.clusters[person].mentions
    else:
        mentions = people.named[person]
    before = [one for one in mentions if one[0] < scene.tokens[number]]
    return before[-1] if before else mentions[0]
