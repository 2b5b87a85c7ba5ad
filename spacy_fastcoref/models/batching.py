"""Batches of documents, and segments of them that fit the encoder.

Words are tokens with word pieces: white space is no word. Arrays of words have the
shape (n_words,), those of word pieces (n_pieces,), those of segments (n_segments,).
"""

from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

import numpy as np

# The maximum proportion of padding in an encoder batch.
MAX_PADDING = 0.015
# The fields of Pieces that have a row for each word.
_OF_WORDS = ("first", "last", "tokens", "is_name")


@dataclass
class Pieces:
    """Hold one document as word pieces.

    ids (numpy.ndarray): The word pieces, int64, including special tokens.
    first, last (numpy.ndarray): The index of each word's first and last piece.
    tokens (numpy.ndarray): The token index of each word in the Doc.
    is_name (numpy.ndarray): Whether each word is written like a proper name.
    candidates (Any): The spans that can be mentions, as token offsets; None for all.
    codes (Dict[str, numpy.ndarray]): What else the model reads of each word, by name;
        int64.
    vectors (Any): Shape (n_pieces, width); None if the encoder computes them.
    """

    ids: np.ndarray
    first: np.ndarray
    last: np.ndarray
    tokens: np.ndarray
    is_name: np.ndarray
    candidates: Any = None
    codes: Dict[str, np.ndarray] = field(default_factory=dict)
    vectors: Any = None

    @classmethod
    def from_words(cls, ids: Sequence[int], word_ids: Sequence[int]) -> "Pieces":
        """Make a document from word pieces, and their token indexes.

        word_ids (Sequence[int]): Those of a token are adjacent; -1 for special tokens.
        """
        tokens = np.asarray(word_ids, dtype=np.int64).reshape(-1)
        # No word piece has the token index -2.
        first = np.flatnonzero(np.diff(tokens, prepend=-2) * (tokens >= 0))
        last = np.flatnonzero(np.diff(tokens, append=-2) * (tokens >= 0))
        pieces = np.asarray(ids, dtype=np.int64).reshape(-1)
        return cls(pieces, first, last, tokens[first], np.zeros(len(first), dtype=bool))

    def __len__(self) -> int:
        return len(self.ids)

    def keep_words(self, tokens: np.ndarray) -> "Pieces":
        """Keep only the words with some token indexes. All pieces are kept."""
        kept = np.isin(self.tokens, tokens)
        codes = {name: codes[kept] for name, codes in self.codes.items()}
        words = {name: getattr(self, name)[kept] for name in _OF_WORDS}
        return replace(self, **words, codes=codes)


@dataclass(kw_only=True)
class Batch(Pieces):
    """Hold several documents, concatenated, with lists of their candidates and vectors.

    piece_ends, word_ends (numpy.ndarray): Shape (n_docs,), where each document's end.
    """

    piece_ends: np.ndarray
    word_ends: np.ndarray

    @classmethod
    def from_pieces(cls, docs: Sequence[Pieces]) -> "Batch":
        """Concatenate documents, at least one."""
        lengths, n_words = [len(d) for d in docs], [len(d.tokens) for d in docs]
        ends = np.cumsum(lengths)
        shift = np.repeat(ends - lengths, n_words)
        joined = {
            name: np.concatenate([getattr(doc, name) for doc in docs])
            for name in ("ids", *_OF_WORDS)
        }
        joined["first"] += shift
        joined["last"] += shift
        codes = {name: [doc.codes[name] for doc in docs] for name in docs[0].codes}
        return cls(
            **joined,
            piece_ends=ends,
            word_ends=np.cumsum(n_words),
            candidates=[doc.candidates for doc in docs],
            codes={name: np.concatenate(parts) for name, parts in codes.items()},
            vectors=[doc.vectors for doc in docs],
        )

    @property
    def word_docs(self) -> np.ndarray:
        """The index of the document of each word."""
        counts = np.diff(self.word_ends, prepend=0)
        return np.repeat(np.arange(len(counts)), counts)


def write_band(
    tokens: np.ndarray, width: int, clusters: Sequence[Sequence[Tuple[int, int]]]
) -> np.ndarray:
    """Write clusters into an array that has a row for each start of a span.

    RETURNS (numpy.ndarray): Shape (n_words, width), int64: at [i, d] the cluster of
        the span of words i to i + d; -1 for none. Spans are left out that are longer,
        empty, or start or end at a token that is not a word.
    """
    band = np.full((len(tokens), width), -1, dtype=np.int64)
    rows = [(*span, i) for i, cluster in enumerate(clusters) for span in cluster]
    if rows and len(tokens):
        starts, ends, cluster_ids = np.array(rows).T
        first = np.minimum(np.searchsorted(tokens, starts), len(tokens) - 1)
        last = np.minimum(np.searchsorted(tokens, ends - 1), len(tokens) - 1)
        are_words = (tokens[first] == starts) & (tokens[last] == ends - 1)
        fits = are_words & (first <= last) & (last - first < width)
        band[first[fits], (last - first)[fits]] = cluster_ids[fits]
    return band


