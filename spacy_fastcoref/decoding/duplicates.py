"""Duplicate mentions: merge the links of those that stand for another one."""

from dataclasses import replace

import numpy as np

from ..types import Links


def merge_duplicates(links: Links, duplicate_of: np.ndarray) -> Links:
    """Let mentions that stand for others leave all their links to these.

    links (Links): The model's answer.
    duplicate_of (numpy.ndarray): Shape (n_mentions,), the mention that each one
        stands for, such as the name that it is a part of; -1 for none.
    RETURNS (Links): The same mentions; those that stand for others have no links.
        Of several links of two mentions the best stays, and of a mention as many as
        it may have.
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
    nth = np.arange(len(later)) - np.searchsorted(later, later)
    is_kept = nth < links.scores.shape[1]
    places = later[is_kept], nth[is_kept]
    antecedents = np.full_like(links.antecedents, -1)
    antecedents[places] = earlier[is_kept]
    new_scores = np.full_like(links.scores, -np.inf)
    new_scores[places] = scores[is_kept]
    # No link is more likely than it was.
    log_norms = links.log_norms.copy()
    np.maximum.at(log_norms, targets, links.log_norms)
    return replace(
        links, antecedents=antecedents, scores=new_scores, log_norms=log_norms
    )
