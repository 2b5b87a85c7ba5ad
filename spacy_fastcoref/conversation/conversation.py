"""Annotate a conversation turn by turn, each in bounded time."""

import reprlib
from dataclasses import replace
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc, Span

from ..clusters.store import set_clusters
from ..errors import Errors, check_setting
from ..factories import find_last_component, get_component
from ..resolution.policies import Policy
from ..resolution.resolve import DEFAULT_POLICY
from ..span_keys import SPEAKERS
from ..types import Cluster, Links, Offsets
from .context import copy_speakers, join, make_context, resolve_turn
from .memory import Member, Memory
from .storage import SETTINGS, dump, load


class Conversation:
    """Annotate a conversation turn by turn.

    The mentions of a new turn are linked to each other and to those of the words before
    it; earlier decisions never change, and a cluster keeps its number for ever. So a
    turn takes as long as its own words and those before it, however long the
    conversation is.

    nlp (Language): The pipeline. Components before the coreference component get each
        turn alone, and so do those after it.
    window (int): The number of words before a turn to which its mentions can be linked.
    reminders (int): The number of words from before the window that are added to it:
        those of the last mention with a word of the turn, such as a name, and of the
        speaker's last "I".
    RAISES (ValueError): The pipeline has no coreference component, or a setting is not
        valid.
    """

    def __init__(
        self, nlp: Language, *, window: int = 300, reminders: int = 50
    ) -> None:
        self._name = find_last_component(nlp)
        self.nlp = nlp
        self._set(window=window, reminders=reminders)
        self._memory = Memory()
        self._doc: Optional[Doc] = None

    def _set(self, **settings: Any) -> None:
        for name, value in settings.items():
            is_number = isinstance(value, int) and not isinstance(value, bool)
            expected = "a whole number of words, 0 or more"
            check_setting(name, value, is_number and value >= 0, expected)
        self.window, self.reminders = (settings[name] for name in SETTINGS)

    def __len__(self) -> int:
        return len(self._memory)

    @property
    def turns(self) -> List[Doc]:
        """List the turns.

        RETURNS (List[Doc]): The Docs that `add` has returned.
        """
        return [turn.doc for turn in self._memory.turns]

    @property
    def doc(self) -> Doc:
        """Get the whole conversation as one Doc.

        RETURNS (Doc): A Doc with the tokens' annotation, the clusters and, in
            doc.spans["speakers"], the speakers. Another turn makes a new one.
        """
        if self._doc is None:
            turns = [self._memory.get_doc(i) for i in range(len(self))]
            turns = turns or [Doc(self.nlp.vocab)]
            doc, starts = join(turns)
            copy_speakers(doc, [(turn, 0, len(turn)) for turn in turns], starts)
            set_clusters(doc, self._memory.clusters.values())
            self._doc = doc
        return self._doc

    def add(self, text: Union[str, Doc], *, speaker: Optional[str] = None) -> Doc:
        """Add a turn.

        If an error is raised, the conversation stays as it was.

        text (Union[str, Doc]): The turn.
        speaker (Optional[str]): The name of the speaker; None if it is not known.
        RETURNS (Doc): The turn. The group doc.spans["coref_clusters_7"] has the turn's
            mentions of cluster 7 of the conversation, even if it is only one.
        RAISES (ValueError): These are no turn and speaker.
        """
        self._check(text, speaker)
        component = get_component(self.nlp, self._name)
        names = self.nlp.pipe_names
        place = names.index(self._name)
        doc = self.nlp(text, disable=names[place:])
        if speaker and len(doc):
            doc.spans[SPEAKERS] = [Span(doc, 0, len(doc), label=speaker)]
        speaker = speaker or None
        new: Dict[int, Cluster] = {}
        found: List[Offsets] = []
        try:
            new, found = self._link(component, doc, speaker)
        except Exception as error:
            component.get_error_handler()(self._name, component, [doc], error)
        set_clusters(doc, self._memory.list_new(new))
        doc = self.nlp(doc, disable=names[: place + 1])
        self._memory.add(doc, speaker, new, found)
        # A new cluster can begin with a mention of an earlier turn.
        firsts = (cluster.mentions[0] for cluster in new.values())
        founded = {self._memory.find_part(*mention).turn for mention in firsts}
        for number in founded - {len(self) - 1}:
            set_clusters(self._memory.get_doc(number), self._memory.list_turn(number))
        self._doc = None
        return doc

    def _check(self, text: Any, speaker: Any) -> None:
        reason = None
        if not isinstance(text, (str, Doc)):
            reason = f"{reprlib.repr(text)} is neither a text nor a Doc"
        elif not isinstance(speaker, (str, type(None))):
            reason = f"the speaker is {reprlib.repr(speaker)}"
        elif isinstance(text, Doc) and text.vocab is not self.nlp.vocab:
            reason = "the Doc has another vocabulary"
        elif self._memory.find(text) is not None:
            reason = "the Doc is a turn already"
        if reason is not None:
            raise ValueError(Errors.FC220.format(reason=reason))

    def _link(
        self, component: Any, turn: Doc, speaker: Optional[str]
    ) -> Tuple[Dict[int, Cluster], List[Offsets]]:
        doc, starts, origins = make_context(
            self._memory, turn, speaker, self.window, self.reminders
        )
        doc = self._add_vectors(doc)
        links = _keep_new_links(component.predict([doc])[0], starts, len(doc))
        found = component.decode(doc, links)
        clusters = [one.move(origins.__getitem__) for one in found]
        first = starts[-1]
        mentions = links.mentions[links.mentions[:, 0] >= first]
        mentions += self._memory.n_tokens - first
        own = [(start, end) for start, end in mentions.tolist()]
        return _link_turn(clusters, self._memory), own

    def _add_vectors(self, doc: Doc) -> Doc:
        """Apply the components to whose vectors the coreference model listens."""
        listened = [
            name
            for name, pipe in self.nlp.pipeline
            if self._name in getattr(pipe, "listening_components", ())
        ]
        if not listened:
            return doc
        others = [name for name in self.nlp.pipe_names if name not in listened]
        return self.nlp(doc, disable=others)

    def resolve(self, turn: Doc, policy: Union[str, Policy] = DEFAULT_POLICY) -> str:
        """Resolve a turn, so that it can be read alone.

        Mentions are replaced by the main mentions of their clusters, which are those of
        the conversation so far.

        turn (Doc): A turn that `add` has returned.
        policy (Union[str, Policy]): The registered name of a policy, or a policy.
        RETURNS (str): The resolved text.
        RAISES (ValueError): This is no turn of the conversation, or there is no such
            policy.
        """
        number = self._memory.find(turn)
        if number is None:
            text = reprlib.repr(getattr(turn, "text", turn))
            raise ValueError(Errors.FC221.format(text=text))
        return resolve_turn(self._memory, number, policy)

    def to_bytes(self) -> bytes:
        """Serialize the conversation, without the pipeline.

        Of a turn, the annotation of tokens, the clusters and the speakers are kept.

        RETURNS (bytes): The turns, the clusters and the settings.
        """
        settings = {name: getattr(self, name) for name in SETTINGS}
        return dump(self._memory, settings)

    def from_bytes(self, bytes_data: bytes) -> "Conversation":
        """Load the conversation, without running code from the bytes.

        bytes_data (bytes): The bytes returned by to_bytes.
        RETURNS (Conversation): This conversation.
        RAISES (ValueError): The bytes are broken, or of another version. The
            conversation stays as it was.
        """
        memory, settings = load(bytes_data, self.nlp.vocab)
        self._set(**settings)
        self._memory, self._doc = memory, None
        return self


