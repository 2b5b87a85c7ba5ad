"""Write a conversation to bytes, and read it without running code from them."""

from typing import Any, Dict, List, Sequence, Set, Tuple

import srsly
from spacy.tokens import DocBin, Span
from spacy.tokens._dict_proxies import SpanGroups
from spacy.vocab import Vocab

from ..clusters.store import set_clusters
from ..errors import Errors
from ..span_groups import read_group
from ..span_keys import SPEAKERS
from .memory import Changes, Memory, Mention, Offsets

SETTINGS = ("window", "reminders")
_FORMAT = "spacy_fastcoref.Conversation.v1"


def dump(memory: Memory, settings: Dict[str, Any]) -> bytes:
    """Write the turns and the clusters of a conversation.

    memory (Memory): The conversation.
    settings (Dict[str, Any]): The settings.
    RETURNS (bytes): The bytes.
    """
    # spaCy reads groups of spans without a check of their offsets, so clusters and
    # speakers are written as plain numbers.
    docs = DocBin()
    turns = []
    for number, turn in enumerate(memory.turns):
        doc = memory.get_doc(number).copy()
        spoken = [(s.start, s.end, s.label_) for s in read_group(doc, SPEAKERS)]
        doc.spans.clear()
        docs.add(doc)
        turns.append([turn.speaker, spoken, turn.found])
    fields = {
        "format": _FORMAT,
        "settings": settings,
        "docs": docs.to_bytes(),
        "turns": turns,
        "clusters": [memory.clusters[i + 1] for i in range(len(memory.clusters))],
    }
    return srsly.msgpack_dumps(fields)


def load(data: bytes, vocab: Vocab) -> Tuple[Memory, Dict[str, Any]]:
    """Read what `dump` has written.

    data (bytes): The bytes.
    vocab (Vocab): The vocabulary of the Docs.
    RETURNS (Tuple[Memory, Dict[str, Any]]): The conversation and the settings.
    RAISES (ValueError): The bytes are broken, or another version wrote them.
    """
    try:
        fields = srsly.msgpack_loads(data)
        if fields["format"] != _FORMAT:
            raise ValueError(f"the format is {fields['format']!r}, not {_FORMAT!r}")
        settings = {name: fields["settings"][name] for name in SETTINGS}
        return _read(fields, vocab), settings
    except Exception as error:
        # msgpack and DocBin raise a dozen kinds of errors.
        reason = f"{type(error).__name__}, {error}"
        raise ValueError(Errors.FC223.format(reason=reason)) from error


def _read(fields: Dict[str, Any], vocab: Vocab) -> Memory:
    docs = DocBin().from_bytes(fields["docs"])
    if set(docs.span_groups) - {SpanGroups._EMPTY_BYTES} or any(docs.user_data):
        raise ValueError("the turns have groups of spans, or user data")
    turns = list(zip(docs.get_docs(vocab), fields["turns"], strict=True))
    changes: List[Changes] = [{} for _ in turns]
    places: Set[Tuple[Any, ...]] = set()
    for number, rows in enumerate(fields["clusters"], start=1):
        for mention in _read_cluster(rows):
            if mention[:3] in places:
                raise ValueError(f"the mention {mention[:3]} is in two clusters")
            places.add(mention[:3])
            changes[mention.turn].setdefault(number, []).append(mention)
    memory = Memory()
    for i, (doc, (speaker, spoken, found)) in enumerate(turns):
        if not isinstance(speaker, (str, type(None))):
            raise TypeError(f"the speaker is {speaker!r}")
        offsets = [(start, end) for start, end, _ in spoken]
        offsets += [(m.start, m.end) for found in changes[i].values() for m in found]
        found = [(start, end) for start, end in found]
        offsets += found
        _check_offsets(offsets, len(doc))
        spans = [Span(doc, start, end, label=label) for start, end, label in spoken]
        if spans:
            doc.spans[SPEAKERS] = spans
        memory.add(doc, speaker, changes[i], found)
        set_clusters(doc, memory.list_turn(i))
    return memory


def _read_cluster(rows: Sequence[Sequence[Any]]) -> List[Mention]:
    mentions = [Mention(*row) for row in rows]
    places = [mention[:3] for mention in mentions]
    if not mentions or places != sorted(set(places)) or places[0][0] < 0:
        raise ValueError("the mentions of a cluster are not in order")
    for i, mention in enumerate(mentions):
        if not -1 <= mention.antecedent < i:
            raise ValueError(f"{mention.antecedent} is no earlier mention")
        for head in mention.heads or ():
            if not mention.start <= head < mention.end:
                raise ValueError(f"the head {head} is outside of its mention")
    return mentions


def _check_offsets(spans: List[Offsets], length: int) -> None:
    for start, end in spans:
        if not (isinstance(start, int) and isinstance(end, int)):
            raise TypeError(f"({start!r}, {end!r}) are not numbers")
        if not 0 <= start < end <= length:
            raise ValueError(f"({start}, {end}) is outside of its turn")
