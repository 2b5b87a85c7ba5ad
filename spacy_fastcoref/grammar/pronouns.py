"""Read features of pronouns from the lexicon, or from morphology."""

from functools import lru_cache, partial
from typing import Dict, List, Tuple

import numpy as np

from . import features as bits
from .lexicon import Lexicon
from .word_index import Rows, WordIndex

# The features by which morphology selects readings of a pronoun, beside its agreement.
_SELECTING, _KINDS = ("Case", "Person", "PronType"), ("Poss", "Reflex")


def read_pronouns(
    words: WordIndex, lexicon: Lexicon, feats: List[str], index: Rows
) -> Tuple[Rows, Rows, Rows]:
    """Read the agreement bits, the person and the flags of pronouns; 0 for other words.

    The morphology, numbered by `index`, selects readings of a form in the lexicon, but
    doesn't change their features.
    """
    reader = _make_reader(lexicon)
    numbers = np.stack([words.map(read) for read in reader.readings])
    mask, person, flags = np.zeros((3, len(index)), dtype=np.int64)
    (tokens,) = np.nonzero(numbers[0])
    if not len(tokens):
        return mask, person, flags
    numbers = numbers[:, tokens]
    pairs, places = np.unique(numbers * len(feats) + index[tokens], return_inverse=True)
    fits = [
        _is_fit(reader.feats[number], feats[form])
        for number, form in zip(*np.divmod(pairs, len(feats)), strict=True)
    ]
    exists = numbers > 0
    chosen = np.array(fits)[places].reshape(numbers.shape) & exists
    chosen = np.where(chosen.any(0), chosen, exists)
    masks, persons, all_flags = np.moveaxis(reader.table[numbers], 2, 0)
    mask[tokens] = np.bitwise_or.reduce(np.where(chosen, masks, 0))
    person[tokens] = np.take_along_axis(persons, chosen.argmax(0)[None], 0)[0]
    # A form can be in several cases, but it is only a possessive or a reflexive if it
    # can't be anything else.
    either = np.bitwise_or.reduce(np.where(chosen, all_flags, 0))
    both = np.bitwise_and.reduce(np.where(chosen, all_flags, -1))
    cases = bits.NOMINATIVE | bits.ACCUSATIVE | bits.DATIVE
    flags[tokens] = (either & cases) | (both & ~cases)
    return mask, person, flags


class _PronounReader:
    """Look up the readings of a lexicon's pronouns."""

    # One for each lexicon, since WordIndex caches the results of its methods.

    def __init__(self, lexicon: Lexicon) -> None:
        self.feats = ["", *lexicon.features]
        rows = [(0, 0, 0), *map(_read_pronoun, lexicon.features)]
        self.table = np.array(rows, dtype=np.int64)
        self.numbers: Dict[str, List[int]] = {}
        for number, forms in enumerate(lexicon.features.values(), 1):
            for form in forms.split():
                self.numbers.setdefault(form, []).append(number)
        n_readings = max(map(len, self.numbers.values()), default=1)
        self.readings = [partial(self._read_number, i) for i in range(n_readings)]

    def _read_number(self, reading: int, form: str) -> int:
        numbers = self.numbers.get(form, ())
        return numbers[reading] if reading < len(numbers) else 0


_make_reader = lru_cache(maxsize=None)(_PronounReader)


@lru_cache(maxsize=None)
def _is_fit(reading: str, feats: str) -> bool:
    """Check whether a morphological analysis fits a reading of a pronoun."""
    one, other = bits.split_feats(reading), bits.split_feats(feats)
    for name in _SELECTING:
        values = [set(found.get(name, "").split(",")) - {""} for found in (one, other)]
        if all(values) and values[0].isdisjoint(values[1]):
            return False
    # An analysis that has the type of the pronoun has these features, too.
    is_full = other.get("PronType") == "Prs" or "Poss" in other or "Reflex" in other
    if is_full and any((name in one) != (name in other) for name in _KINDS):
        return False
    if "Poss" in one:
        # Gender and number of a possessive can be those of the noun that follows.
        names = [name for name in other if name.endswith("[psor]")]
        feats = "|".join(f"{name[:-6]}={other[name]}" for name in names)
    return (bits.read_morph(reading) & bits.read_morph(feats)) > 0


@lru_cache(maxsize=None)
def read_personal_pronoun(feats: str) -> Tuple[int, int, int]:
    """Read the person, the flags and the agreement bits of a personal pronoun.

    They come from its morphology alone, and are 0 for other words.
    """
    parts = feats.split("|")
    if "PronType=Prs" not in parts and "Reflex=Yes" not in parts:
        return 0, 0, 0
    # A reflexive of no person agrees with any, but needs an antecedent.
    kept = [part for part in parts if not part.startswith(("Number[", "Gender["))]
    mask, person, flags = _read_pronoun("|".join(kept))
    if "Poss=Yes" in parts:
        # Gender and number are those of the noun; layered features are the owner's.
        owner = [part.replace("[psor]", "") for part in parts if "[psor]" in part]
        mask, _, _ = _read_pronoun("|".join([*owner, "Poss=Yes"]))
    if "Reflex=Yes" in parts:
        mask = bits.ANYTHING
    return (bits.THIRD if person == bits.OTHER_PRONOUN else person), flags, mask


def list_pronouns(lexicon: Lexicon) -> Dict[str, Tuple[str, int]]:
    """List the personal pronouns of a lexicon, including possessives and reflexives.

    By form, these are the agreement as letters, see LETTERS, and the person, 1 to 3.
    """
    reader = _make_reader(lexicon)
    found = {}
    for form, numbers in reader.numbers.items():
        masks, persons, _ = reader.table[numbers].T
        if persons[0] != bits.OTHER_PRONOUN:
            letters = bits.write_letters(int(np.bitwise_or.reduce(masks)))
            found[form] = letters, int(persons[0])
    return found


def _read_pronoun(feats: str) -> Tuple[int, int, int]:
    """Read the agreement bits, the person and the flags of a pronoun's features."""
    found = bits.split_feats(feats)
    mask = bits.read_morph(feats)
    if found.get("Person") in ("1", "2"):
        mask &= bits.PERSONS
    if found.get("Number") == "Plur":
        # A plural pronoun can refer to a group: "the team … they".
        mask |= bits.GROUP
    person = int(found.get("Person", bits.OTHER_PRONOUN))
    given = bits.list_feats(feats)
    flags = sum(bit for feat, bit in bits.FLAGS.items() if feat in given)
    return int(mask), person, flags
