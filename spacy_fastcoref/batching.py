"""Documents -> segments -> batches of a token budget, and back in order."""

from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np

# How much of an encoder batch may be padding before a new one is begun.
MAX_PADDING = 0.015


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
    codes (Dict[str, numpy.ndarray]): What else a model reads from the document, by
        name; each of shape (n_words,), int64.
    is_name (Optional[numpy.ndarray]): Shape (n_words,), bool: which words are written
        as proper names are; None if that is not known.
    vectors (Optional[Any]): Shape (n_pieces, width), where another component has made
        them; None if the encoder does.
    """

    ids: np.ndarray
    first: np.ndarray
    last: np.ndarray
    tokens: np.ndarray
    candidates: Optional[Sequence[Tuple[int, int]]] = None
    codes: Dict[str, np.ndarray] = field(default_factory=dict)
    is_name: Optional[np.ndarray] = None
    vectors: Optional[Any] = None

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

    def has_same_input(self, other: "Pieces") -> bool:
        """Check whether a network computes the same for another document.

        other (Pieces): The other one. Its vectors are not compared.
        RETURNS (bool): Whether everything else is equal.
        """
        names = ("ids", "first", "last", "tokens")
        arrays = [(getattr(self, name), getattr(other, name)) for name in names]
        if self.codes.keys() != other.codes.keys():
            return False
        arrays += [(self.codes[name], other.codes[name]) for name in self.codes]
        return self.candidates == other.candidates and all(
            np.array_equal(one, two) for one, two in arrays
        )

    def keep_words(self, tokens: np.ndarray) -> "Pieces":
        """Keep some of the words, and all pieces.

        tokens (numpy.ndarray): Which words, by their token indexes.
        RETURNS (Pieces): The document.
        """
        kept = np.isin(self.tokens, tokens)
        is_name = None if self.is_name is None else self.is_name[kept]
        return replace(
            self,
            first=self.first[kept],
            last=self.last[kept],
            tokens=self.tokens[kept],
            codes={name: codes[kept] for name, codes in self.codes.items()},
            is_name=is_name,
        )


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
    codes (Dict[str, numpy.ndarray]): What else a model reads, by name; each of shape
        (n_words,).
    is_name (numpy.ndarray): Shape (n_words,), bool: which words are written as proper
        names are.
    vectors (List[Any]): For each document its vectors, None if the encoder makes them.
    """

    ids: np.ndarray
    first: np.ndarray
    last: np.ndarray
    tokens: np.ndarray
    piece_ends: np.ndarray
    word_ends: np.ndarray
    candidates: List[Optional[Sequence[Tuple[int, int]]]]
    codes: Dict[str, np.ndarray]
    is_name: np.ndarray
    vectors: List[Any]

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
            {
                name: np.concatenate([doc.codes[name] for doc in docs])
                for name in docs[0].codes
            },
            np.concatenate(
                [
                    np.zeros(len(doc.tokens), dtype=bool)
                    if doc.is_name is None
                    else doc.is_name
                    for doc in docs
                ]
            ),
            [doc.vectors for doc in docs],
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
        words i to i + d, -1 for none. Spans that are longer, have no tokens, or start
        or end in what is no word, are left out.
    """
    band = np.full((len(tokens), width), -1, dtype=np.int64)
    rows = [(*span, i) for i, cluster in enumerate(clusters) for span in cluster]
    if rows and len(tokens):
        starts, ends, names = np.array(rows).T
        first = np.minimum(np.searchsorted(tokens, starts), len(tokens) - 1)
        last = np.minimum(np.searchsorted(tokens, ends - 1), len(tokens) - 1)
        are_words = (tokens[first] == starts) & (tokens[last] == ends - 1)
        fits = are_words & (first <= last) & (last - first < width)
        band[first[fits], (last - first)[fits]] = names[fits]
    return band


def hash_spans(ids: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Hash spans of pieces, each in constant time.

    A hash is a polynomial in the pieces: the difference of two prefixes, each of
    which is made once. Numbers wrap around, which is meant.

    ids (numpy.ndarray): Shape (n_pieces,).
    starts, ends (numpy.ndarray): Shape (n_spans,), the ends exclusive.
    RETURNS (numpy.ndarray): Shape (n_spans,), uint64: equal for equal pieces.
    """
    # Odd, so that its powers never vanish.
    powers = np.full(len(ids) + 1, 0x9E3779B97F4A7C15, dtype=np.uint64)
    powers[0] = 1
    powers = np.multiply.accumulate(powers)
    prefixes = np.zeros(len(ids) + 1, dtype=np.uint64)
    np.cumsum((ids.astype(np.uint64) + 1) * powers[1:], out=prefixes[1:])
    # Shifted to the same place, wherever in the text they are.
    return (prefixes[ends] - prefixes[starts]) * powers[len(ids) - ends]