def _keep_new_links(links: Links, starts: List[int], length: int) -> Links:
    """Drop the links of earlier turns, and mentions that cross excerpts."""
    first, last = links.mentions[:, 0], links.mentions[:, 1] - 1
    bounds = np.array([*starts, length])
    parts = np.searchsorted(bounds, first, side="right")
    is_kept = parts == np.searchsorted(bounds, last, side="right")
    rows = np.flatnonzero(is_kept)
    places = np.where(is_kept, np.cumsum(is_kept) - 1, -1)
    antecedents = links.antecedents[rows]
    antecedents = np.where(antecedents >= 0, places[antecedents], -1)
    antecedents[first[rows] < starts[-1]] = -1
    scores = np.where(antecedents >= 0, links.scores[rows], -np.inf)
    # Links are sorted by score, the best first.
    order = np.argsort(-scores, axis=1, kind="stable")
    return replace(
        links,
        mentions=links.mentions[rows],
        mention_scores=links.mention_scores[rows],
        antecedents=np.take_along_axis(antecedents, order, 1).astype(np.int32),
        scores=np.take_along_axis(scores, order, 1),
        log_norms=links.log_norms[rows],
        types=None if links.types is None else links.types[rows],
    )


def _link_turn(clusters: Sequence[Cluster], memory: Memory) -> Dict[int, Cluster]:
    """Put the mentions of a new turn into clusters of the conversation."""
    # Clusters of earlier turns are never joined.
    first, n_known = memory.n_tokens, len(memory.clusters)
    new: Dict[int, Cluster] = {}

    def append(one: Cluster, number: int) -> Member:
        new.setdefault(number, Cluster([], number=number)).extend(one)
        parts = (memory.clusters.get(number), new[number])
        return Member(number, sum(len(part.mentions) for part in parts if part) - 1)

    def find(cluster: Cluster, i: int) -> Member:
        """Find the place of an earlier mention, or found a cluster with it."""
        mention = cluster.mentions[i]
        members = memory.turns[memory.find_part(*mention).turn].members
        one = replace(cluster.select([i]), scores=[0.0], probs=[1.0])
        return members.get(mention) or append(one, max(n_known, *new, 0) + 1)

    def list_later(cluster: Cluster) -> List[Offsets]:
        return [mention for mention in cluster.mentions if mention[0] >= first]

    # Number new clusters in the order of their first mentions in the turn.
    for cluster in sorted(filter(list_later, clusters), key=list_later):
        # The place of each mention of the cluster that is known so far.
        members: Dict[int, Member] = {}
        for j, mention in enumerate(cluster.mentions):
            if mention[0] < first:
                continue
            number, index = max(n_known, *new, 0) + 1, -1
            antecedent = cluster.antecedents[j]
            if antecedent >= 0:
                if antecedent not in members:
                    members[antecedent] = find(cluster, antecedent)
                number, index = members[antecedent]
            one = replace(cluster.select([j]), antecedents=[index])
            members[j] = append(one, number)
    return new
