"""Remember the turns of a conversation and its clusters.

All offsets are those of the whole conversation, as if its turns were one Doc.
"""

import math
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import (
    Any,
    Dict,
    Hashable,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Tuple,
)

import numpy as np
from spacy.tokens import Doc

from ..errors import Errors
from ..grammar.features import FIRST
from ..grammar.heads import find_all_heads, find_heads
from ..grammar.kinds import is_pronoun, rate_mention
from ..grammar.lexicon import get_lexicon
from ..grammar.pronouns import read_pronouns
from ..grammar.word_index import WordIndex, is_sign
from ..types import Cluster, Offsets


class Excerpt(NamedTuple):
    """Name a part of a turn, by token offsets in the whole conversation."""

    turn: int
    start: int
    end: int


class Member(NamedTuple):
    """Name a mention by the number of its cluster and its index in it."""

    number: int
    index: int


@dataclass
class Turn:
    """Hold one turn.

    start, length (int): The turn's first token, and the number of tokens of the Doc
        when the turn was added.
    members (Dict[Tuple[int, int], Member]): The mentions that are in clusters.
    found (List[Tuple[int, int]]): The mentions that the model found.
    """

    doc: Doc
    start: int
    length: int
    speaker: Optional[str] = None
    members: Dict[Offsets, Member] = field(default_factory=dict)
    found: List[Offsets] = field(default_factory=list)


class Memory:
    """Hold the turns and the clusters of a conversation.

    ATTRIBUTES:
        mains (Dict[int, Excerpt]): The most informative mention of each cluster.
        latest (Dict[Key, Excerpt]): The last mention with each of the find_token_keys.
    """

    def __init__(self) -> None:
        self.turns: List[Turn] = []
        self.clusters: Dict[int, Cluster] = {}
        self.mains: Dict[int, Excerpt] = {}
        self.latest: Dict[Key, Excerpt] = {}
        self._ratings: Dict[int, Tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self.turns)

    @property
    def n_tokens(self) -> int:
        """The number of tokens of all turns."""
        return self.turns[-1].start + self.turns[-1].length if self.turns else 0

    def find(self, doc: Any) -> Optional[int]:
        """Find the number of a turn; None for what is no turn."""
        numbers = (i for i, turn in enumerate(self.turns) if turn.doc is doc)
        return next(numbers, None)

    def find_part(self, start: int, end: int) -> Excerpt:
        """Find the turn that has these tokens."""
        starts = attrgetter("start")
        return Excerpt(bisect_right(self.turns, start, key=starts) - 1, start, end)

    def get_doc(self, number: int) -> Doc:
        """Get the Doc of a turn."""
        doc, expected = self.turns[number].doc, self.turns[number].length
        if len(doc) != expected:
            message = Errors.FC222.format(
                turn=number, length=len(doc), expected=expected
            )
            raise ValueError(message)
        return doc

    def get_excerpt(self, number: int) -> Excerpt:
        """Get a whole turn as an excerpt."""
        turn = self.turns[number]
        return Excerpt(number, turn.start, turn.start + turn.length)

    def cut(self, excerpt: Excerpt) -> Doc:
        """Cut an excerpt from its turn, which is given itself if it is whole."""
        doc, (start, end) = self.get_doc(excerpt.turn), self.find_offsets(excerpt)
        return doc if (start, end) == (0, len(doc)) else doc[start:end].as_doc()

    def find_offsets(self, excerpt: Excerpt) -> Offsets:
        """Find the offsets of an excerpt in its turn."""
        first = self.turns[excerpt.turn].start
        return excerpt.start - first, excerpt.end - first

    def list_members(self, part: Excerpt) -> Iterator[Tuple[Offsets, Member]]:
        """List the mentions in an excerpt that are in clusters."""
        for (start, end), member in self.turns[part.turn].members.items():
            if part.start <= start and end <= part.end:
                yield (start, end), member

    def add(
        self,
        doc: Doc,
        speaker: Optional[str],
        new: Dict[int, Cluster],
        found: Iterable[Offsets] = (),
    ) -> None:
        """Add a turn.

        new (Dict[int, Cluster]): The new mentions of each cluster by its number, with
            antecedents in the whole cluster. Mentions of an earlier turn belong to
            clusters that the new turn founds.
        """
        turn = Turn(doc, self.n_tokens, len(doc), speaker, found=list(found))
        self.turns.append(turn)
        for number, cluster in new.items():
            whole = self.clusters.setdefault(number, Cluster([], number=number))
            n_known = len(whole.mentions)
            whole.extend(cluster)
            for index in range(n_known, len(whole.mentions)):
                mention = whole.mentions[index]
                part = self.find_part(*mention)
                self.turns[part.turn].members[mention] = Member(number, index)
                self._rate(number, part, whole.heads[index] if whole.heads else [])
        keys, number = find_token_keys(doc, speaker), len(self) - 1
        places = [Excerpt(number, *m) for m in sorted({*turn.found, *turn.members})]
        own = np.array([*map(self.find_offsets, places)], dtype=np.int64)
        all_heads = find_all_heads(doc, own.reshape(-1, 2))
        # A later mention with the same key replaces an earlier one.
        for place, heads in zip(places, all_heads, strict=True):
            self.latest.update((keys[i], place) for i in heads if keys[i] is not None)

    def _rate(self, number: int, part: Excerpt, heads: List[int]) -> None:
        turn, (start, end) = self.turns[part.turn], self.find_offsets(part)
        own = [i - turn.start for i in heads] or find_heads(turn.doc, start, end)
        rating = rate_mention(turn.doc, start, end, own)
        if number not in self.mains or rating > self._ratings[number]:
            self.mains[number], self._ratings[number] = part, rating

    def list_new(self, new: Dict[int, Cluster]) -> List[Cluster]:
        """List the clusters of a turn before it is added, see list_turn and add."""
        first, clusters = self.n_tokens, []
        for number, cluster in new.items():
            n_known = len(self.clusters.get(number, Cluster([])).mentions)
            antecedents = [i - n_known for i in cluster.antecedents]
            own = [i for i, (start, _) in enumerate(cluster.mentions) if start >= first]
            one = replace(cluster, antecedents=antecedents).select(own)
            clusters.append(_move_to_turn(one, first))
        return clusters

    def list_turn(self, number: int) -> List[Cluster]:
        """List the clusters of one turn, by the turn's own offsets.

        Antecedents in other turns are left out.
        """
        turn = self.turns[number]
        indexes: Dict[int, List[int]] = {}
        for key, index in turn.members.values():
            indexes.setdefault(key, []).append(index)
        clusters = (self.clusters[key].select(own) for key, own in indexes.items())
        return [_move_to_turn(one, turn.start, turn.length) for one in clusters]


