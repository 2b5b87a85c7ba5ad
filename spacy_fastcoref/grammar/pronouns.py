"""Read features of pronouns from the lexicon, or from morphology."""

from collections import Counter
from functools import lru_cache, reduce
from operator import and_, or_
from typing import Callable, Dict, List, Tuple

import numpy as np

from . import features as bits
from .lexicon import Lexicon
from .word_index import Rows, WordIndex

# The features by which morphology selects readings of a pronoun, beside its agreement.
_SELECTING, _KINDS = ("Case", "Person", "PronType"), ("Poss", "Reflex")


def read_pronouns(
    words: WordIndex, lexicon: Lexicon, feats: List[str], index: Rows
) -> Rows:
    """Read the agreement bits, the person and the flags of pronouns; 0 for other words.

    The morphology, numbered by `index`, selects readings of a form in the lexicon, but
    doesn't change their features.
    """
    forms, number = _number_forms(lexicon)
    numbers, found = words.map(number), np.zeros((3, len(index)), dtype=np.int64)
    (tokens,) = np.nonzero(numbers)
    pairs = numbers[tokens] * len(feats) + index[tokens]
    pairs, places = np.unique(pairs, return_inverse=True)
    found[:, tokens] = (
        np.array(
            [
                _read_form(lexicon, forms[form], feats[analysis])
                for form, analysis in zip(*np.divmod(pairs, len(feats)), strict=True)
            ]
        )
        .reshape(-1, 3)[places]
        .T
    )
    return found


@lru_cache(maxsize=None)
def _number_forms(lexicon: Lexicon) -> Tuple[List[str], Callable[[str], int]]:
    """List the pronouns of a lexicon, and make a function that numbers them, from 1."""
    forms = ["", *lexicon.forms]
    return forms, Counter({form: i for i, form in enumerate(forms)}).__getitem__


@lru_cache(maxsize=None)
def _read_form(lexicon: Lexicon, form: str, feats: str) -> Tuple[int, int, int]:
    """Read the agreement bits, the person and the flags of a pronoun."""
    readings = lexicon.forms[form]
    fitting = [one for one in readings if _is_fit(one, feats)] or readings
    masks, persons, flags = zip(*map(_read_pronoun, fitting), strict=True)
    # A form can be in several cases, but it is only a possessive or a reflexive if it
    # can't be anything else.
    cases = bits.NOMINATIVE | bits.ACCUSATIVE | bits.DATIVE
    either, both = reduce(or_, flags), reduce(and_, flags)
    return reduce(or_, masks), persons[0], (either & cases) | (both & ~cases)


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
    """Read the same from the morphology alone; 0 for words that are not personal."""
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
    return mask, (bits.THIRD if person == bits.OTHER_PRONOUN else person), flags


def list_pronouns(lexicon: Lexicon) -> Dict[str, Tuple[str, int]]:
    """List the personal pronouns of a lexicon, including possessives and reflexives.

    By form, these are the agreement as letters, see LETTERS, and the person, 1 to 3.
    """
    read = {form: _read_form(lexicon, form, "") for form in lexicon.forms}
    return {
        form: (bits.write_letters(mask), person)
        for form, (mask, person, _) in read.items()
        if person != bits.OTHER_PRONOUN
    }


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
    flags = sum((feat in given) << i for i, feat in enumerate(bits.FLAGS))
    return int(mask), person, flags
