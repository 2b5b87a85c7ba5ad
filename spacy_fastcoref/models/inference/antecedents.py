"""Each mention's best antecedents, in memory and time linear in the mentions."""

from typing import Callable, NamedTuple, Optional, Tuple

import numpy as np
import torch
from torch import Tensor

# How many antecedents of a mention leave the device, and how many scores are held
# at once while they are chosen.
N_BEST = 8
MAX_PAIRS = 1 << 21

ScorePairs = Callable[[int, int, Optional[Tensor]], Tensor]


class Forms(NamedTuple):
    """Hold how the mentions of one document are written.

    names (numpy.ndarray): Shape (n_mentions,), the same number for mentions of the
        same words.
    is_name (numpy.ndarray): Shape (n_mentions,), bool: whether it is written as
        proper names are.
    """

    names: np.ndarray
    is_name: np.ndarray


class MentionCache:
    """Remember a fixed number of mentions that are far back in a long document.

    Of mentions of the same words the latest one stays. Words that are mostly written
    as a proper name come first, then what the model most often took for a mention.

    forms (Forms): How the mentions are written.
    scores (numpy.ndarray): Shape (n_mentions,), the mention scores.
    size (int): The most mentions to remember.
    """

    def __init__(self, forms: Forms, scores: np.ndarray, size: int) -> None:
        _, self.forms = np.unique(forms.names, return_inverse=True)
        n_forms = int(self.forms.max(initial=-1)) + 1
        self.likelihood = 1.0 / (1.0 + np.exp(-scores.astype(np.float64)))
        self.surplus = np.where(forms.is_name, 1.0, -1.0)
        self.size = size
        self.n_seen = 0
        self.latest = np.full(n_forms, -1)
        self.weight = np.zeros(n_forms)
        self.name_surplus = np.zeros(n_forms)

    def get(self, end: int) -> np.ndarray:
        """Get the mentions to remember of those before one.

        end (int): The first mention that is not far back; never less than before.
        RETURNS (numpy.ndarray): Shape (n_remembered,), their indexes, sorted.
        """
        new = slice(self.n_seen, end)
        forms = self.forms[new]
        self.latest[forms] = np.arange(self.n_seen, end)
        np.add.at(self.weight, forms, self.likelihood[new])
        np.add.at(self.name_surplus, forms, self.surplus[new])
        self.n_seen = end
        known = np.flatnonzero(self.latest >= 0)
        if len(known) > self.size:
            order = np.lexsort((self.weight[known], self.name_surplus[known] > 0))
            known = known[order[len(known) - self.size :]]
        return np.sort(self.latest[known])


def find_antecedents(
    score_pairs: ScorePairs,
    scores: Tensor,
    find_forms: Callable[[], Forms],
    *,
    window: int,
    cache_size: int,
) -> Tuple[Tensor, Tensor, Tensor]:
    """Find the best antecedents of a document's mentions.

    Rows are scored in blocks, so that nothing of size n_mentions² is held. A mention
    meets all that are at most `window` mentions back, and of what is further back the
    ones in the cache, so that a name is found again after a hundred pages.

    score_pairs (ScorePairs): Scores mentions begin to end with the mentions of the
        given indexes, None for all: -inf for what is no earlier mention.
    scores (Tensor): Shape (n_mentions,), the mention scores.
    find_forms (Callable[[], Forms]): Tells how the mentions are written; only called
        if the window is left.
    window (int): How many mentions back all are met.
    cache_size (int): How many mentions from before the window are met.
    RETURNS (Tuple[Tensor, Tensor, Tensor]): Indexes of the best antecedents and their
        scores, both of shape (n_mentions, n_best), and the log of each row's sum,
        shape (n_mentions,).
    """
    n_mentions = len(scores)
    n_best = min(N_BEST, n_mentions)
    if not n_mentions:
        empty = scores.new_zeros((0, 0))
        return empty.long(), empty, scores
    n_columns = min(n_mentions, window + cache_size)
    n_rows = min(max(1, MAX_PAIRS // n_columns), max(1, window))
    cache = None
    # Made before any block of pairs: what a block left behind among them would keep the
    # next, of another size, from taking their place.
    best = torch.empty((n_mentions, n_best), dtype=torch.long, device=scores.device)
    best_scores, norms = scores.new_empty(best.shape), torch.empty_like(scores)
    for begin in range(0, n_mentions, n_rows):
        end = min(begin + n_rows, n_mentions)
        first = max(0, begin - window)
        # At least as many as are returned; what is no earlier mention scores -inf.
        columns = np.arange(first, max(end, first + n_best))
        if first and cache_size:
            if cache is None:
                forms = find_forms()
                cache = MentionCache(forms, scores.cpu().numpy(), cache_size)
            columns = np.concatenate([cache.get(first), columns])
        is_all = not first and len(columns) == n_mentions
        index = None if is_all else torch.from_numpy(columns).to(scores.device)
        pairs = score_pairs(begin, end, index)
        top = pairs.topk(n_best, dim=1)
        best[begin:end] = top.indices if index is None else index[top.indices]
        best_scores[begin:end] = top.values
        # The null antecedent scores 0.
        norms[begin:end] = torch.logaddexp(pairs.logsumexp(1), pairs.new_zeros(()))
    return best, best_scores, norms
