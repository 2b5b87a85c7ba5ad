"""Convert between Docs and what the formats hold: text, words, offsets."""

from dataclasses import replace
from typing import Iterable, List, Optional, Sequence, Tuple

import numpy as np
from spacy.attrs import IS_SPACE
from spacy.language import Language
from spacy.tokens import Doc, Span

from ..clusters.index import check_index
from ..clusters.store import set_clusters
from ..metrics.clusters import normalize
from ..span_groups import read_group
from ..span_keys import SPEAKERS
from ..training.readers.records import NO_SPEAKER, Record
from ..training.readers.text_record import widen
from ..types import Cluster

Offsets = Tuple[int, int]


def make_doc(
    nlp: Language,
    text: str,
    clusters: Iterable[Iterable[Offsets]] = (),
    turns: Iterable[Tuple[int, int, str]] = (),
) -> Doc:
    """Make a Doc of a text and of character offsets.

    nlp (Language): The pipeline, for its tokenizer. Its `max_length` is raised to the
        length of the text.
    text (str): The text.
    clusters (Iterable[Iterable[Tuple[int, int]]]): The character offsets of the
        mentions of each cluster. Mentions are widened to whole tokens.
    turns (Iterable[Tuple[int, int, str]]): The character offsets of each turn, and its
        speaker.
    RETURNS (Doc): The document.
    """
    # The text may be a whole novel.
    nlp.max_length = max(nlp.max_length, len(text))
    doc = nlp.make_doc(text)
    widened = [[widen(doc, *mention) for mention in cluster] for cluster in clusters]
    set_clusters(doc, normalize(widened))
    spans = [(*widen(doc, start, end), speaker) for start, end, speaker in turns]
    _set_turns(doc, spans)
    return doc


def make_doc_of_words(nlp: Language, record: Record) -> Doc:
    """Make a Doc of a document of tokens.

    nlp (Language): The pipeline, for its vocabulary.
    record (Record): The document.
    RETURNS (Doc): The document with its clusters.
    """
    doc = record.make_doc(nlp.vocab)
    clusters = normalize(record.clusters)
    types = record.types
    labels = [[types.get(m, "") for m in one] if types else [] for one in clusters]
    set_clusters(doc, map(_make_cluster, clusters, labels))
    return doc


def _make_cluster(mentions: List[Offsets], types: List[str]) -> Cluster:
    return Cluster(mentions, types=types)


def _set_turns(doc: Doc, turns: Sequence[Tuple[int, int, str]]) -> None:
    if turns:
        doc.spans[SPEAKERS] = [Span(doc, *turn[:2], label=turn[2]) for turn in turns]


def list_clusters(doc: Doc) -> List[List[Offsets]]:
    """List the clusters of a Doc.

    doc (Doc): The document.
    RETURNS (List[List[Tuple[int, int]]]): The token offsets of the mentions of each
        cluster, the end exclusive.
    """
    return [list(cluster.mentions) for cluster in check_index(doc).clusters]


def drop_singletons(doc: Doc) -> None:
    """Remove the clusters of one mention.

    doc (Doc): The document.
    """
    clusters = check_index(doc).clusters
    kept = [replace(one, number=None) for one in clusters if len(one.mentions) > 1]
    set_clusters(doc, kept)


def list_types(doc: Doc) -> List[str]:
    """List the entity types of the clusters of a Doc.

    doc (Doc): The document.
    RETURNS (List[str]): The type of each cluster, the first one that a mention of it
        has; "" for unknown.
    """
    clusters = check_index(doc).clusters
    return [next(filter(None, cluster.types), "") for cluster in clusters]


def list_sentences(doc: Doc) -> List[Offsets]:
    """List the sentences of a Doc.

    doc (Doc): The document.
    RETURNS (List[Tuple[int, int]]): The token offsets of the sentences; one sentence if
        they are not annotated.
    """
    if doc.has_annotation("SENT_START"):
        return [(sent.start, sent.end) for sent in doc.sents]
    return [(0, len(doc))] if len(doc) else []


def list_speakers(doc: Doc) -> Optional[List[str]]:
    """List the speaker of each token.

    doc (Doc): The document.
    RETURNS (Optional[List[str]]): The speakers, "-" for none; None if there are none.
    """
    turns = [turn for turn in read_group(doc, SPEAKERS) if turn.label_]
    if not turns:
        return None
    speakers = [NO_SPEAKER] * len(doc)
    for turn in turns:
        speakers[turn.start : turn.end] = [turn.label_] * len(turn)
    return speakers


class Visible:
    """Number the tokens of a Doc that are not white space, as formats of words do.

    doc (Doc): The document.
    """

    def __init__(self, doc: Doc) -> None:
        is_space = doc.to_array([IS_SPACE]).reshape(-1).astype(bool)
        self.places = np.concatenate([[0], np.cumsum(~is_space)]).tolist()
        self.tokens = [token for token in doc if not token.is_space]

    def move(self, spans: Iterable[Offsets]) -> List[Offsets]:
        """Move token offsets to the tokens that are not white space.

        spans (Iterable[Tuple[int, int]]): The token offsets of the Doc.
        RETURNS (List[Tuple[int, int]]): The new offsets, without spans that are white
            space alone.
        """
        moved = [(self.places[start], self.places[end]) for start, end in spans]
        return [(start, end) for start, end in moved if start < end]

    def move_clusters(
        self, clusters: Iterable[Iterable[Offsets]]
    ) -> List[List[Offsets]]:
        """Move clusters, in which each span is one mention at most.

        clusters (Iterable[Iterable[Tuple[int, int]]]): The token offsets of the Doc.
        RETURNS (List[List[Tuple[int, int]]]): The new offsets.
        """
        return normalize([self.move(cluster) for cluster in clusters])


def find_crossing(cluster: Iterable[Offsets]) -> Optional[Tuple[Offsets, Offsets]]:
    """Find two mentions that overlap without nesting.

    cluster (Iterable[Tuple[int, int]]): The mentions.
    RETURNS (Optional[Tuple[Tuple[int, int], Tuple[int, int]]]): The first two, the
        earlier mention first; None if there are none.
    """
    stack: List[Offsets] = []
    for start, end in sorted(cluster, key=lambda span: (span[0], -span[1])):
        while stack and stack[-1][1] <= start:
            stack.pop()
        if stack and stack[-1][1] < end:
            return stack[-1], (start, end)
        stack.append((start, end))
    return None
