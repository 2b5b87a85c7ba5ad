"""Duplicates: mentions with one head, "Abdul Karim" in "29-year-old Abdul Karim"."""

import numpy as np

from ..types import Links
from .facts import Facts


def find_same_head(facts: Facts, links: Links) -> np.ndarray:
    """Find the likeliest mention with the same head as each.

    Only mentions that the model links, or that a user gives, are compared. One with
    another name in it stays, as it may be more than a phrase: "Ann told Ben".

    facts (Facts): What is known of the mentions.
    links (Links): The model's answer.
    RETURNS (numpy.ndarray): Shape (n_mentions,), the likeliest with this head, -1 for
        that one itself, and for what has a head of its own.
    """
    is_asked = links.find_linked() | np.isposinf(links.mention_scores)
    is_asked &= ~facts.is_joined & ~facts.is_pronoun
    is_asked &= ~facts.is_crossed & ~facts.is_part
    is_head = np.zeros(len(facts.words.index) + 1, dtype=np.int64)
    is_head[facts.heads[is_asked & facts.is_name] + 1] = 1
    n_heads = np.cumsum(is_head)
    is_own = is_head[facts.heads + 1]
    (rows,) = np.nonzero(
        is_asked & (n_heads[facts.ends] - n_heads[facts.starts] == is_own)
    )
    rows = rows[np.argsort(links.mention_scores[rows], kind="stable")]
    # The last one, and likeliest, stays.
    likeliest = np.full(len(is_head), -1)
    likeliest[facts.heads[rows]] = rows
    found = np.full(len(facts), -1)
    found[rows] = likeliest[facts.heads[rows]]
    found[found == np.arange(len(facts))] = -1
    return found
