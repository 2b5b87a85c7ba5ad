"""Find out whether mentions disagree in number, gender or animacy."""

import numpy as np

from .features import GROUP, ONE_PERSON, SEVERAL, THING


def find_clash(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Find the feature in which pairs of mentions disagree.

    left, right (numpy.ndarray): Shape (n_pairs,), int64, the agreement bits of the
        mentions of each pair.
    RETURNS (numpy.ndarray): Shape (n_pairs,), str: "number", "gender" or "animacy"; ""
        if the mentions agree.
    """
    clash = np.where(left & right, "", "animacy")
    is_plural = [(side & (ONE_PERSON | THING)) == 0 for side in (left, right)]
    is_singular = [(side & (SEVERAL | GROUP)) == 0 for side in (left, right)]
    number = (is_plural[0] & is_singular[1]) | (is_singular[0] & is_plural[1])
    are_people = ((left & ONE_PERSON) > 0) & ((right & ONE_PERSON) > 0)
    clash = np.where((clash != "") & are_people, "gender", clash)
    return np.where((clash != "") & number, "number", clash)
