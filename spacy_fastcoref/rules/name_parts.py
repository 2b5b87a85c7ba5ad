"""Parts of people's names: "Ann" of "Ann Lee" is no mention of its own."""

import numpy as np

from ..graph import find_roots


def find_name_parts(
    starts: np.ndarray,
    ends: np.ndarray,
    scores: np.ndarray,
    is_proper: np.ndarray,
    is_given: np.ndarray,
    is_title: np.ndarray,
) -> np.ndarray:
    """Find the longer name that each part of a name belongs to: "Ann" of "Ann Lee".

    The whole has to be a mention that the model finds as likely, and have a given name
    or title in it, in the part or before it: other names are of parts that may be
    mentions, "Ohio State University", "Texas Governor Ann Lee". The other way round, a
    name with a title is none where the one without it is likelier.

    starts, ends (numpy.ndarray): Shape (n_mentions,), token offsets.
    scores (numpy.ndarray): Shape (n_mentions,), how likely each is a mention.
    is_proper (numpy.ndarray): Shape (n_tokens,), bool: words of proper names.
    is_given (numpy.ndarray): Shape (n_tokens,), bool: given names and titles.
    is_title (numpy.ndarray): Shape (n_tokens,), bool: titles.
    RETURNS (numpy.ndarray): Shape (n_mentions,), the likeliest such name of those that
        are a part of none themselves, -1 for what is no part.
    """
    rows = np.arange(len(starts))
    wholes = rows.copy()
    n_proper, n_given, n_titles = (
        np.append(0, np.cumsum(words)) for words in (is_proper, is_given, is_title)
    )
    named = np.flatnonzero(n_proper[ends] - n_proper[starts] == ends - starts)
    # As many other words stand before all mentions in one run of name words.
    n_before = starts - n_proper[starts]
    named = named[np.argsort(n_before[named], kind="stable")]
    run = n_before[named]
    # What each is compared with begins later in the run, and before it ends: no further
    # one does where the next does not, and mentions that overlap are few.
    firsts = np.arange(len(named))
    for step in range(1, len(named)):
        firsts = firsts[firsts + step < len(named)]
        one, other = named[firsts], named[firsts + step]
        is_near = (run[firsts] == run[firsts + step]) & (starts[other] < ends[one])
        firsts, one, other = firsts[is_near], one[is_near], other[is_near]
        if not len(firsts):
            break
        for inner, outer in ((one, other), (other, one)):
            is_inside = (starts[outer] <= starts[inner]) & (ends[inner] <= ends[outer])
            is_likelier = scores[inner] > scores[outer]
            has_given = n_given[ends[inner]] > n_given[starts[outer]]
            is_part = is_inside & has_given & ~is_likelier
            _put(wholes, scores, inner[is_part], outer[is_part])
            n_more = n_titles[starts[inner]] - n_titles[starts[outer]]
            is_titled = (n_more == starts[inner] - starts[outer]) & (n_more > 0)
            is_titled &= ends[inner] == ends[outer]
            is_part = is_inside & is_titled & is_likelier
            _put(wholes, scores, outer[is_part], inner[is_part])
    # What they are of is as likely, and longer where it is no likelier: no circles.
    wholes = find_roots(wholes)
    return np.where(wholes == rows, -1, wholes)


def _put(
    wholes: np.ndarray, scores: np.ndarray, parts: np.ndarray, others: np.ndarray
) -> None:
    """Put the likeliest of what each is a part of."""
    known = np.where(wholes[parts] == parts, -np.inf, scores[wholes[parts]])
    is_better = scores[others] >= known
    wholes[parts[is_better]] = others[is_better]