def _move_to_turn(cluster: Cluster, start: int, length: float = math.inf) -> Cluster:
    """Move a cluster to a turn's own offsets, without candidates of other turns."""
    end = start + length
    candidates = [
        [one for one in scored if start <= one[0] and one[1] <= end]
        for scored in cluster.candidates
    ]
    return replace(cluster, candidates=candidates).move(lambda i: i - start)


# A word, or for a first person the speaker and the pronoun's agreement bits.
Key = Hashable


def find_token_keys(doc: Doc, speaker: Optional[str]) -> List[Optional[Key]]:
    """Find the key of each token; None for other pronouns and for signs."""
    persons, masks = find_persons(doc)
    keys: List[Optional[Key]] = []
    for token, person, mask in zip(doc, persons, masks, strict=True):
        if person == FIRST:
            keys.append(None if speaker is None else (speaker, int(mask)))
        elif is_pronoun(token) or is_sign(token.text) or token.is_space:
            keys.append(None)
        else:
            keys.append(token.lower_)
    return keys


def find_persons(doc: Doc) -> Tuple[np.ndarray, np.ndarray]:
    """Find the person and the agreement bits of each token, 0 for no pronouns."""
    feats = np.zeros(len(doc), dtype=np.int64)
    lexicon = get_lexicon(doc.lang_)
    masks, persons, _ = read_pronouns(WordIndex(doc), lexicon, [""], feats)
    return persons, masks
