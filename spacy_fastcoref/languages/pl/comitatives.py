"""Find companions, which make a group with the subject: "Piotr z Kasią poszli"."""

from functools import lru_cache
from typing import FrozenSet

import numpy as np

from ...grammar.features import ONE_PERSON, PERSON_LABELS, SEVERAL
from ...grammar.resources import read_words
from ...grammar.schemes import OBLIQUE_ARGUMENT, PREPOSITION
from ...grammar.tokens import Tokens
from ...grammar.word_index import Marks
from .verbs import Clauses

_WITH = frozenset(("z", "ze"))
_TOGETHER = frozenset(("razem", "wraz"))


def find_comitatives(tokens: Tokens, clauses: Clauses) -> np.ndarray:
    """Find the word that each companion joins.

    A companion is a person in the instrumental after "z". It joins the subject of a
    verb in the plural, although that is a singular or left out ("przyszli z Kasią"),
    and with "razem z" or "wraz z" that of any verb.

    RETURNS (numpy.ndarray): Shape (n_tokens,), int64, a noun, a pronoun or a verb; -1
        for words that are no companions.
    """
    annotation, words = tokens.annotation, tokens.words
    index = np.arange(len(words.index))
    found = np.full(len(index), -1)
    is_with = words.find(_WITH)
    if not annotation.has_dep or not is_with.any():
        return found
    above = annotation.heads
    is_together = words.find(_TOGETHER)
    # "Razem z" is one preposition, of which the second word depends on the first.
    marks = np.flatnonzero(is_with)
    marks = np.where(is_together[above[marks]], above[marks], marks)
    marks = marks[annotation.has_role(PREPOSITION)[marks]]
    nouns = above[marks]
    has_together = is_together[marks]
    has_together |= np.append(False, is_together[:-1])[marks]
    is_companion = annotation.has_morph("Case=Ins")[nouns]
    is_companion &= find_people(tokens)[nouns]
    is_companion &= ~annotation.has_role(OBLIQUE_ARGUMENT)[nouns]
    nouns, has_together = nouns[is_companion], has_together[is_companion]
    joined = _find_joined(tokens, clauses, nouns, has_together)
    found[nouns] = joined
    # "Z Kasią i Tomkiem".
    first = annotation.first_conjunct
    is_conjunct = (first != index) & (found[first] >= 0)
    return np.where(is_conjunct, found[first], found)


def find_people(tokens: Tokens) -> Marks:
    """Find words for people: names, masculine nouns by gender, and listed nouns."""
    annotation, features = tokens.annotation, tokens.features
    found = annotation.has_morph("Animacy=Hum")
    found |= annotation.is_entity(*PERSON_LABELS)
    found |= annotation.lemmas.find(read_words("pl", "people"))
    found |= tokens.words.find(_list_companions())
    found |= features.is_name & ~annotation.has_morph("Animacy=Inan", "Gender=Neut")
    return found | (features.person > 0)


@lru_cache(maxsize=None)
def _list_companions() -> FrozenSet[str]:
    """List the instrumental of nouns for people, for texts without lemmas."""
    forms = set()
    for noun in read_words("pl", "people"):
        stem = noun[:-1] if noun.endswith(("a", "o")) else noun
        soft = "i" if stem.endswith("k") else ""
        forms |= {stem + "ą", stem + "ami", stem + soft + "em"}
    return frozenset(forms)


def _find_joined(
    tokens: Tokens, clauses: Clauses, nouns: np.ndarray, has_together: np.ndarray
) -> np.ndarray:
    """Find the subjects that companions join; -1 for none."""
    annotation = tokens.annotation
    above = annotation.heads[nouns]
    # "Piotr z Kasią poszli", with the companion below the noun or below the verb.
    is_below_noun = annotation.is_nominal[above]
    verbs = clauses.heads[np.where(is_below_noun, annotation.heads[above], above)]
    subjects = clauses.subject[verbs]
    subjects = np.where(is_below_noun & (subjects != above), -1, subjects)
    is_subject = (subjects >= 0) & (subjects != nouns)
    number = tokens.features.as_noun[subjects]
    is_single = is_subject & ((number & SEVERAL) == 0) & find_people(tokens)[subjects]
    is_plural = (clauses.agreement[verbs] & ONE_PERSON) == 0
    joins = is_single & (is_plural | has_together)
    # "Przyszli z Kasią": the verb stands for the subject.
    zero = np.full(len(annotation.heads), -1)
    (tokens_of_zero,) = np.nonzero(annotation.is_zero_subject)
    zero[clauses.heads[tokens_of_zero]] = tokens_of_zero
    is_zero = ~is_below_noun & (zero[verbs] >= 0) & is_plural
    return np.where(is_zero, zero[verbs], np.where(joins, subjects, -1))
