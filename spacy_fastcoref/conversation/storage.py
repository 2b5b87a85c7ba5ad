"""Write a conversation to bytes, and read it without running code from them."""

import reprlib
from bisect import bisect_right
from dataclasses import replace
from itertools import accumulate
from operator import attrgetter
from typing import Any, Dict, List, Tuple

import srsly
from spacy.tokens import Doc, DocBin, Span
from spacy.tokens._dict_proxies import SpanGroups
from spacy.vocab import Vocab

from ..clusters.index import make_index
from ..clusters.store import set_clusters
from ..errors import name_bytes_in_errors
from ..files import check_packed
from ..span_groups import read_group
from ..span_keys import SPEAKERS
from ..types import CLUSTER_ATTRS, Cluster, Offsets
from .context import join
from .memory import Memory

SETTINGS = ("window", "reminders")
_FORMAT = "spacy_fastcoref.Conversation.v1"
_LISTS = ("mentions", *CLUSTER_ATTRS)


def dump(memory: Memory, settings: Dict[str, Any]) -> bytes:
    """Write the turns and the clusters of a conversation."""
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
        "clusters": [
            {name: getattr(memory.clusters[i + 1], name) for name in _LISTS}
            for i in range(len(memory.clusters))
        ],
    }
    return srsly.msgpack_dumps(fields)


@name_bytes_in_errors()
def load(data: bytes, vocab: Vocab) -> Tuple[Memory, Dict[str, Any]]:
    """Read what `dump` has written.

    RAISES (ValueError): The bytes are broken, or another version wrote them.
    """
    fields = srsly.msgpack_loads(data)
    if fields["format"] != _FORMAT:
        raise ValueError(f"the format is {fields['format']!r}, not {_FORMAT!r}")
    settings = {name: fields["settings"][name] for name in SETTINGS}
    docs = DocBin().from_bytes(check_packed(fields["docs"]))
    if set(docs.span_groups) - {SpanGroups._EMPTY_BYTES} or any(docs.user_data):
        raise ValueError("the turns have groups of spans, or user data")
    turns = list(zip(docs.get_docs(vocab), fields["turns"], strict=True))
    starts = [0, *accumulate(len(doc) for doc, _ in turns)]
    new: List[Dict[int, Cluster]] = [{} for _ in turns]
    whole, _ = join([doc for doc, _ in turns] or [Doc(vocab)])
    clusters = _read_clusters(whole, fields["clusters"])
    for number, cluster in enumerate(clusters, start=1):
        for i, mention in enumerate(cluster.mentions):
            one = replace(cluster.select([i]), antecedents=[cluster.antecedents[i]])
            turn = bisect_right(starts, mention[0]) - 1
            if mention[1] > starts[turn + 1]:
                raise ValueError(f"the mention {mention} is in two turns")
            new[turn].setdefault(number, Cluster([])).extend(one)
    memory = Memory()
    for i, (doc, (speaker, spoken, found)) in enumerate(turns):
        if not isinstance(speaker, (str, type(None))):
            raise TypeError(f"the speaker is {speaker!r}")
        found = [(start, end) for start, end in found]
        _check_offsets(found, starts[i], starts[i + 1])
        _check_offsets([(start, end) for start, end, _ in spoken], 0, len(doc))
        spans = [Span(doc, start, end, label=label) for start, end, label in spoken]
        if spans:
            doc.spans[SPEAKERS] = spans
        memory.add(doc, speaker, new[i], found)
        set_clusters(doc, memory.list_turn(i))
    return memory, settings


def _read_clusters(doc: Doc, rows: List[Dict[str, Any]]) -> List[Cluster]:
    """Read the clusters of the whole conversation, and check them in its Doc."""
    given = [Cluster(**row, number=i) for i, row in enumerate(rows, start=1)]
    for one in given:
        one.mentions = [(start, end) for start, end in one.mentions]
    set_clusters(doc, given)
    found = sorted(make_index(doc).clusters, key=attrgetter("number"))
    for one, other in zip(given, found, strict=True):
        for name in _LISTS:
            values, read = getattr(one, name), getattr(other, name)
            # What is not valid was changed, or left out; what is empty may be filled.
            if values and [a or b for a, b in zip(values, read, strict=True)] != read:
                raise ValueError(f"these are no {name}: {reprlib.repr(values)}")
    return given


def _check_offsets(spans: List[Offsets], first: int, last: int) -> None:
    for start, end in spans:
        if not (isinstance(start, int) and isinstance(end, int)):
            raise TypeError(f"({start!r}, {end!r}) are not numbers")
        if not first <= start < end <= last:
            raise ValueError(f"({start}, {end}) is outside of its turn")
