"""Find duplicates with the same head: "Abdul Karim" in "29-year-old Abdul Karim"."""

import numpy as np

from ..types import Links
from .facts import Facts


def find_same_head(facts: Facts, links: Links) -> np.ndarray:
    """Find the most likely mention with the same head as each mention.

    Only mentions that the model links, or that the user's constraints name, are
    compared. A mention that contains another name is left out, since it can be a
    clause: "Ann told Ben".

    facts (Facts): The features of the mentions.
    links (Links): The model's predictions.
    RETURNS (numpy.ndarray): Shape (n_mentions,), the mention with the same head that
        has the highest mention score; -1 for this mention itself, and for mentions
        without duplicates.
    """
    is_candidate = links.find_linked() | np.isposinf(links.mention_scores)
    is_candidate &= ~facts.is_joined & ~facts.is_pronoun
    is_candidate &= ~facts.is_crossed & ~facts.is_part
    is_head = np.zeros(len(facts.words.index) + 1, dtype=np.int64)
    is_head[facts.heads[is_candidate & facts.is_name] + 1] = 1
    n_heads = np.cumsum(is_head)
    is_own = is_head[facts.heads + 1]
    (rows,) = np.nonzero(
        is_candidate & (n_heads[facts.ends] - n_heads[facts.starts] == is_own)
    )
    rows = rows[np.argsort(links.mention_scores[rows], kind="stable")]
    # Of several mentions with the same head, the last assignment remains.
    likeliest = np.full(len(is_head), -1)
    likeliest[facts.heads[rows]] = rows
    found = np.full(len(facts), -1)
    found[rows] = likeliest[facts.heads[rows]]
    found[found == np.arange(len(facts))] = -1
    return found
