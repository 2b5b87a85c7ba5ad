"""English nouns: what they can be, by probabilities, determiners and endings."""

from functools import lru_cache
from typing import Dict, Tuple

import numpy as np
from spacy.attrs import IS_LOWER

from ...rules.facts import Facts
from ...rules.name_runs import GIVEN_NAMES
from ..features import ANYTHING, FEMALE, LETTERS, MALE, ONE, PERSON, SEVERAL, THING
from ..resources import COMMON, read_table, read_words

# What is less likely than this is no reading of a noun.
_LEAST = 0.05
_VOWELS = frozenset("aeiouy")


def read_nouns(facts: Facts) -> Tuple[np.ndarray, np.ndarray]:
    """Tell what common nouns can be, and which hardly stand for anybody.

    facts (Facts): What is known of the mentions so far.
    RETURNS (Tuple[numpy.ndarray, numpy.ndarray]): Each of shape (n_mentions,): what
        they can be (features.py), and bool, whether a noun is not known to stand for a
        person, an animal or a group; of mentions that are no nouns nothing useful.
    """
    words, lexicon, annotation = facts.words, facts.lexicon, facts.annotation
    starts, heads = facts.starts, facts.heads
    find_mask = find_noun_mask if annotation.has_pos else guess_noun_mask
    masks = words.map(find_mask)[heads]
    is_known = masks != ANYTHING
    is_small = words.doc.to_array(IS_LOWER)[heads] > 0
    # Determiners tell the number before the lexicon, and that before the tagger.
    told = _read_determiners(facts)
    is_clash = (told > 0) & ((masks & told) == 0)
    masks = np.where(told > 0, np.where(is_clash, told, masks & told), masks)
    by_tag = facts.features.as_noun[heads]
    narrowed = masks & np.where(is_small, by_tag, ANYTHING)
    masks = np.where(narrowed > 0, narrowed, masks)
    # Without a determiner only mass nouns and plurals are noun phrases; what is neither
    # is a verb that stands for an event: "took".
    is_bare = is_small & (facts.ends - starts == 1) & ((masks & ONE) > 0)
    # "sara" in a chat
    is_bare &= ~words.find(read_words(COMMON, *GIVEN_NAMES))[heads]
    masks = np.where(is_bare, np.where(is_known, masks & ONE, THING), masks)
    is_noun = annotation.is_pos("NOUN")[heads] if annotation.has_pos else is_small
    is_lifeless = is_noun & is_small & ~is_known & (masks != SEVERAL)
    is_lifeless &= ~words.find(lexicon.quantities)[heads] & (starts < heads)
    is_lifeless |= is_noun & is_known & ((masks & ~THING) == 0)
    return np.where(is_noun, masks, ANYTHING), is_lifeless


def _read_determiners(facts: Facts) -> np.ndarray:
    """Tell the number that a determiner tells: ONE or SEVERAL, 0 where none does."""
    words, lexicon = facts.words, facts.lexicon
    starts, heads = facts.starts, facts.heads
    is_singular = words.find(lexicon.singular_determiners)[starts]
    is_plural = words.find(lexicon.plural_determiners)[starts]
    second = np.minimum(starts + 1, heads)
    # "A few soldiers", "a dozen men": what is counted tells.
    is_counted = words.find(lexicon.plural_determiners | lexicon.quantities)[second]
    is_singular &= ~(is_counted & (second < heads))
    found = np.where(is_singular, ONE, np.where(is_plural, SEVERAL, 0))
    return np.where(starts < heads, found, 0)


@lru_cache(maxsize=None)
def _read_masks() -> Dict[str, int]:
    """Read which readings of each noun are likely enough."""
    letters = LETTERS.values()
    return {
        noun: sum(
            bits
            for bits, cell in zip(letters, cells, strict=True)
            if float(cell) >= _LEAST
        )
        for noun, cells in read_table("en", "nouns").items()
    }


def find_noun_mask(form: str) -> int:
    """Tell what a noun can be.

    form (str): The noun in lower case.
    RETURNS (int): The bits of features.py; ANYTHING for an unknown noun.
    """
    masks = _read_masks()
    # "singer-songwriter", "stuntwoman"
    for part in (form, form.rpartition("-")[2], _find_compound_head(form)):
        if part in masks:
            mask = masks[part]
            # "They" may be a person of any gender, and so is a doctor "he" or "she".
            return mask | (MALE | FEMALE) * bool(mask & PERSON)
    return SEVERAL if find_singular(form) in masks else ANYTHING


def guess_noun_mask(form: str) -> int:
    """Tell what a word can be that nothing but its ending shows to be a noun.

    form (str): The word in lower case.
    RETURNS (int): The bits of features.py; ANYTHING for an unknown noun.
    """
    mask = find_noun_mask(form)
    # "physics", "ironworks", "gps", "nhs"
    is_one = form.endswith(("ics", "works")) or len(form) < 4
    is_one |= _VOWELS.isdisjoint(form)
    is_plural = bool(find_singular(form)) and not is_one
    return SEVERAL if mask == ANYTHING and is_plural else mask


def _find_compound_head(form: str) -> str:
    for ending in ("person", "woman", "man"):
        if form.endswith(ending):
            return ending
    return ""


def find_singular(form: str) -> str:
    """Guess the singular of a regular plural.

    form (str): The noun in lower case.
    RETURNS (str): The singular, "" for what is no plural by its ending.
    """
    if form.endswith("ies") and len(form) > 4:
        return form[:-3] + "y"
    if form.endswith(("ches", "shes", "sses", "xes")):
        return form[:-2]
    if form.endswith("s") and not form.endswith(("ss", "us", "is")):
        return form[:-1]
    return ""
