"""Remember the turns of a conversation and the mentions of its clusters."""

from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Tuple

from spacy.tokens import Doc

from ..errors import Errors
from ..grammar.heads import find_heads
from ..grammar.kinds import rate_mention
from ..types import Cluster
from .keys import Key, find_keys

Offsets = Tuple[int, int]


class Mention(NamedTuple):
    """Hold a mention of a cluster, with its link.

    turn (int): The number of the turn, counted from 0.
    start, end (int): The token offsets in the turn.
    antecedent (int): The index of the antecedent in the cluster; -1 for none.
    score (float): The log-odds of the link.
    prob (float): The probability of the link.
    heads (Optional[List[int]]): The head tokens; None for those that find_heads finds.
    """

    turn: int
    start: int
    end: int
    antecedent: int = -1
    score: float = 0.0
    prob: float = 1.0
    heads: Optional[List[int]] = None


class Excerpt(NamedTuple):
    """Name a part of a turn.

    turn (int): The number of the turn.
    start, end (int): Token offsets in the turn.
    """

    turn: int
    start: int
    end: int


class Member(NamedTuple):
    """Name a mention by its cluster.

    number (int): The number of the cluster.
    index (int): The index of the mention in the cluster.
    """

    number: int
    index: int


@dataclass
class Turn:
    """Hold one turn.

    doc (Doc): The turn.
    start (int): The turn's first token in the whole conversation.
    length (int): The number of tokens of the Doc when the turn was added.
    speaker (Optional[str]): The speaker; None if unknown.
    members (Dict[Tuple[int, int], Member]): The mentions that are in clusters, by their
        token offsets.
    found (List[Tuple[int, int]]): The mentions that the model found, in clusters or
        not.
    """

    doc: Doc
    start: int
    length: int
    speaker: Optional[str] = None
    members: Dict[Offsets, Member] = field(default_factory=dict)
    found: List[Offsets] = field(default_factory=list)


# The new mentions of each cluster, by its number.
Changes = Dict[int, List[Mention]]


