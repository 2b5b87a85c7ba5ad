"""Merge the links of duplicate mentions."""

from dataclasses import replace

import numpy as np

from ..types import Links


def merge_duplicates(links: Links, duplicate_of: np.ndarray) -> Links:
    """Move all links of duplicates to the mentions that they are duplicates of.

    links (Links): The model's predictions.
    duplicate_of (numpy.ndarray): Shape (n_mentions,), the mention that each mention is
        a duplicate of, such as the name that it is a part of; -1 for none.
    RETURNS (Links): The same mentions, in which duplicates have no links. Of several
        links between two mentions, the best is kept, and each mention keeps its best
        n_antecedents links.
    """
    mentions = np.arange(len(links))
    targets = np.where(duplicate_of < 0, mentions, duplicate_of)
    if np.array_equal(targets, mentions):
        return links
    rows, columns = np.nonzero(links.antecedents >= 0)
    scores = links.scores[rows, columns]
    later, earlier = targets[rows], targets[links.antecedents[rows, columns]]
    order = np.lexsort((-scores, later))
    order = order[earlier[order] < later[order]]
    pairs = later[order] * len(links) + earlier[order]
    order = order[np.sort(np.unique(pairs, return_index=True)[1])]
    later, earlier, scores = later[order], earlier[order], scores[order]
    new_columns = np.arange(len(later)) - np.searchsorted(later, later)
    is_kept = new_columns < links.scores.shape[1]
    cells = later[is_kept], new_columns[is_kept]
    antecedents = np.full_like(links.antecedents, -1)
    antecedents[cells] = earlier[is_kept]
    new_scores = np.full_like(links.scores, -np.inf)
    new_scores[cells] = scores[is_kept]
    # With the largest norm, the probability of a link does not increase.
    log_norms = links.log_norms.copy()
    np.maximum.at(log_norms, targets, links.log_norms)
    return replace(
        links, antecedents=antecedents, scores=new_scores, log_norms=log_norms
    )
