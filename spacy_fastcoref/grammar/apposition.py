"""Find appositions, such as "Emmanuel Macron" after "the president of France,"."""

import numpy as np

from .facts import Facts
from .schemes import APPOSITION


def find_appositions(facts: Facts) -> np.ndarray:
    """Find by the parse the mention to which each mention is in apposition.

    Only mentions that are likely according to the model and that agree are returned.

    facts (Facts): The features of the mentions.
    RETURNS (numpy.ndarray): Shape (n_mentions,), the mention to which each mention is
        in apposition; -1 for none.
    """
    found = np.full(len(facts), -1)
    annotation = facts.annotation
    if not annotation.has_dep:
        return found
    may_match = facts.is_likely & ~facts.is_part & ~facts.is_crossed & ~facts.is_joined
    is_apposed = annotation.has_role(APPOSITION)[facts.heads] & may_match
    if not is_apposed.any():
        return found
    # For each head, the longest mention: it is assigned last. It has to end before the
    # apposition begins.
    (later,) = np.nonzero(is_apposed)
    by_head = np.full(len(facts.words.index), -1)
    (rows,) = np.nonzero(may_match)
    rows = rows[np.argsort((facts.ends - facts.starts)[rows], kind="stable")]
    by_head[facts.heads[rows]] = rows
    earlier = by_head[annotation.heads[facts.heads[later]]]
    is_before = (earlier >= 0) & (facts.ends[earlier] <= facts.starts[later])
    agree = (facts.agreement[later] & facts.agreement[earlier]) != 0
    later, earlier = later[is_before & agree], earlier[is_before & agree]
    found[later] = earlier
    return found
