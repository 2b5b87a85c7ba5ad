"""Appositions: "Emmanuel Macron" after "the president of France," is the same."""

import numpy as np

from ..languages.schemes import APPOSITION
from .facts import Facts


def find_appositions(facts: Facts) -> np.ndarray:
    """Find the mentions that others are in apposition to, by the parse.

    facts (Facts): What is known of the mentions.
    RETURNS (numpy.ndarray): Shape (n_mentions,), the mention that each is in apposition
        to, -1 for none. Both are mentions more likely than not, and agree.
    """
    found = np.full(len(facts), -1)
    annotation = facts.annotation
    if not annotation.has_dep:
        return found
    is_asked = facts.is_likely & ~facts.is_part & ~facts.is_crossed & ~facts.is_joined
    is_apposed = annotation.has_role(APPOSITION)[facts.heads] & is_asked
    if not is_apposed.any():
        return found
    # The longest mention with a head that ends before the apposition begins.
    (later,) = np.nonzero(is_apposed)
    by_head = np.full(len(facts.words.index), -1)
    (rows,) = np.nonzero(is_asked)
    rows = rows[np.argsort((facts.ends - facts.starts)[rows], kind="stable")]
    by_head[facts.heads[rows]] = rows
    earlier = by_head[annotation.heads[facts.heads[later]]]
    is_before = (earlier >= 0) & (facts.ends[earlier] <= facts.starts[later])
    agree = (facts.agreement[later] & facts.agreement[earlier]) != 0
    later, earlier = later[is_before & agree], earlier[is_before & agree]
    found[later] = earlier
    return found
