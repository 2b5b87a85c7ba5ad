"""Tell Polish pronouns from words of the same form, and find their owners' clauses."""

from dataclasses import replace

import numpy as np

from ...grammar.features import DEMONSTRATIVE, OTHER_PRONOUN, POSSESSIVE, REFLEXIVE
from ...grammar.schemes import PREPOSITION, RELATIVE
from ...grammar.tokens import Tokens
from .verbs import Clauses

# The reflexive clitic is a part of the verb.
_SIE = frozenset(("się",))
# Prepositions with a pronoun: "dla niego".
_FUSED = frozenset("nań doń zań weń oń poń przezeń dlań odeń zeń".split())
# Without tags, this word is never the pronoun: it is the most frequent one, "not".
_NOT = frozenset(("nie",))
_ATTRIBUTES = ("det", "det:poss", "det:numgov", "det:nummod", "amod")
_OWNERS = ("nmod", "nmod:poss", "nmod:arg", "det:poss", "det")
_MAX_DEPTH = 6


def refine_pronouns(tokens: Tokens, clauses: Clauses) -> Tokens:
    """Leave out words that only have the form of a pronoun, and read uses of others."""
    annotation, words, features = tokens.annotation, tokens.words, tokens.features
    person, flags = features.person.copy(), features.flags.copy()
    is_open = annotation.is_zero_subject | words.find(_FUSED)
    if annotation.has_pos:
        # "Nim" can be "before", "je" "eats", "im" "the" and "ci" "to you".
        is_open |= annotation.is_pos("PRON", "DET")
    else:
        is_open |= ~words.find(_NOT)
    person[~is_open | words.find(_SIE)] = 0
    is_zero = annotation.is_zero_subject
    person[is_zero] = clauses.person[clauses.heads[is_zero]]
    is_demonstrative = (flags & DEMONSTRATIVE) > 0
    person[is_demonstrative & _find_attributes(tokens)] = 0
    # "To" refers to what was said, "ten" to a noun.
    person[is_demonstrative & (person > 0) & annotation.is_pos("PRON")] = OTHER_PRONOUN
    if annotation.has_dep:
        is_owner = words.find(tokens.lexicon.objects) & (person > 0)
        is_owner &= annotation.has_label(*_OWNERS)
        is_owner &= annotation.is_pos("NOUN", "PROPN")[annotation.heads]
        is_owner &= ~annotation.has_child(annotation.has_role(PREPOSITION))
        flags[is_owner] |= POSSESSIVE
        is_reflexive = ((flags & REFLEXIVE) > 0) & (person > 0)
        verbs = find_finite(tokens, clauses)
        person = np.where(is_reflexive, clauses.person[verbs], person)
    refined = replace(features, person=person, flags=np.where(person > 0, flags, 0))
    return tokens._replace(features=refined)


def find_finite(tokens: Tokens, clauses: Clauses) -> np.ndarray:
    """Find the finite predicate above each token.

    RETURNS (numpy.ndarray): Shape (n_tokens,), int64; the highest word that was looked
        at if there is none.
    """
    is_clause = np.zeros(len(clauses.heads), dtype=bool)
    is_clause[clauses.heads[clauses.is_finite]] = True
    found = tokens.annotation.heads
    for _ in range(_MAX_DEPTH):
        found = np.where(is_clause[found], found, tokens.annotation.heads[found])
    return found


def _find_attributes(tokens: Tokens) -> np.ndarray:
    """Find demonstratives that belong to a noun or to a relative clause: "ten dom"."""
    annotation = tokens.annotation
    if annotation.has_dep:
        found = annotation.has_label(*_ATTRIBUTES)
        return found | annotation.has_child(annotation.has_role(RELATIVE))
    is_next = annotation.is_pos("NOUN", "PROPN", "ADJ", "NUM")
    return np.append(is_next[1:], False)
