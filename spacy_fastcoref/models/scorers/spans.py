"""Spans of words as scorers see them."""

from typing import Dict, NamedTuple, Tuple

from torch import Tensor

# What a scorer made of some mentions in one role, anaphor or antecedent: tensors whose
# first dimension is n_mentions.
Vectors = Tuple[Tensor, ...]


class Spans(NamedTuple):
    """Hold spans of a batch of documents.

    firsts (Tensor): Shape (n_spans,), the index of each one's first word in the batch.
    lasts (Tensor): Shape (n_spans,), the index of its last word.
    starts (Tensor): Shape (n_spans, width), vectors of the first words' first pieces.
    ends (Tensor): Shape (n_spans, width), vectors of the last words' last pieces.
    codes (Dict[str, Tensor]): What blocks have read from the documents, by name; each
        of shape (n_words,), int64.
    start_ids, end_ids (Tensor): Shape (n_spans,), the same number only for spans whose
        vectors are the same: half of the mentions start, and end, where others do.
    """

    firsts: Tensor
    lasts: Tensor
    starts: Tensor
    ends: Tensor
    codes: Dict[str, Tensor]
    start_ids: Tensor
    end_ids: Tensor

    def take(self, part: slice) -> "Spans":
        """Take some of the spans.

        part (slice): Which ones.
        RETURNS (Spans): The spans.
        """
        fields = self._asdict()
        codes = fields.pop("codes")
        return Spans(codes=codes, **{name: fields[name][part] for name in fields})


class Mentions(NamedTuple):
    """Hold the mentions of one document that survived pruning.

    starts (Tensor): Shape (n_mentions,), the first word of each in the batch.
    ends (Tensor): Shape (n_mentions,), the last word of each in the batch.
    scores (Tensor): Shape (n_mentions,), float32.
    """

    starts: Tensor
    ends: Tensor
    scores: Tensor
