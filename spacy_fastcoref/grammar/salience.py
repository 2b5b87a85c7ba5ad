"""Measure how near mentions are, by the attention that they have."""

import numpy as np

from .mention_features import MentionFeatures
from .schemes import SUBJECT

# How much farther away a name and a noun count that are neither subjects nor pronouns.
_NAME, _NOUN = 2, 3


def measure_distances(
    facts: MentionFeatures, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Measure the distances of mentions, in words between their heads.

    A subject or a pronoun is more salient than other mentions, which count as farther
    away by a factor, nouns more than names; see Grosz, Joshi and Weinstein (1995) on
    centering.
    """
    annotation, heads = facts.annotation, facts.heads
    is_subject = annotation.has_role(SUBJECT)[annotation.first_conjunct]
    factors = np.where(facts.is_name, _NAME, _NOUN)
    factors[is_subject[heads] | facts.is_pronoun] = 1
    return factors[earlier] * np.abs(heads[later] - heads[earlier])
