"""Parts of people's names, which stand for nobody while the whole name stands there."""

import numpy as np


def find_name_parts(
    starts: np.ndarray,
    ends: np.ndarray,
    scores: np.ndarray,
    is_proper: np.ndarray,
    is_given: np.ndarray,
) -> np.ndarray:
    """Find mentions that are a part of a person's name: "Ann" in "Ann Lee".

    The whole has to be a mention that the model finds as likely, and have a given name
    or title in it, in the part or before it: other names are of parts that may be
    mentions, "Ohio State University", "Texas Governor Ann Lee".

    starts, ends (numpy.ndarray): Shape (n_mentions,), token offsets.
    scores (numpy.ndarray): Shape (n_mentions,), how likely each is a mention.
    is_proper (numpy.ndarray): Shape (n_tokens,), bool: words of proper names.
    is_given (numpy.ndarray): Shape (n_tokens,), bool: given names and titles.
    RETURNS (numpy.ndarray): Shape (n_mentions,), bool.
    """
    found = np.zeros(len(starts), dtype=bool)
    n_proper, n_given = (np.append(0, np.cumsum(a)) for a in (is_proper, is_given))
    named = np.flatnonzero(n_proper[ends] - n_proper[starts] == ends - starts)
    # As many other words stand before all mentions in one run of name words.
    n_before = starts - n_proper[starts]
    named = named[np.argsort(n_before[named], kind="stable")]
    run = n_before[named]
    # A run is a few words long, so a few steps compare all mentions within one.
    for step in range(1, len(named)):
        pairs = np.flatnonzero(run[step:] == run[:-step])
        if not len(pairs):
            break
        one, other = named[pairs], named[pairs + step]
        for inner, outer in ((one, other), (other, one)):
            is_inside = (starts[outer] <= starts[inner]) & (ends[inner] <= ends[outer])
            is_inside &= n_given[ends[inner]] > n_given[starts[outer]]
            is_inside &= scores[outer] >= scores[inner]
            found[inner[is_inside]] = True
    return found
