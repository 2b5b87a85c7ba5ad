"""What a mention can be understood as: a bit for each way, so that sets intersect."""

import numpy as np

# One man, one woman, one person of whom the gender is not told, one thing or animal,
# one group of people, several of anything.
MALE, FEMALE, PERSON, THING, GROUP, SEVERAL = (1 << i for i in range(6))
ANYTHING = (1 << 6) - 1
ONE_PERSON = MALE | FEMALE | PERSON
NO_PERSON = THING | GROUP | SEVERAL
ONE = ONE_PERSON | THING | GROUP
# Letters that given names begin with, those as one that spellings of one name share:
# "Carl" and "Karl". With three ways to be a person they fit into 64 bits.
_INITIALS = ("a", "b", "ckq", "d", "e", "f", "g", "h", "iy", "j", "l", "m", "n", "ou")
_INITIALS += ("p", "r", "sxz", "t", "vw")
ANY_INITIAL = (1 << len(_INITIALS)) - 1
_N_FAMILIES = 63

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
    RETURNS (int): A bit; all of ANY_INITIAL for what is no letter from a to z.
    """
    bits = (1 << i for i, letters in enumerate(_INITIALS) if name[:1] in letters)
    return next(bits, ANY_INITIAL) if name else ANY_INITIAL


def add_initials(agreement: np.ndarray, initials: np.ndarray) -> np.ndarray:
    """Tell people apart by their given names, too.

    agreement (numpy.ndarray): Shape (n_mentions,), what each can be.
    initials (numpy.ndarray): Shape (n_mentions,), bits of what the given name of each
        may begin with, ANY_INITIAL where it has none.
    RETURNS (numpy.ndarray): Shape (n_mentions,), uint64: as before a bit for each way,
        of which "one woman whose name begins with an A" is one.
    """
    wide = (agreement.astype(np.uint64) & np.uint64(NO_PERSON)) << np.uint64(58)
    for i, person in enumerate((MALE, FEMALE, PERSON)):
        place = np.uint64(i * len(_INITIALS))
        names = initials.astype(np.uint64) << place
        wide |= np.where(agreement & person, names, np.uint64(0))
    return wide


def find_family_ways(agreement: np.ndarray, families: np.ndarray) -> np.ndarray:
    """Tell people apart by their family names.

    agreement (numpy.ndarray): Shape (n_mentions,), what each can be.
    families (numpy.ndarray): Shape (n_mentions,), the number of the family name of each
        mention, -1 where it has none or that is not known.
    RETURNS (numpy.ndarray): Shape (n_mentions,), uint64: a bit for one person of each
        family, and one for all else. Few families share a bit, and may be confused.
    """
    names = np.uint64(1) << (families % _N_FAMILIES).astype(np.uint64)
    names = np.where(families < 0, np.uint64(2**_N_FAMILIES - 1), names)
    people = np.where(agreement & ONE_PERSON, names, np.uint64(0))
    others = np.where(agreement & NO_PERSON, np.uint64(2**_N_FAMILIES), np.uint64(0))
    return people | others


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
