"""Agreement in number, gender and animacy, said in words."""

import numpy as np

from ..languages.features import GROUP, ONE_PERSON, SEVERAL, THING


def find_clash(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Tell in what pairs of mentions do not agree.

    left, right (numpy.ndarray): Shape (n_pairs,), what each of the two can be.
    RETURNS (numpy.ndarray): Shape (n_pairs,), of str: "number", "gender" or
        "animacy", "" where they agree.
    """
    clash = np.where(left & right, "", "animacy")
    is_many = [(side & (ONE_PERSON | THING)) == 0 for side in (left, right)]
    is_one = [(side & (SEVERAL | GROUP)) == 0 for side in (left, right)]
    number = (is_many[0] & is_one[1]) | (is_one[0] & is_many[1])
    are_people = ((left & ONE_PERSON) > 0) & ((right & ONE_PERSON) > 0)
    clash = np.where((clash != "") & are_people, "gender", clash)
    return np.where((clash != "") & number, "number", clash)
