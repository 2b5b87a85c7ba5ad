"""Make Links of the scores of pairs."""

import numpy as np
from thinc.types import Floats1d

from ...types import ALLOWED, DOUBTFUL, Links
from .candidates import Candidates


def make_links(
    candidates: Candidates,
    links: Floats1d,
    alone: Floats1d,
    n_best: int,
    is_ordered: bool,
) -> Links:
    """Make the links of a document.

    candidates (Candidates): The mentions and the pairs.
    links (Floats1d): Shape (n_pairs,), the scores of the pairs.
    alone (Floats1d): Shape (n_mentions,), the scores of no antecedent. The score of a
        link is the difference to it.
    n_best (int): The number of antecedents of each mention.
    is_ordered (bool): Whether doubtful candidates come after all of those that the
        rules allow, as in Coreferee.
    RETURNS (Links): The links.
    """
    later, n_mentions = candidates.later, len(candidates.facts)
    scores = (links - alone[later]).astype(np.float32)
    if is_ordered:
        scores = _order(scores, later, candidates.verdicts, n_mentions)
    order = np.lexsort((-scores, later))
    counts = np.bincount(later, minlength=n_mentions)
    columns = np.arange(len(later)) - np.repeat(np.cumsum(counts) - counts, counts)
    norms = np.logaddexp(0.0, _log_sum(scores, later, n_mentions))
    order, columns = order[columns < n_best], columns[columns < n_best]
    rows = later[order]
    shape = n_mentions, int(columns.max(initial=-1)) + 1
    antecedents = np.full(shape, -1, dtype=np.int32)
    best = np.full(shape, -np.inf, dtype=np.float32)
    antecedents[rows, columns] = candidates.earlier[order]
    best[rows, columns] = scores[order]
    mentions = candidates.mentions.astype(np.int32)
    return Links(
        mentions,
        np.ones(n_mentions, dtype=np.float32),
        antecedents,
        best,
        norms.astype(np.float32),
    )


def _order(
    scores: Floats1d, later: np.ndarray, verdicts: np.ndarray, n_mentions: int
) -> Floats1d:
    """Lower the scores of doubtful candidates below those of all others."""
    lowest = np.full(n_mentions, np.inf, dtype=np.float32)
    highest = np.full(n_mentions, -np.inf, dtype=np.float32)
    is_doubtful = verdicts == DOUBTFUL
    is_allowed = verdicts == ALLOWED
    np.minimum.at(lowest, later[is_allowed], scores[is_allowed])
    np.maximum.at(highest, later[is_doubtful], scores[is_doubtful])
    with np.errstate(invalid="ignore"):
        excess = np.maximum(highest - lowest, 0)
    excess = np.where(np.isfinite(excess), excess, 0)
    return np.where(is_doubtful, scores - excess[later], scores)


def _log_sum(scores: Floats1d, later: np.ndarray, n_mentions: int) -> np.ndarray:
    """Compute the log of the summed exponentials of each mention's scores."""
    highest = np.full(n_mentions, -np.inf)
    np.maximum.at(highest, later, scores)
    shift = np.where(np.isfinite(highest), highest, 0)
    sums = np.bincount(later, np.exp(scores - shift[later]), minlength=n_mentions)
    with np.errstate(divide="ignore"):
        return shift + np.log(sums)
