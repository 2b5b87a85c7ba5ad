"""The vectors of mentions, as anaphors and antecedents, computed block by block."""

from itertools import accumulate
from typing import Callable, List, Optional, Tuple, Union

import torch
from torch import Tensor
from torch.nn.functional import pad

from .spans import Vectors

# How many mentions are represented at once. Weights are read once for all of them, and
# most documents have a hundred or two; a novel's would take too much memory.
BLOCK_SIZE = 1 << 11


class MentionVectors:
    """Hold the vectors of a batch's mentions, computed block by block, in order.

    The vectors of an anaphor are needed for its own row of scores, and are dropped
    after that; those of antecedents stay.

    represent (Callable[[slice], Tuple[Vectors, Vectors]]): Computes the vectors of some
        mentions as anaphors and as antecedents.
    n_mentions (int): How many there are in all.
    size (int): How many are represented at once.
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
        self.n_done = 0
        self.anaphors: List[Tuple[int, Vectors]] = []
        self.antecedents: Vectors = ()
        # One block at least, so that no mentions are something, too.
        self._represent_block()
        if torch.is_grad_enabled():
            # No gradients flow through what is written to later.
            self._run(n_mentions)

    def get_anaphors(self, begin: int, end: int) -> Vectors:
        """Get some mentions as anaphors.

        begin, end (int): The mentions; those before are not asked for again.
        RETURNS (Vectors): The anaphors.
        """
        self._run(end)
        while len(self.anaphors) > 1 and self.anaphors[1][0] <= begin:
            del self.anaphors[0]
        parts = [
            tuple(part[max(begin - first, 0) : end - first] for part in side)
            for first, side in self.anaphors
            if first <= end
        ]
        if len(parts) == 1:
            return parts[0]
        return tuple(
            torch.cat(pad_to_longest(*same)) for same in zip(*parts, strict=True)
        )

    def get_antecedents(self, rows: Union[slice, Tensor]) -> Vectors:
        """Get some mentions as antecedents.

        rows (Union[slice, Tensor]): The mentions. Those after the last anaphor that
            was asked for may not be there yet.
        RETURNS (Vectors): The antecedents.
        """
        if isinstance(rows, Tensor):
            # Copies row by row, where indexing does it number by number.
            return tuple(part.index_select(0, rows) for part in self.antecedents)
        return tuple(part[rows] for part in self.antecedents)

    def split(self, sizes: List[int]) -> "List[DocumentMentions]":
        """Split the mentions by documents.

        sizes (List[int]): How many each document has.
        RETURNS (List[DocumentMentions]): Those of each document.
        """
        ends = list(accumulate(sizes))
        return [
            DocumentMentions(self, begin, end)
            for begin, end in zip([0, *ends[:-1]], ends, strict=True)
        ]

    def _run(self, end: int) -> None:
        while self.n_done < end:
            self._represent_block()

    def _represent_block(self) -> None:
        rows = slice(self.n_done, min(self.n_done + self.size, self.n_mentions))
        anaphors, antecedents = self.represent(rows)
        self.anaphors.append((rows.start, anaphors))
        self.n_done = rows.stop
        if rows == slice(0, self.n_mentions):
            self.antecedents = antecedents
            return
        wholes = self.antecedents or tuple(
            part.new_zeros((self.n_mentions, *part.shape[1:])) for part in antecedents
        )
        pairs = [
            pad_to_longest(*same) for same in zip(wholes, antecedents, strict=True)
        ]
        for whole, part in pairs:
            whole[rows] = part
        self.antecedents = tuple(whole for whole, _ in pairs)


class DocumentMentions:
    """Give those of a batch's mentions that one document has.

    sides (MentionVectors): The batch's mentions.
    begin, end (int): Where the document's are.
    """

    def __init__(self, sides: MentionVectors, begin: int, end: int) -> None:
        self.sides = sides
        self.begin = begin
        self.end = end

    def get_anaphors(self, begin: int, end: int) -> Vectors:
        """Get some of the document's mentions as anaphors.

        begin, end (int): The mentions; those before are not asked for again.
        RETURNS (Vectors): The anaphors.
        """
        return self.sides.get_anaphors(self.begin + begin, self.begin + end)

    def get_antecedents(self, index: Optional[Tensor] = None) -> Vectors:
        """Get the document's mentions as antecedents.

        index (Optional[Tensor]): Shape (n_antecedents,), which ones; None for all.
        RETURNS (Vectors): The antecedents.
        """
        if index is None:
            return self.sides.get_antecedents(slice(self.begin, self.end))
        return self.sides.get_antecedents(self.begin + index)

    def narrow(self, part: slice) -> "DocumentMentions":
        """Take a stretch of the document for a document.

        part (slice): The stretch.
        RETURNS (DocumentMentions): Its mentions.
        """
        return DocumentMentions(
            self.sides, self.begin + part.start, self.begin + part.stop
        )


def pad_to_longest(*parts: Tensor) -> List[Tensor]:
    """Make lists of words equally long: they are as long as a block's longest.

    *parts (Tensor): The same part of several MentionVectors.
    RETURNS (List[Tensor]): The same, of one shape but for the number of mentions.
    """
    if parts[0].ndim != 2:
        return list(parts)
    width = max(part.shape[1] for part in parts)
    return [pad(part, (0, width - part.shape[1])) for part in parts]
