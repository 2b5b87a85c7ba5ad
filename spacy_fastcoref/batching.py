"""Documents -> segments -> batches of a token budget, and back in order."""

from dataclasses import dataclass
from typing import Iterator, List, Optional, Sequence, Tuple

import numpy as np

# How much of an encoder batch may be padding before a new one is begun.
MAX_PADDING = 0.05


@dataclass
class Pieces:
    """Hold one document as word pieces.

    ids (numpy.ndarray): Shape (n_pieces,), the encoder's input, special tokens
        included.
    first (numpy.ndarray): Shape (n_words,), the index of each word's first piece.
    last (numpy.ndarray): Shape (n_words,), the index of each word's last piece.
    tokens (numpy.ndarray): Shape (n_words,), the index of each word among the Doc's
        tokens; tokens without any piece, such as white space, are no words here.
    candidates (Optional[Sequence[Tuple[int, int]]]): The only spans that can be
        mentions, as token offsets; None for all.
    """

    ids: np.ndarray
    first: np.ndarray
    last: np.ndarray
    tokens: np.ndarray
    candidates: Optional[Sequence[Tuple[int, int]]] = None

    @classmethod
    def from_words(cls, ids: Sequence[int], word_ids: Sequence[int]) -> "Pieces":
        """Find the words in a sequence of pieces.

        ids (Sequence[int]): The ids of the pieces.
        word_ids (Sequence[int]): For each the token it comes from, -1 for special
            tokens. A token's pieces stand together.
        RETURNS (Pieces): The document.
        """
        tokens = np.asarray(word_ids, dtype=np.int64).reshape(-1)
        first = np.flatnonzero((tokens >= 0) & (np.diff(tokens, prepend=-1) != 0))
        last = np.flatnonzero((tokens >= 0) & (np.diff(tokens, append=-1) != 0))
        ids = np.asarray(ids, dtype=np.int64).reshape(-1)
        return cls(ids, first, last, tokens[first])

    def __len__(self) -> int:
        return len(self.ids)


@dataclass
class Batch:
    """Hold several documents end to end.

    ids (numpy.ndarray): Shape (n_pieces,).
    first, last (numpy.ndarray): Shape (n_words,), indexes into `ids`.
    tokens (numpy.ndarray): Shape (n_words,), token indexes within each document.
    piece_ends (numpy.ndarray): Shape (n_docs,), where each document's pieces end.
    word_ends (numpy.ndarray): Shape (n_docs,), where each document's words end.
    candidates (List[Optional[Sequence[Tuple[int, int]]]]): For each document the only
        spans that can be mentions, None for all.
    """

    ids: np.ndarray
    first: np.ndarray
    last: np.ndarray
    tokens: np.ndarray
    piece_ends: np.ndarray
    word_ends: np.ndarray
    candidates: List[Optional[Sequence[Tuple[int, int]]]]

    @classmethod
    def from_pieces(cls, docs: Sequence[Pieces]) -> "Batch":
        """Put documents end to end.

        docs (Sequence[Pieces]): The documents, at least one.
        RETURNS (Batch): The batch.
        """
        piece_ends = np.cumsum([len(doc) for doc in docs])
        offsets = piece_ends - [len(doc) for doc in docs]
        return cls(
            np.concatenate([doc.ids for doc in docs]),
            np.concatenate(
                [doc.first + at for doc, at in zip(docs, offsets, strict=True)]
            ),
            np.concatenate(
                [doc.last + at for doc, at in zip(docs, offsets, strict=True)]
            ),
            np.concatenate([doc.tokens for doc in docs]),
            piece_ends,
            np.cumsum([len(doc.tokens) for doc in docs]),
            [doc.candidates for doc in docs],
        )

    @property
    def word_docs(self) -> np.ndarray:
        """Tell which document each word belongs to, shape (n_words,)."""
        return np.repeat(
            np.arange(len(self.word_ends)), np.diff(self.word_ends, prepend=0)
        )


