"""Convert between Docs and what the formats hold: text, words, offsets."""

from collections import Counter
from dataclasses import replace
from itertools import groupby
from typing import (
    Any,
    Dict,
    Hashable,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
)

import numpy as np
from spacy.attrs import IS_SPACE
from spacy.language import Language
from spacy.tokens import Doc, Span

from ..clusters.index import check_index
from ..clusters.store import set_clusters
from ..metrics.clusters import normalize
from ..span_groups import read_group
from ..span_keys import SPEAKERS
from ..types import Cluster, Offsets
from .base import Document
from .parsing import check_text

# Our label of words without a speaker, and all labels that corpora use for them.
NO_SPEAKER = "-"
_NO_SPEAKER = frozenset(("", NO_SPEAKER, "_"))
# The names of two mentions of the same entity.
Link = Tuple[Hashable, Hashable]


def make_doc(nlp: Language, text: str) -> Doc:
    """Make a Doc of a text, however long it is, and raise `nlp.max_length` for it."""
    check_text(text)
    # The text may be a whole novel.
    nlp.max_length = max(nlp.max_length, len(text))
    return nlp.make_doc(text)


def mark_doc(
    doc: Doc,
    key: str,
    clusters: Iterable[Iterable[Offsets]] = (),
    *,
    line: int = 1,
    turns: Iterable[Tuple[int, int, str]] = (),
    has_clusters: bool = True,
) -> Document:
    """Set the clusters and the turns of a text by character offsets, which are widened
    to whole tokens."""
    text, found, widened = doc.text, [], []
    for cluster in clusters:
        found.append([])
        for start, end in cluster:
            where = f"the mention of characters {start} to {end}"
            if not 0 <= start < end <= len(text):
                raise ValueError(f"{where} is not inside the {len(text)} characters")
            if text[start:end].isspace():
                raise ValueError(f"{where} is white space")
            offsets = widen(doc, start, end)
            span = doc[slice(*offsets)]
            if (span.start_char, span.end_char) != (start, end):
                widened.append(
                    f"{where}, {text[start:end]!r}, starts or ends inside a token; it "
                    f"is read as {span.text!r}"
                )
            found[-1].append(offsets)
    _set_turns(doc, [(*widen(doc, a, z), speaker) for a, z, speaker in turns])
    shared = _set_gold(doc, [[*dict.fromkeys(cluster)] for cluster in found])
    return Document(key, doc, line, True, has_clusters, widened, shared)


def link_doc(
    doc: Doc, key: str, mentions: Mapping[Hashable, Offsets], links: Iterable[Link]
) -> Document:
    """Join linked mentions of a text to clusters; those without a link stay alone."""
    groups = {name: [name] for name in mentions}
    for link in links:
        for name in link:
            if name not in groups:
                raise ValueError(f"there is a link to {name}, which is no mention")
        few, many = sorted((groups[name] for name in link), key=len)
        if few is not many:
            many += few
            groups.update(dict.fromkeys(few, many))
    unique = {id(group): group for group in groups.values()}.values()
    clusters = [[mentions[name] for name in group] for group in unique]
    # A span can be annotated twice, with its type and with its entity.
    clusters.sort(key=len, reverse=True)
    return mark_doc(doc, key, clusters)


def find_utf16_offsets(text: str) -> Dict[int, int]:
    """Map offsets in UTF-16 units, as of Java and JavaScript, to characters."""
    wide = np.array([ord(character) > 0xFFFF for character in text], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(1 + wide)])
    return dict(zip(offsets.tolist(), range(len(offsets)), strict=True))


def make_document_of_words(
    nlp: Language,
    key: str,
    words: Sequence[str],
    clusters: Sequence[Sequence[Offsets]] = (),
    *,
    line: int = 1,
    speakers: Optional[Sequence[str]] = None,
    types: Mapping[Offsets, str] = {},
    has_clusters: bool = True,
    **annotation: Any,
) -> Document:
    """Make a document of words and of their offsets. The types are those of all
    mentions, singletons too, or none."""
    speakers = speakers or [NO_SPEAKER] * len(words)
    if len(speakers) != len(words):
        raise ValueError(f"{len(speakers)} speakers for {len(words)} words")
    if not all(words):
        raise ValueError(f"word {[*words].index('')} is empty")
    check_text(" ".join(words))
    check_text(" ".join(speakers))
    for cluster in clusters:
        for (start, end), n in Counter(map(tuple, cluster)).items():
            where = f"the mention of words {start} to {end - 1}"
            if not 0 <= start < end <= len(words):
                raise ValueError(f"{where} is not inside the {len(words)} words")
            if n > 1:
                raise ValueError(f"{where} is listed twice in its cluster")
    doc = Doc(nlp.vocab, words=words, **annotation)
    set_speakers(doc, speakers)
    shared = _set_gold(doc, clusters, types)
    return Document(key, doc, line, False, has_clusters, (), shared)


