"""Compute the vectors of words when they are needed."""

from typing import Any, Dict, Sequence

from torch import Tensor

from ..scorers.spans import Spans


class WordVectors:
    """Compute the vectors of words' first and last pieces, with the words' features.

    A novel has hundreds of thousands of words, so vectors are computed only for the
    words that a scorer reads.

    pieces (Tensor): Shape (n_pieces, width), the encoder's vectors, in its precision.
    first, last (Tensor): Shape (n_words,), the indexes of each word's first and last
        piece.
    codes (Dict[str, Tensor]): The codes of the word features by name, shape (n_words,)
        each.
    features (Sequence[Any]): Layers that map codes to vectors, which are added to those
        of the encoder.
    """

    def __init__(
        self,
        pieces: Tensor,
        first: Tensor,
        last: Tensor,
        codes: Dict[str, Tensor],
        features: Sequence[Any],
    ) -> None:
        self.pieces = pieces
        self.first = first
        self.last = last
        for feature in features:
            codes = feature.drop(codes)
        self.codes = codes
        self.features = features

    def __len__(self) -> int:
        return len(self.first)

    def get_starts(self, words: Any) -> Tensor:
        """Get the vectors of words' first pieces.

        words (Any): A slice, or a Tensor of indexes of shape (n,).
        RETURNS (Tensor): Shape (n, width), float32.
        """
        return self._add_features(self.pieces[self.first[words]], words)

    def get_ends(self, words: Any) -> Tensor:
        """Get the vectors of words' last pieces.

        words (Any): A slice, or a Tensor of indexes of shape (n,).
        RETURNS (Tensor): Shape (n, width), float32.
        """
        return self._add_features(self.pieces[self.last[words]], words)

    def get_spans(self, firsts: Tensor, lasts: Tensor) -> Spans:
        """Get spans of words.

        firsts, lasts (Tensor): Shape (n_spans,), the spans' first and last words.
        RETURNS (Spans): The spans.
        """
        ends = self.get_starts(firsts), self.get_ends(lasts)
        return Spans(firsts, lasts, *ends, self.codes, firsts, lasts)

    def _add_features(self, vectors: Tensor, words: Any) -> Tensor:
        vectors = vectors.float()
        for feature in self.features:
            vectors = vectors + feature(self.codes[feature.name][words])
        return vectors
