"""Find the roles of mentions, their clauses, and how often they are mentioned."""

import numpy as np

from ...grammar.annotation import Annotation
from ...grammar.mention_features import MentionFeatures
from ...grammar.schemes import (
    AGENT,
    APPOSITION,
    CONJUNCT,
    OBJECT,
    OBLIQUE,
    OBLIQUE_ARGUMENT,
    POSSESSOR,
    SUBJECT,
)

# The roles that all members of a coordination have.
_ROLES = (SUBJECT, OBJECT, OBLIQUE, OBLIQUE_ARGUMENT, AGENT, POSSESSOR, APPOSITION)
N_ROLES = len(_ROLES) + 3
# The maximum number of steps from a word to its verb.
_MAX_STEPS = 6


def find_roles(facts: MentionFeatures) -> np.ndarray:
    """Find the syntactic roles of mentions, which all dependency schemes have.

    facts (MentionFeatures): The mentions.
    RETURNS (numpy.ndarray): Shape (n_mentions, N_ROLES), bool.
    """
    annotation, heads = facts.annotation, facts.heads
    firsts = annotation.first_conjunct[heads]
    found = [annotation.has_role(role)[firsts] for role in _ROLES]
    found.append(annotation.has_role(CONJUNCT)[heads])
    found.append(annotation.is_zero_subject[heads])
    # Objects of prepositions, where these are the heads of nouns.
    found.append((annotation.governors != annotation.heads)[firsts])
    return np.stack(found, axis=1)


def find_clauses(annotation: Annotation) -> np.ndarray:
    """Find the verb of each word's clause.

    annotation (Annotation): The document's annotation.
    RETURNS (numpy.ndarray): Shape (n_tokens,), int64, the nearest verb above each word;
        -1 for none.
    """
    heads, is_verb = annotation.heads, annotation.is_verb
    tokens = np.arange(len(heads))
    above = heads.copy()
    for _ in range(_MAX_STEPS):
        above = np.where(is_verb[above], above, heads[above])
    return np.where(is_verb[above] & (above != tokens), above, -1)


def find_next_same(facts: MentionFeatures) -> np.ndarray:
    """Find the next mention with the same head.

    facts (MentionFeatures): The mentions.
    RETURNS (numpy.ndarray): Shape (n_mentions,), int64, the mention; the number of
        mentions for none.
    """
    forms = facts.words.index[facts.heads]
    order = np.argsort(forms, kind="stable")
    is_same = forms[order][1:] == forms[order][:-1]
    found = np.full(len(forms), len(forms))
    found[order[:-1][is_same]] = order[1:][is_same]
    return found


def count_same(facts: MentionFeatures) -> np.ndarray:
    """Count the mentions with the same head, but for pronouns.

    facts (MentionFeatures): The mentions.
    RETURNS (numpy.ndarray): Shape (2, n_mentions), int64: their number in the text
        before each mention, and in the whole text.
    """
    forms = facts.words.index[facts.heads]
    _, index, counts = np.unique(forms, return_inverse=True, return_counts=True)
    index = index.reshape(-1)
    order = np.argsort(index, kind="stable")
    before = np.empty(len(forms), dtype=np.int64)
    before[order] = np.arange(len(forms)) - (np.cumsum(counts) - counts)[index[order]]
    found = np.stack([before, counts[index]])
    return np.where(facts.is_pronoun, 0, found)