def group_documents(
    lengths: Sequence[int], choose_budget: Callable[[int], int]
) -> Iterator[List[int]]:
    """Group documents of similar length, so that each group fits a token budget.

    The longest come first: what does not fit into memory fails early.

    choose_budget (Callable[[int], int]): Computes the token budget of the next group
        from the number of tokens that are left. A document above the budget makes a
        group of its own.
    YIELDS (List[int]): Indexes of documents.
    """
    left = sorted(range(len(lengths)), key=lambda i: -lengths[i])[::-1]
    n_left = sum(lengths)
    while left:
        room = choose_budget(n_left)
        group: List[int] = []
        while left and (not group or lengths[left[-1]] <= room):
            group.append(left.pop())
            room -= lengths[group[-1]]
            n_left -= lengths[group[-1]]
        yield group


@dataclass
class Segments:
    """Hold the segments of documents that the encoder reads one at a time.

    starts, lengths (numpy.ndarray): Those of segments with their context.
    begins, ends (numpy.ndarray): Those without it, which are all word pieces once.
    """

    starts: np.ndarray
    lengths: np.ndarray
    begins: np.ndarray
    ends: np.ndarray

    @classmethod
    def from_ends(
        cls, ends: np.ndarray, max_length: int, overlap: int = 0
    ) -> "Segments":
        """Split concatenated documents into full segments and a leftover segment each.

        See "leftover batching" in F-coref (Otmazgin et al. 2022), section 4.2.

        ends (numpy.ndarray): Shape (n_docs,), where each document ends.
        overlap (int): The number of word pieces of context on each side of a segment;
            it is limited to a third of `max_length`.
        """
        overlap = min(overlap, max_length // 3)
        lengths = np.diff(ends, prepend=0)
        # A document's first and last segment have context on one side only, and so have
        # room for more pieces of their own.
        step = max_length - 2 * overlap
        counts = np.maximum(1, -(-(lengths - 2 * overlap) // step))
        index = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        doc_begins = np.repeat(ends - lengths, counts)
        doc_ends = np.repeat(ends, counts)
        cuts = doc_begins + overlap + index * step
        begins = np.where(index == 0, doc_begins, cuts)
        is_last = index == np.repeat(counts, counts) - 1
        stops = np.where(is_last, doc_ends, cuts + step)
        starts = np.maximum(begins - overlap, doc_begins)
        lengths = np.minimum(stops + overlap, doc_ends) - starts
        return cls(starts, lengths, begins, stops)

    def pack(self, max_tokens: int) -> Iterator[np.ndarray]:
        """Group segments of similar length into padded encoder batches.

        max_tokens (int): The maximum number of word pieces in a batch, including
            padding. A longer segment makes a batch of its own.
        YIELDS (numpy.ndarray): Indexes of segments, the longest first.
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

    def fill(self, max_tokens: int, sizes: np.ndarray) -> Iterator[np.ndarray]:
        """Group segments into encoder batches that need no padding; see pack.

        sizes (numpy.ndarray): The number of word pieces that each segment counts as.
        """
        left = np.argsort(-self.lengths, kind="stable").tolist()
        while left:
            group: List[int] = []
            skipped: List[int] = []
            room = max_tokens
            shortest = sizes[left[-1]]
            for i, segment in enumerate(left):
                if room < shortest and group:
                    skipped.extend(left[i:])
                    break
                fits = not group or sizes[segment] <= room
                (group if fits else skipped).append(segment)
                room -= sizes[segment] if fits else 0
            yield np.array(group)
            left = skipped

    def get_positions(
        self, chosen: np.ndarray
    ) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Find the word pieces of some segments, padded to the longest segment.

        RETURNS (Tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]): Three arrays of
            shape (n_chosen, max_length): the position of each piece in the batch, the
            first one's for padding; False for padding; False for padding and context.
        """
        lengths = self.lengths[chosen]
        steps = np.arange(lengths.max())
        mask = steps < lengths[:, None]
        positions = self.starts[chosen][:, None] + np.where(mask, steps, 0)
        is_inside = (positions >= self.begins[chosen][:, None]) & (
            positions < self.ends[chosen][:, None]
        )
        return positions, mask, mask & is_inside
