"""The vectors of a batch's mentions as anaphors and antecedents, made in blocks."""

from itertools import accumulate
from typing import Callable, List, Optional, Tuple, Union

import torch
from torch import Tensor
from torch.nn.functional import pad

from .spans import Vectors

# How many mentions are represented at once. Larger blocks read the weights less often,
# but a novel's mentions do not fit into memory at once.
BLOCK_SIZE = 1 << 11


class MentionVectors:
    """Compute the vectors of a batch's mentions in blocks, as they are needed.

    The vectors of an anaphor are only needed for its own row of scores, and are
    dropped afterwards. The vectors of antecedents are kept.

    represent (Callable[[slice], Tuple[Vectors, Vectors]]): Computes the vectors of
        some mentions as anaphors and as antecedents.
    n_mentions (int): The number of mentions in the batch.
    size (int): The number of mentions in a block.
    """

    def __init__(
        self,
        represent: Callable[[slice], Tuple[Vectors, Vectors]],
        n_mentions: int,
        size: int = BLOCK_SIZE,
    ) -> None:
        self.represent = represent
        self.n_mentions = n_mentions
        self.size = size
        self.n_represented = 0
        self.anaphors: List[Tuple[int, Vectors]] = []
        self.antecedents: Vectors = ()
        # At least one block, so that tensors exist even if there are no mentions.
        self._represent_block()
        if torch.is_grad_enabled():
            # A tensor that is written to later loses its gradients.
            self._represent_until(n_mentions)

    def get_anaphors(self, begin: int, end: int) -> Vectors:
        """Get the vectors of a range of mentions as anaphors.

        Earlier mentions are dropped and cannot be requested again.
        """
        self._represent_until(end)
        while len(self.anaphors) > 1 and self.anaphors[1][0] <= begin:
            del self.anaphors[0]
        parts = [
            tuple(tensor[max(begin - first, 0) : end - first] for tensor in block)
            for first, block in self.anaphors
            if first <= end
        ]
        if len(parts) == 1:
            return parts[0]
        return tuple(
            torch.cat(pad_to_longest(*tensors)) for tensors in zip(*parts, strict=True)
        )

    def get_antecedents(self, rows: Union[slice, Tensor]) -> Vectors:
        """Get the vectors of some mentions as antecedents.

        Those after the last requested anaphor may not be computed yet.
        """
        if isinstance(rows, Tensor):
            # Faster than indexing, which copies single numbers instead of rows.
            return tuple(part.index_select(0, rows) for part in self.antecedents)
        return tuple(part[rows] for part in self.antecedents)

    def split(self, sizes: List[int]) -> "List[DocumentMentions]":
        """Split the mentions by document, given the number of mentions of each."""
        ends = list(accumulate(sizes))
        return [
            DocumentMentions(self, begin, end)
            for begin, end in zip([0, *ends[:-1]], ends, strict=True)
        ]

    def _represent_until(self, end: int) -> None:
        while self.n_represented < end:
            self._represent_block()

    def _represent_block(self) -> None:
        rows = slice(
            self.n_represented, min(self.n_represented + self.size, self.n_mentions)
        )
        anaphors, antecedents = self.represent(rows)
        self.anaphors.append((rows.start, anaphors))
        self.n_represented = rows.stop
        if rows == slice(0, self.n_mentions):
            self.antecedents = antecedents
            return
        all_rows = self.antecedents or tuple(
            block.new_zeros((self.n_mentions, *block.shape[1:]))
            for block in antecedents
        )
        pairs = [
            pad_to_longest(*tensors)
            for tensors in zip(all_rows, antecedents, strict=True)
        ]
        for target, block in pairs:
            target[rows] = block
        self.antecedents = tuple(target for target, _ in pairs)


class DocumentMentions:
    """Give access to the mentions of one document in a batch.

    batch_vectors (MentionVectors): The vectors of the batch's mentions.
    begin, end (int): The range of the document's mentions in the batch.
    """

    def __init__(self, batch_vectors: MentionVectors, begin: int, end: int) -> None:
        self.batch_vectors = batch_vectors
        self.begin = begin
        self.end = end

    def get_anaphors(self, begin: int, end: int) -> Vectors:
        """Get the vectors of a range of mentions as anaphors; see MentionVectors."""
        return self.batch_vectors.get_anaphors(self.begin + begin, self.begin + end)

    def get_antecedents(self, index: Optional[Tensor] = None) -> Vectors:
        """Get the vectors of some mentions as antecedents; of all if index is None."""
        if index is None:
            return self.batch_vectors.get_antecedents(slice(self.begin, self.end))
        return self.batch_vectors.get_antecedents(self.begin + index)

    def join(self, last: "DocumentMentions") -> "DocumentMentions":
        """Join the mentions of adjacent documents, from this one to the last."""
        return DocumentMentions(self.batch_vectors, self.begin, last.end)

    def narrow(self, part: slice) -> "DocumentMentions":
        """Select a range of the document's mentions, which are numbered from 0."""
        return DocumentMentions(
            self.batch_vectors, self.begin + part.start, self.begin + part.stop
        )


def pad_to_longest(*parts: Tensor) -> List[Tensor]:
    """Pad the same tensor of several blocks of mentions with 0 to the same width.

    Among the two-dimensional tensors, only the words that LingMess compares differ
    in width from block to block. The others stay as they are.
    """
    if parts[0].ndim != 2:
        return list(parts)
    width = max(part.shape[1] for part in parts)
    return [pad(part, (0, width - part.shape[1])) for part in parts]