def group_documents(
    lengths: Sequence[int], choose_budget: Callable[[int], int]
) -> Iterator[List[int]]:
    """Group documents so that each group fits a token budget.

    Long documents come first, so that a group's documents are alike in length and
    what does not fit into memory shows at once.

    lengths (Sequence[int]): The number of tokens of each document.
    choose_budget (Callable[[int], int]): The number of tokens that are left to the
        number that the next group may have; a longer document makes a group of its own.
    YIELDS (List[int]): Indexes of documents; each occurs in exactly one group.
    """
    n_left = sum(lengths)
    budget = choose_budget(n_left)
    group: List[int] = []
    total = 0
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if group and total + lengths[i] > budget:
            yield group
            n_left -= total
            budget = choose_budget(n_left)
            group, total = [], 0
        group.append(i)
        total += lengths[i]
    if group:
        yield group


@dataclass
class Segments:
    """Hold consecutive stretches of pieces that the encoder sees one at a time.

    starts, lengths (numpy.ndarray): Shape (n_segments,), with the context.
    begins, ends (numpy.ndarray): Shape (n_segments,), without it: each piece is in
        just one segment.
    """

    starts: np.ndarray
    lengths: np.ndarray
    begins: np.ndarray
    ends: np.ndarray

    @classmethod
    def from_ends(
        cls, ends: np.ndarray, max_length: int, overlap: int = 0
    ) -> "Segments":
        """Cut documents that stand end to end into full segments and a leftover each.

        See F-coref (Otmazgin et al. 2022), section 4.2.

        ends (numpy.ndarray): Shape (n_docs,), where each document ends.
        max_length (int): The most pieces in a segment.
        overlap (int): The pieces of context that a segment has on each side, at most a
            third of it.
        RETURNS (Segments): The segments in text order.
        """
        overlap = min(overlap, max_length // 3)
        lengths = np.diff(ends, prepend=0)
        # The context that the first and the last have on one side only is their own.
        step = max_length - 2 * overlap
        counts = np.maximum(1, -(-(lengths - 2 * overlap) // step))
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        doc_begins = np.repeat(ends - lengths, counts)
        doc_ends = np.repeat(ends, counts)
        cuts = doc_begins + overlap + within * step
        begins = np.where(within == 0, doc_begins, cuts)
        is_last = within == np.repeat(counts, counts) - 1
        stops = np.where(is_last, doc_ends, cuts + step)
        starts = np.maximum(begins - overlap, doc_begins)
        lengths = np.minimum(stops + overlap, doc_ends) - starts
        return cls(starts, lengths, begins, stops)

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

    def fill(
        self, max_tokens: int, sizes: Optional[np.ndarray] = None
    ) -> Iterator[np.ndarray]:
        """Group segments into encoder batches that need no padding.

        max_tokens (int): The most pieces in a batch; a longer segment makes a batch of
            its own.
        sizes (Optional[numpy.ndarray]): Shape (n_segments,), how many pieces' room each
            segment takes; None for its length.
        YIELDS (numpy.ndarray): Indexes of segments, the longest first, so that those
            of one length are side by side; each occurs in exactly one batch.
        """
        sizes = self.lengths if sizes is None else sizes
        left = np.argsort(-self.lengths, kind="stable").tolist()
        while left:
            group: List[int] = []
            passed: List[int] = []
            room = max_tokens
            shortest = sizes[left[-1]]
            for i, segment in enumerate(left):
                if room < shortest and group:
                    passed.extend(left[i:])
                    break
                fits = not group or sizes[segment] <= room
                (group if fits else passed).append(segment)
                room -= sizes[segment] if fits else 0
            yield np.array(group)
            left = passed

    def get_positions(
        self, chosen: np.ndarray
    ) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Find the pieces of some segments, padded to the longest.

        chosen (numpy.ndarray): Shape (n_chosen,), indexes of segments.
        RETURNS (Tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]): The position of
            each piece, whether it is one, and whether it is no context, all of shape
            (n_chosen, max_length); what is padded has the position of the segment's
            first piece.
        """
        lengths = self.lengths[chosen]
        steps = np.arange(lengths.max())
        mask = steps < lengths[:, None]
        positions = self.starts[chosen][:, None] + np.where(mask, steps, 0)
        is_inside = (positions >= self.begins[chosen][:, None]) & (
            positions < self.ends[chosen][:, None]
        )
        return positions, mask, mask & is_inside
