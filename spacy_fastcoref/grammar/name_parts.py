"""Find parts of people's names, such as "Ann" in "Ann Lee", which are no mentions."""

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
    """Find the longer name that each part of a name belongs to: "Ann" in "Ann Lee".

    The longer name has to have a mention score at least as high, and a given name or
    title that is inside the part or precedes it. The parts of other names can be
    mentions: "Ohio State University", "Texas Governor Ann Lee". Conversely, if a name
    without its title has a higher score than with it, the name with the title counts as
    the part.

    starts, ends (numpy.ndarray): Shape (n_mentions,), token offsets.
    scores (numpy.ndarray): Shape (n_mentions,), the mention scores.
    is_proper (numpy.ndarray): Shape (n_tokens,), bool, words of proper names.
    is_given (numpy.ndarray): Shape (n_tokens,), bool, given names and titles.
    is_title (numpy.ndarray): Shape (n_tokens,), bool, titles.
    RETURNS (numpy.ndarray): Shape (n_mentions,), the longer name with the highest score
        that is not a part itself; -1 for mentions that are not parts.
    """
    rows = np.arange(len(starts))
    wholes = rows.copy()
    n_proper, n_given, n_titles = (
        np.append(0, np.cumsum(words)) for words in (is_proper, is_given, is_title)
    )
    named = np.flatnonzero(n_proper[ends] - n_proper[starts] == ends - starts)
    # All mentions in one run of name words have the same number of other words before
    # them, which identifies the run.
    n_before = starts - n_proper[starts]
    named = named[np.argsort(n_before[named], kind="stable")]
    run = n_before[named]
    # Compare each mention with the next ones in its run that begin before it ends. If
    # one does not, no later one does, and few mentions overlap.
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
            _update_wholes(wholes, scores, inner[is_part], outer[is_part])
            n_more = n_titles[starts[inner]] - n_titles[starts[outer]]
            is_titled = (n_more == starts[inner] - starts[outer]) & (n_more > 0)
            is_titled &= ends[inner] == ends[outer]
            is_part = is_inside & is_titled & is_likelier
            _update_wholes(wholes, scores, outer[is_part], inner[is_part])
    # There are no cycles: every whole has a higher score than its part, or the same
    # score and more words.
    wholes = find_roots(wholes)
    return np.where(wholes == rows, -1, wholes)


def _update_wholes(
    wholes: np.ndarray, scores: np.ndarray, parts: np.ndarray, others: np.ndarray
) -> None:
    """Replace the whole of each part if the other one has at least the same score."""
    known = np.where(wholes[parts] == parts, -np.inf, scores[wholes[parts]])
    is_better = scores[others] >= known
    wholes[parts[is_better]] = others[is_better]
