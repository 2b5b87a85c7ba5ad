"""Provide English rules: the rules of all languages, with word lists of nouns."""

from functools import lru_cache, partial
from typing import Dict

import numpy as np
from spacy.attrs import IS_LOWER

from ...grammar import features as bits
from ...grammar.mention_features import MentionFeatures
from ...grammar.names import list_given_names
from ...grammar.resources import read_table
from ...grammar.rules import Rules
from ...grammar.tokens import Tokens
from ...grammar.word_index import Marks, Rows
from ...registry import registry

# The minimum probability of a reading of a noun.
_LEAST = 0.05
_VOWELS = frozenset("aeiouy")


def _read_determiners(facts: MentionFeatures) -> Rows:
    """Read the number of determiners: ONE, SEVERAL, or 0 if it is unknown."""
    words, lexicon = facts.words, facts.lexicon
    starts, heads = facts.starts, facts.heads
    is_singular = words.find(lexicon.singular_determiners)[starts]
    is_plural = words.find(lexicon.plural_determiners)[starts]
    second = np.minimum(starts + 1, heads)
    # "A" before a quantity is not singular: "a few soldiers", "a dozen men".
    is_counted = words.find(lexicon.plural_determiners | lexicon.quantities)[second]
    is_singular &= ~(is_counted & (second < heads))
    found = np.where(is_singular, bits.ONE, np.where(is_plural, bits.SEVERAL, 0))
    return np.where(starts < heads, found, 0)


@lru_cache(maxsize=None)
def _read_masks(table: str) -> Dict[str, int]:
    """Read the agreement bits of each noun with a probability of at least _LEAST."""
    letters = bits.LETTERS.values()
    return {
        noun: sum(
            mask
            for mask, cell in zip(letters, cells, strict=True)
            if float(cell) >= _LEAST
        )
        for noun, cells in read_table("en", table).items()
    }


def find_noun_mask(form: str) -> int:
    """Find the agreement bits of a noun."""
    # A compound has the agreement of its head: "singer-songwriter", "stuntwoman".
    heads = [one for one in ("person", "woman", "man") if form.endswith(one)]
    return _find_mask("nouns", form, form.rpartition("-")[2], *heads[:1])


def _find_mask(table: str, form: str, *heads: str) -> int:
    masks = _read_masks(table)
    for part in (form, *heads):
        if part in masks:
            # Somebody of unknown gender agrees with "he" and "she".
            is_open = bool(masks[part] & bits.PERSON)
            return masks[part] | (bits.MALE | bits.FEMALE) * is_open
    return bits.SEVERAL if find_singular(form) in masks else bits.ANYTHING


# Find the agreement bits of a noun that is always capitalised.
find_capitalised_mask = partial(_find_mask, "capitalised_nouns")


def guess_noun_mask(form: str) -> int:
    """Find the agreement bits of a word without a tag, also by its plural ending."""
    mask = find_noun_mask(form)
    # Singular words that end in "s": "physics", "ironworks", "gps", "nhs".
    is_singular = form.endswith(("ics", "works")) or len(form) < 4
    is_singular |= _VOWELS.isdisjoint(form)
    is_plural = bool(find_singular(form)) and not is_singular
    return bits.SEVERAL if mask == bits.ANYTHING and is_plural else mask


def find_singular(form: str) -> str:
    """Guess the singular of a regular plural."""
    if form.endswith("ies") and len(form) > 4:
        return form[:-3] + "y"
    if form.endswith(("ches", "shes", "sses", "xes")):
        return form[:-2]
    if form.endswith("s") and not form.endswith(("ss", "us", "is")):
        return form[:-1]
    return ""


@registry.coref_rules("spacy_fastcoref.en.v1")
class EnglishRules(Rules, takes_joined=True):
    """Judge links by English grammar."""

    def read_agreement(self, facts: MentionFeatures) -> np.ndarray:
        words, lexicon, tokens = facts.words, facts.lexicon, facts.tokens
        starts, heads = facts.starts, facts.heads
        find_mask = find_noun_mask if tokens.has_pos else guess_noun_mask
        masks = words.map(find_mask)[heads]
        is_lower = words.doc.to_array(IS_LOWER)[heads] > 0
        # "Copt" is always capitalised, and "Job" is a man only if it is.
        capitalised = words.map(find_capitalised_mask)[heads]
        masks = np.where(is_lower | (capitalised == bits.ANYTHING), masks, capitalised)
        is_known = masks != bits.ANYTHING
        # For the number, determiners take precedence over the word list, and the word
        # list over the tagger.
        number = _read_determiners(facts)
        clash = np.where(number, number, masks)
        masks = np.where(masks & number, masks & number, clash)
        by_tag = np.where(is_lower, tokens.as_noun[heads], bits.ANYTHING)
        masks = np.where(masks & by_tag, masks & by_tag, masks)
        # Without a determiner, only mass nouns and plurals are noun phrases. Other
        # words are verbs that refer to an event: "took".
        is_bare = is_lower & (facts.ends - starts == 1) & ((masks & bits.ONE) > 0)
        # A name can be in lower case, such as "sara" in a chat.
        is_bare &= ~words.find(list_given_names(lexicon.lang))[heads]
        one = np.where(is_known, masks & bits.ONE, bits.THING)
        masks = np.where(is_bare, one, masks)
        is_noun = tokens.is_pos("NOUN")[heads] if tokens.has_pos else is_lower
        is_lifeless = is_noun & is_lower & ~is_known & (masks != bits.SEVERAL)
        is_lifeless &= ~words.find(lexicon.quantities)[heads] & (starts < heads)
        is_lifeless |= is_noun & is_known & ((masks & ~bits.THING) == 0)
        facts.is_lifeless = is_lifeless & ~facts.is_name & ~facts.is_pronoun
        nouns = np.where(is_noun, masks, bits.ANYTHING)
        return np.where(facts.is_name, super().read_agreement(facts), nouns)

    def find_person_nouns(self, tokens: Tokens) -> Marks:
        masks = tokens.words.map(find_noun_mask)
        return (masks != bits.ANYTHING) & ((masks & bits.ONE_PERSON) > 0)
