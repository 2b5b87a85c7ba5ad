"""The search for each mention's best antecedents, in linear time and memory."""

from typing import Callable, Optional, Tuple

import numpy as np
import torch
from torch import Tensor

# The number of antecedents to keep for each mention.
N_BEST = 8
# The maximum number of pair scores in memory at once.
MAX_PAIRS = 1 << 21

ScorePairs = Callable[[int, int, Optional[Tensor]], Tensor]


# How the mentions of one document are written: numbers from 0 on, equal for mentions
# with the same words, and whether a mention is written like a proper name.
Forms = Tuple[np.ndarray, np.ndarray]


def find_remembered(
    forms: Forms, scores: np.ndarray, end: int, size: int
) -> np.ndarray:
    """Find the mentions to remember from before `end`, where the window begins.

    Of mentions with the same words, it is the last one. If there are more than `size`,
    words are preferred that are mostly written like a proper name, and then words with
    a large sum of mention probabilities.
    """
    words, is_name = (part[:end] for part in forms)
    latest = np.full(words.max(initial=-1) + 1, -1)
    latest[words] = np.arange(end)
    known = np.flatnonzero(latest >= 0)
    if len(known) > size:
        probs = 1.0 / (1.0 + np.exp(-scores[:end].astype(np.float64)))
        sums = np.bincount(words, probs)[known]
        votes = np.bincount(words, np.where(is_name, 1.0, -1.0))[known]
        known = known[np.lexsort((sums, votes > 0))[len(known) - size :]]
    return np.sort(latest[known])


def find_antecedents(
    score_pairs: ScorePairs,
    scores: Tensor,
    find_forms: Callable[[], Forms],
    *,
    window: int,
    cache_size: int,
) -> Tuple[Tensor, Tensor, Tensor]:
    """Find the best antecedents of each mention of documents of one size.

    Each mention is scored with the `window` mentions before it, and with `cache_size`
    from further back, so that a name can be linked after a hundred pages. Rows are
    scored in blocks, so that no matrix of n_mentions x n_mentions is allocated.

    score_pairs (ScorePairs): Scores the mentions from begin to end with those of the
        given indexes, or with all, as (n_docs, end - begin, n_antecedents); see
        CorefNetwork.score_pairs.
    scores (Tensor): Shape (n_docs, n_mentions), the mention scores. Several documents
        must not have more mentions than the window.
    find_forms (Callable[[], Forms]): Called if there are more mentions than the window.
    RETURNS (Tuple[Tensor, Tensor, Tensor]): The indexes of the best antecedents and
        their scores, shape (n_docs, n_mentions, n_best) each, and the logsumexp of all
        scores and of 0 for the null antecedent, shape (n_docs, n_mentions).
    """
    n_docs, n_mentions = scores.shape
    n_best = min(N_BEST, n_mentions)
    if not n_mentions:
        empty = scores.new_zeros((n_docs, 0, 0))
        return empty.long(), empty, scores
    n_columns = min(n_mentions, window + cache_size)
    n_rows = min(max(1, MAX_PAIRS // n_columns), max(1, window))
    forms = None
    # Allocated before any block of pairs, so that the blocks, which differ in size, can
    # reuse each other's memory.
    shape = n_docs, n_mentions, n_best
    best = torch.empty(shape, dtype=torch.long, device=scores.device)
    best_scores, norms = scores.new_empty(best.shape), torch.empty_like(scores)
    for begin in range(0, n_mentions, n_rows):
        end = min(begin + n_rows, n_mentions)
        first = max(0, begin - window)
        # topk needs n_best columns. Mentions that are not earlier score -inf.
        columns = np.arange(first, max(end, first + n_best))
        if first and cache_size:
            if forms is None:
                forms, known_scores = find_forms(), scores[0].cpu().numpy()
            further = find_remembered(forms, known_scores, first, cache_size)
            columns = np.concatenate([further, columns])
        is_all = not first and len(columns) == n_mentions
        index = None if is_all else torch.from_numpy(columns).to(scores.device)
        pairs = score_pairs(begin, end, index)
        top = pairs.topk(n_best, dim=2)
        best[:, begin:end] = top.indices if index is None else index[top.indices]
        best_scores[:, begin:end] = top.values
        # The null antecedent scores 0.
        norms[:, begin:end] = torch.logaddexp(pairs.logsumexp(2), pairs.new_zeros(()))
    return best, best_scores, norms