def widen(doc: Doc, start: int, end: int) -> Offsets:
    """Widen a mention to whole tokens."""
    span = doc.char_span(start, end, alignment_mode="expand")
    return span.start, span.end


def _set_gold(
    doc: Doc,
    clusters: Sequence[Sequence[Offsets]],
    types: Mapping[Offsets, str] = {},
) -> List[Offsets]:
    """Set clusters, and list the mentions that were in several of them."""
    kept = normalize(clusters)
    labels = ([types.get(m, "") for m in one] if types else [] for one in kept)
    pairs = zip(kept, labels, strict=True)
    set_clusters(doc, [Cluster(one, types=found) for one, found in pairs])
    counts = Counter(mention for c in clusters for mention in {*map(tuple, c)})
    return [mention for mention, n in counts.items() if n > 1]


def _set_turns(doc: Doc, turns: Iterable[Tuple[int, int, str]]) -> None:
    spans = [Span(doc, start, end, label=speaker) for start, end, speaker in turns]
    if spans:
        doc.spans[SPEAKERS] = spans


def set_speakers(doc: Doc, speakers: Sequence[str]) -> None:
    """Set the turns of the speakers, given the one of each token."""
    turns, end = [], 0
    for speaker, tokens in groupby(speakers):
        start, end = end, end + len([*tokens])
        if speaker not in _NO_SPEAKER:
            turns.append((start, end, speaker))
    _set_turns(doc, turns)


def list_clusters(doc: Doc) -> List[List[Offsets]]:
    """List the token offsets of the mentions of each cluster of a Doc."""
    return [list(cluster.mentions) for cluster in check_index(doc).clusters]


def drop_singletons(doc: Doc) -> None:
    """Remove the clusters of one mention; those that are left are numbered anew."""
    clusters = check_index(doc).clusters
    kept = [replace(one, number=None) for one in clusters if len(one.mentions) > 1]
    set_clusters(doc, kept)


def list_types(doc: Doc) -> List[str]:
    """List the type of each cluster, the first that a mention has; "" for unknown."""
    clusters = check_index(doc).clusters
    return [next(filter(None, cluster.types), "") for cluster in clusters]


def list_sentences(doc: Doc) -> List[Offsets]:
    """List the sentences of a Doc; it is one if they are not annotated."""
    if doc.has_annotation("SENT_START"):
        return [(sent.start, sent.end) for sent in doc.sents]
    return [(0, len(doc))] if len(doc) else []


def list_speakers(doc: Doc) -> Optional[List[str]]:
    """List the speaker of each token."""
    turns = [turn for turn in read_group(doc, SPEAKERS) if turn.label_]
    if not turns:
        return None
    speakers = [NO_SPEAKER] * len(doc)
    for turn in turns:
        speakers[turn.start : turn.end] = [turn.label_] * len(turn)
    return speakers


class Visible:
    """Number the tokens of a Doc that are not white space, as formats of words do."""

    def __init__(self, doc: Doc) -> None:
        is_space = doc.to_array([IS_SPACE]).reshape(-1).astype(bool)
        self.places = np.concatenate([[0], np.cumsum(~is_space)]).tolist()
        self.tokens = [token for token in doc if not token.is_space]

    def move(self, spans: Iterable[Offsets]) -> List[Offsets]:
        """Move token offsets; spans that are white space alone are left out."""
        moved = [(self.places[start], self.places[end]) for start, end in spans]
        return [(start, end) for start, end in moved if start < end]

    def move_clusters(
        self, clusters: Iterable[Iterable[Offsets]]
    ) -> List[List[Offsets]]:
        """Move clusters, in which each span is one mention at most."""
        return normalize([self.move(cluster) for cluster in clusters])


def find_crossing(mentions: Iterable[Offsets]) -> Iterator[Tuple[Offsets, Offsets]]:
    """Find the pairs of mentions that overlap without nesting, the earlier first."""
    around: List[Offsets] = []
    for start, end in sorted(mentions):
        around = [mention for mention in around if mention[1] > start]
        for mention in around:
            if mention[0] < start and mention[1] < end:
                yield mention, (start, end)
        around.append((start, end))
