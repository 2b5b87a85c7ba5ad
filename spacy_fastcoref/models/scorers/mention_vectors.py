"""The vectors of a batch's mentions as anaphors and antecedents, made in blocks."""

from typing import Callable, List, Optional, Tuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from .spans import Rows, Vectors

# How many mentions are represented at once. Larger blocks read the weights less often,
# but a novel's mentions do not fit into memory at once.
BLOCK_SIZE = 1 << 11


class MentionVectors:
    """Compute the vectors of a batch's mentions in blocks, as they are needed.

    The vectors of an anaphor are only needed for its own row of scores, and are
    dropped afterwards. Those of antecedents are kept as long as they are among the ones
    that were requested last, or come after these: in a novel, they are the mentions of
    the window and of the cache. One that is requested again is computed again.

    represent (Callable[[Rows], Tuple[Vectors, Vectors]]): Computes the vectors of some
        mentions as anaphors and as antecedents.
    """

    def __init__(
        self,
        represent: Callable[[Rows], Tuple[Vectors, Vectors]],
        n_mentions: int,
        size: int = BLOCK_SIZE,
    ) -> None:
        self.represent = represent
        self.n_mentions = n_mentions
        self.size = size
        self.n_represented = 0
        self.anaphors: List[Tuple[int, Vectors]] = []
        # The mentions whose vectors as antecedents are kept, in order.
        self.kept = torch.zeros(0, dtype=torch.long)
        self.antecedents: Vectors = ()
        self.requested: Optional[Tensor] = None
        self._represent_until(n_mentions if torch.is_grad_enabled() else 0)

    def get_anaphors(self, begin: int, end: int) -> Vectors:
        """Get the vectors of some mentions as anaphors, and drop earlier mentions."""
        self._represent_until(end)
        while len(self.anaphors) > 1 and self.anaphors[1][0] <= begin:
            del self.anaphors[0]
        parts = [
            tuple(tensor[max(begin - first, 0) : end - first] for tensor in block)
            for first, block in self.anaphors
            if first <= end
        ]
        return parts[0] if len(parts) == 1 else _join(*parts)

    def get_antecedents(self, rows: Rows) -> Vectors:
        """Get the vectors of adjacent documents, or of mentions in order."""
        if isinstance(rows, slice):
            self._represent_until(rows.stop)
            skipped = self.n_represented - len(self.kept)
            rows = slice(rows.start - skipped, rows.stop - skipped)
            return tuple(part[rows] for part in self.antecedents)
        self._represent_until(int(rows[-1]) + 1)
        self.requested = rows
        places = torch.searchsorted(self.kept, rows)
        missing = rows[self.kept[places] != rows]
        if len(missing):
            self._keep(missing, self.represent(missing)[1])
            self._select(self.kept.argsort())
            places = torch.searchsorted(self.kept, rows)
        # Faster than indexing, which copies single numbers instead of rows.
        return tuple(part.index_select(0, places) for part in self.antecedents)

    def _represent_until(self, last: int) -> None:
        # At least one block, so that tensors exist even if there are no mentions.
        while self.n_represented < last or not self.antecedents:
            begin = self.n_represented
            self.n_represented = end = min(begin + self.size, self.n_mentions)
            anaphors, antecedents = self.represent(slice(begin, end))
            self.anaphors.append((begin, anaphors))
            if self.requested is not None:
                is_needed = torch.isin(self.kept, self.requested)
                is_needed |= self.kept > self.requested[-1]
                self._select(is_needed.nonzero().squeeze(1))
            rows = torch.arange(begin, end, device=antecedents[0].device)
            self._keep(rows, antecedents)

    def _keep(self, rows: Tensor, vectors: Vectors) -> None:
        if self.antecedents:
            rows = torch.cat([self.kept, rows])
            vectors = _join(self.antecedents, vectors)
        self.kept, self.antecedents = rows, vectors

    def _select(self, places: Tensor) -> None:
        self.kept = self.kept[places]
        self.antecedents = tuple(
            part.index_select(0, places) for part in self.antecedents
        )


def _join(*blocks: Vectors) -> Vectors:
    tensors = zip(*blocks, strict=True)
    return tuple(torch.cat(pad_to_longest(*parts)) for parts in tensors)


def pad_to_longest(*parts: Tensor) -> List[Tensor]:
    """Pad the same tensor of several blocks of mentions with 0 to the same width.

    Only the words that LingMess compares differ in width from block to block.
    """
    if parts[0].ndim != 2:
        return list(parts)
    width = max(part.shape[1] for part in parts)
    return [pad(part, (0, width - part.shape[1])) for part in parts]
