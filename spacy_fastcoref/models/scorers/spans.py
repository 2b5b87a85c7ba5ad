"""The types that scorers take spans and mentions in."""

from typing import Dict, NamedTuple, Optional, Tuple

from torch import Tensor

# The output of `AntecedentScorer.represent` for one of the two roles of a mention,
# anaphor or antecedent: tensors with n_mentions as first dimension.
Vectors = Tuple[Tensor, ...]


class Spans(NamedTuple):
    """Hold some spans of a batch of documents.

    firsts (Tensor): Shape (n_spans,), the index of each span's first word in the
        batch.
    lasts (Tensor): Shape (n_spans,), the index of each span's last word.
    starts (Tensor): Shape (n_spans, width), the vector of each span's first piece.
    ends (Tensor): Shape (n_spans, width), the vector of each span's last piece.
    codes (Dict[str, Tensor]): The arrays that blocks have read from the documents,
        by name; shape (n_words,) each, int64.
    start_ids, end_ids (Tensor): Shape (n_spans,). Spans with the same number have
        the same vector in `starts`, or in `ends`. About half of the mentions start
        at the same word as another, and half of them end there.
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

    def take(self, part: slice) -> "Spans":
        """Select some of the spans.

        part (slice): The range of spans.
        RETURNS (Spans): The selected spans.
        """
        fields = self._asdict()
        # The codes are those of words, which all spans share.
        taken = {
            name: value if name == "codes" or value is None else value[part]
            for name, value in fields.items()
        }
        return Spans(**taken)


class Mentions(NamedTuple):
    """Hold the spans of one document that are kept as mentions after pruning.

    starts (Tensor): Shape (n_mentions,), the index of each mention's first word in
        the batch.
    ends (Tensor): Shape (n_mentions,), the index of each mention's last word.
    scores (Tensor): Shape (n_mentions,), float32, the mention scores.
    """

    starts: Tensor
    ends: Tensor
    scores: Tensor
