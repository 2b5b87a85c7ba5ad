"""What a mention can be understood as: a bit for each way, so that sets intersect."""

import numpy as np

# One man, one woman, one person of whom the gender is not told, one thing or animal,
# one group of people, several of anything.
MALE, FEMALE, PERSON, THING, GROUP, SEVERAL = (1 << i for i in range(6))
ANYTHING = (1 << 6) - 1
ONE_PERSON = MALE | FEMALE | PERSON
ONE = ONE_PERSON | THING | GROUP

# The letters that stand for them in word lists.
LETTERS = {"m": MALE, "f": FEMALE, "p": PERSON, "t": THING, "g": GROUP, "s": SEVERAL}


def read_letters(letters: str) -> int:
    """Read a set of understandings.

    letters (str): Some of the letters m, f, p, t, g, s.
    RETURNS (int): Their bits.
    """
    return sum(LETTERS[letter] for letter in letters)


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