class Memory:
    """Hold the turns and the clusters of a conversation.

    ATTRIBUTES:
        turns (List[Turn]): The turns.
        clusters (Dict[int, List[Mention]]): The mentions of each cluster in text order,
            by the number of the cluster.
        mains (Dict[int, Mention]): The most informative mention of each cluster.
        places (Dict[Key, Excerpt]): The last mention with each key, see find_keys.
    """

    def __init__(self) -> None:
        self.turns: List[Turn] = []
        self.clusters: Dict[int, List[Mention]] = {}
        self.mains: Dict[int, Mention] = {}
        self.places: Dict[Key, Excerpt] = {}
        self._ratings: Dict[int, Tuple[int, ...]] = {}
        # The Docs are kept, so that no other object gets the same identity.
        self._numbers: Dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.turns)

    @property
    def n_tokens(self) -> int:
        """Count the tokens of all turns.

        RETURNS (int): The number.
        """
        return self.turns[-1].start + self.turns[-1].length if self.turns else 0

    def find(self, doc: Any) -> Optional[int]:
        """Find the number of a turn.

        doc (Any): A Doc.
        RETURNS (Optional[int]): The number; None if this is no turn.
        """
        return self._numbers.get(id(doc))

    def get_doc(self, number: int) -> Doc:
        """Get the Doc of a turn.

        number (int): The number of the turn.
        RETURNS (Doc): The Doc.
        RAISES (ValueError): Its tokens were merged or split after it was added.
        """
        turn = self.turns[number]
        if len(turn.doc) != turn.length:
            raise ValueError(
                Errors.FC222.format(
                    turn=number, length=len(turn.doc), expected=turn.length
                )
            )
        return turn.doc

    def add(
        self,
        doc: Doc,
        speaker: Optional[str],
        changes: Changes,
        found: Iterable[Offsets] = (),
    ) -> None:
        """Add a turn.

        doc (Doc): The turn.
        speaker (Optional[str]): The speaker; None if unknown.
        changes (Changes): The new mentions of each cluster, in text order. Those of an
            earlier turn belong to clusters that the new turn founds.
        found (Iterable[Tuple[int, int]]): The mentions of the turn that the model
            found, in clusters or not.
        """
        turn = Turn(doc, self.n_tokens, len(doc), speaker, found=list(found))
        self._numbers[id(doc)] = len(self)
        self.turns.append(turn)
        for key, mentions in changes.items():
            cluster = self.clusters.setdefault(key, [])
            for mention in mentions:
                members = self.turns[mention.turn].members
                members[mention.start, mention.end] = Member(key, len(cluster))
                cluster.append(mention)
                self._rate(key, mention)
        offsets = sorted({*turn.found, *turn.members})
        all_keys = find_keys(doc, offsets, speaker)
        # A later mention with the same key replaces an earlier one.
        for (start, end), keys in zip(offsets, all_keys, strict=True):
            place = Excerpt(len(self) - 1, start, end)
            self.places.update(dict.fromkeys(keys, place))

    def _rate(self, number: int, mention: Mention) -> None:
        doc = self.turns[mention.turn].doc
        heads = mention.heads or find_heads(doc, mention.start, mention.end)
        rating = rate_mention(doc, mention.start, mention.end, heads)
        if number not in self.mains or rating > self._ratings[number]:
            self.mains[number], self._ratings[number] = mention, rating

    def list_new(self, changes: Changes) -> List[Cluster]:
        """List the clusters of a turn before it is added, by the turn's own offsets.

        changes (Changes): The new mentions of each cluster.
        RETURNS (List[Cluster]): The clusters with their numbers. Antecedents in
            other turns are left out.
        """
        found = []
        for number, mentions in changes.items():
            own = [mention for mention in mentions if mention.turn == len(self)]
            first = len(self.clusters.get(number, ())) + len(mentions) - len(own)
            if own:
                found.append(make_cluster(number, own, first))
        return found

    def list_turn(self, number: int) -> List[Cluster]:
        """List the clusters of one turn, by the turn's own offsets.

        number (int): The number of the turn.
        RETURNS (List[Cluster]): The clusters with their numbers. Antecedents in
            other turns are left out.
        """
        found: Dict[int, List[int]] = {}
        for member in self.turns[number].members.values():
            found.setdefault(member.number, []).append(member.index)
        return [
            make_cluster(key, [self.clusters[key][i] for i in indexes], indexes[0])
            for key, indexes in found.items()
        ]

    def list_all(self) -> List[Cluster]:
        """List all clusters, by the offsets of the whole conversation.

        RETURNS (List[Cluster]): The clusters with their numbers.
        """
        starts = [turn.start for turn in self.turns]
        return [
            make_cluster(key, [move(m, starts[m.turn]) for m in mentions])
            for key, mentions in self.clusters.items()
        ]


def move(mention: Mention, offset: int) -> Mention:
    """Move a mention to other token offsets.

    mention (Mention): The mention.
    offset (int): The number of tokens to add.
    RETURNS (Mention): The mention.
    """
    heads = mention.heads and [head + offset for head in mention.heads]
    return mention._replace(
        start=mention.start + offset, end=mention.end + offset, heads=heads
    )


def make_cluster(
    number: Optional[int], mentions: List[Mention], first: int = 0
) -> Cluster:
    """Make what is stored in a Doc for a cluster.

    number (Optional[int]): The number of the cluster; None for its place in the Doc.
    mentions (List[Mention]): Mentions that follow each other in the cluster.
    first (int): The index of the first of them in the cluster.
    RETURNS (Cluster): The cluster.
    """
    heads = [mention.heads or [] for mention in mentions]
    return Cluster(
        [(mention.start, mention.end) for mention in mentions],
        [max(mention.antecedent - first, -1) for mention in mentions],
        [mention.score for mention in mentions],
        [mention.prob for mention in mentions],
        heads=heads if all(heads) else [],
        number=number,
    )
