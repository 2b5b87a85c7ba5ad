"""The types that scorers take words, spans and mentions in."""

from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple, Union

from torch import Tensor

# The output of `AntecedentScorer.represent` for one of the two roles of a mention,
# anaphor or antecedent: tensors with n_mentions as first dimension.
Vectors = Tuple[Tensor, ...]
# Words or mentions, by a range or by their indexes.
Rows = Union[slice, Tensor]


class Spans(NamedTuple):
    """Hold some spans of a batch of documents.

    firsts, lasts (Tensor): Shape (n_spans,), the index of each span's first and last
        word in the batch.
    starts, ends (Tensor): Shape (n_spans, width), the vector of each span's first and
        last piece.
    codes (Dict[str, Tensor]): The arrays that blocks have read from the documents,
        by name; shape (n_words,) each, int64.
    start_ids, end_ids (Tensor): Shape (n_spans,). Spans with the same number, as half
        of the mentions are, have the same vector in `starts`, or in `ends`.
    types (Optional[Tensor]): Shape (n_spans, 1 + n_types), the probabilities of no
        mention and of each entity type; None if the model predicts no types.
    """

    firsts: Tensor
    lasts: Tensor
    starts: Tensor
    ends: Tensor
    codes: Dict[str, Tensor]
    start_ids: Tensor
    end_ids: Tensor
    types: Optional[Tensor] = None

    def take(self, part: Rows) -> "Spans":
        """Select spans."""
        # The codes are those of words, which all spans share.
        return Spans(*(v[part] if isinstance(v, Tensor) else v for v in self))


class Mentions(NamedTuple):
    """Hold the spans of one document that are kept as mentions after pruning.

    starts, ends (Tensor): Shape (n_mentions,), the index of each mention's first and
        last word in the batch.
    scores (Tensor): Shape (n_mentions,), float32, the mention scores.
    """

    starts: Tensor
    ends: Tensor
    scores: Tensor


class WordVectors:
    """Compute the vectors of words' first and last pieces, with the words' features.

    A novel has hundreds of thousands of words, so vectors are computed only for the
    words that a scorer reads.

    pieces (Tensor): Shape (n_pieces, width), the encoder's vectors, in its precision.
    first, last (Tensor): Shape (n_words,), the indexes of each word's first and last
        piece.
    codes (Dict[str, Tensor]): See Spans.
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

    def get(self, words: Rows, *, at_end: bool = False) -> Tensor:
        """Get the vectors of words' first or last pieces, float32."""
        pieces = (self.last if at_end else self.first)[words]
        vectors = self.pieces[pieces].float()
        for feature in self.features:
            vectors = vectors + feature(self.codes[feature.name][words])
        return vectors

    def get_spans(self, firsts: Tensor, lasts: Tensor) -> Spans:
        """Get the spans from one word to another each."""
        ends = self.get(firsts), self.get(lasts, at_end=True)
        return Spans(firsts, lasts, *ends, self.codes, firsts, lasts)
