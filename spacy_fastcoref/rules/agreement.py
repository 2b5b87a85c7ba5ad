"""What a mention can be understood as: a bit for each way, so that sets intersect."""

import numpy as np

# One man, one woman, one person of whom the gender is not told, one thing or animal,
# one group of people, several of anything.
MALE, FEMALE, PERSON, THING, GROUP, SEVERAL = (1 << i for i in range(6))
ANYTHING = (1 << 6) - 1
ONE_PERSON = MALE | FEMALE | PERSON
NO_PERSON = THING | GROUP | SEVERAL
ONE = ONE_PERSON | THING | GROUP
# A name is one of so many; with all else that is as many bits as there are.
_N_NAMES = 63
ANY_NAME = (1 << _N_NAMES) - 1
# Letters that given names begin with, those as one that spellings of one name share:
# "Carl" and "Karl".
_INITIALS = ("a", "b", "ckq", "d", "e", "f", "g", "h", "iy", "j", "l", "m", "n", "ou")
_INITIALS += ("p", "r", "sxz", "t", "vw")

# The letters that stand for them in word lists.
LETTERS = {"m": MALE, "f": FEMALE, "p": PERSON, "t": THING, "g": GROUP, "s": SEVERAL}


def read_letters(letters: str) -> int:
    """Read a set of understandings.

    letters (str): Some of the letters m, f, p, t, g, s.
    RETURNS (int): Their bits.
    """
    return sum(LETTERS[letter] for letter in letters)


def find_initial(name: str) -> int:
    """Find what a given name begins with.

    name (str): The name in lower case.
    RETURNS (int): A bit; all of ANY_NAME for what is no letter from a to z.
    """
    bits = (1 << i for i, letters in enumerate(_INITIALS) if name[:1] in letters)
    return next(bits, ANY_NAME) if name else ANY_NAME


def find_ways(agreement: np.ndarray, names: np.ndarray) -> np.ndarray:
    """Tell people apart by a name: another aspect of what mentions can be.

    agreement (numpy.ndarray): Shape (n_mentions,), what each can be.
    names (numpy.ndarray): Shape (n_mentions,), bits of what the name of each may be, up
        to ANY_NAME, which is that of those that have none.
    RETURNS (numpy.ndarray): Shape (n_mentions,), uint64: a bit for one person of each
        name, and one for all else.
    """
    people = np.where(agreement & ONE_PERSON, names, 0).astype(np.uint64)
    others = np.where(agreement & NO_PERSON, np.uint64(ANY_NAME + 1), np.uint64(0))
    return people | others


def number_names(numbers: np.ndarray) -> np.ndarray:
    """Make names of numbers; few share a bit, and may be confused.

    numbers (numpy.ndarray): Shape (n_mentions,), one for each name, from 0 on.
    RETURNS (numpy.ndarray): Shape (n_mentions,), a bit each, see find_ways.
    """
    return np.int64(1) << numbers % _N_NAMES


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