def write_band(
    tokens: np.ndarray, width: int, clusters: Sequence[Sequence[Tuple[int, int]]]
) -> np.ndarray:
    """Write clusters of spans into the band of all spans of words.

    tokens (numpy.ndarray): Shape (n_words,), each word's index among the tokens.
    width (int): The most words in a span.
    clusters (Sequence[Sequence[Tuple[int, int]]]): Clusters in token offsets.
    RETURNS (numpy.ndarray): Shape (n_words, width), int64: at [i, d] the cluster of
        words i to i + d, -1 for none. Spans that are longer, or start or end in what
        is no word, are left out.
    """
    band = np.full((len(tokens), width), -1, dtype=np.int64)
    rows = [(*span, i) for i, cluster in enumerate(clusters) for span in cluster]
    if rows and len(tokens):
        starts, ends, names = np.array(rows).T
        first = np.minimum(np.searchsorted(tokens, starts), len(tokens) - 1)
        last = np.minimum(np.searchsorted(tokens, ends - 1), len(tokens) - 1)
        are_words = (tokens[first] == starts) & (tokens[last] == ends - 1)
        fits = are_words & (last - first < width)
        band[first[fits], (last - first)[fits]] = names[fits]
    return band


def group_documents(lengths: Sequence[int], max_tokens: int) -> Iterator[List[int]]:
    """Group documents so that each group fits a token budget.

    Long documents come first, so that a group's documents are alike in length and
    what does not fit into memory shows at once.

    lengths (Sequence[int]): The number of pieces of each document.
    max_tokens (int): The budget; a longer document makes a group of its own.
    YIELDS (List[int]): Indexes of documents; each occurs in exactly one group.
    """
    group: List[int] = []
    total = 0
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if group and total + lengths[i] > max_tokens:
            yield group
            group, total = [], 0
        group.append(i)
        total += lengths[i]
    if group:
        yield group


@dataclass
class Segments:
    """Hold consecutive stretches of pieces that the encoder sees one at a time.

    starts (numpy.ndarray): Shape (n_segments,).
    lengths (numpy.ndarray): Shape (n_segments,).
    """

    starts: np.ndarray
    lengths: np.ndarray

    @classmethod
    def from_ends(cls, ends: np.ndarray, max_length: int) -> "Segments":
        """Cut documents that stand end to end into full segments and a leftover each.

        See F-coref (Otmazgin et al. 2022), section 4.2.

        ends (numpy.ndarray): Shape (n_docs,), where each document ends.
        max_length (int): The most pieces in a segment.
        RETURNS (Segments): The segments in text order.
        """
        lengths = np.diff(ends, prepend=0)
        counts = -(-lengths // max_length)
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        starts = np.repeat(ends - lengths, counts) + within * max_length
        stops = np.minimum(starts + max_length, np.repeat(ends, counts))
        return cls(starts, stops - starts)

    def pack(self, max_tokens: int) -> Iterator[np.ndarray]:
        """Group segments of like length into encoder batches.

        max_tokens (int): The most pieces in a batch, padding included; a longer
            segment makes a batch of its own.
        YIELDS (numpy.ndarray): Indexes of segments, the longest first; each occurs
            in exactly one batch.
        """
        order = np.argsort(-self.lengths, kind="stable")
        begin = total = 0
        for i, segment in enumerate(order):
            length = self.lengths[segment]
            area = self.lengths[order[begin]] * (i - begin + 1)
            padding = area - total - length
            if i > begin and (area > max_tokens or padding > MAX_PADDING * area):
                yield order[begin:i]
                begin, total = i, 0
            total += length
        if len(order):
            yield order[begin:]

    def get_positions(self, chosen: np.ndarray):
        """Find the pieces of some segments, padded to the longest.

        chosen (numpy.ndarray): Shape (n_chosen,), indexes of segments.
        RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): The position of each piece and
            whether it is one, both of shape (n_chosen, max_length); what is padded
            has the position of the segment's first piece.
        """
        lengths = self.lengths[chosen]
        steps = np.arange(lengths.max())
        mask = steps < lengths[:, None]
        positions = self.starts[chosen][:, None] + np.where(mask, steps, 0)
        return positions, mask
