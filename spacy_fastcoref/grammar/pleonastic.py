"""Find pleonastic pronouns, such as "it" with verbs of the weather."""

import numpy as np

from .annotation import Annotation
from .lexicon import Lexicon
from .schemes import CLAUSAL_SUBJECT, COMPLEMENT, EXPLETIVE, OPEN_COMPLEMENT, SUBJECT
from .word_index import WordIndex, is_sign

# The maximum distance of the verb from the pronoun, and of the clause from the verb.
_TO_VERB, _TO_CLAUSE = 5, 7


def find_pleonastic(
    annotation: Annotation, words: WordIndex, lexicon: Lexicon
) -> np.ndarray:
    """Find pronouns that refer to nothing.

    These are expletives by the parse; subjects of verbs of the weather ("it rains");
    and subjects of predicates with an extraposed clause ("it is clear that he lies",
    "it is hard to say"). See Huddleston and Pullum (2002), chapter 17.

    annotation (Annotation): The document's annotation.
    words (WordIndex): The document's words.
    lexicon (Lexicon): The closed-class words of the language.
    RETURNS (numpy.ndarray): Shape (n_tokens,), bool.
    """
    found = np.zeros(len(words.index), dtype=bool)
    may_be_expletive = words.find(lexicon.expletives)
    if not may_be_expletive.any():
        return found
    if annotation.has_dep:
        found |= may_be_expletive & annotation.has_role(EXPLETIVE)
    is_weather = words.find(lexicon.weather_verbs)
    extraposes = words.find(lexicon.extraposing)
    if annotation.has_dep:
        # The order of the words is free: "Gestern regnete es", "Is it clear that".
        is_clausal = annotation.has_role(CLAUSAL_SUBJECT, COMPLEMENT, OPEN_COMPLEMENT)
        is_empty = is_weather | (extraposes & annotation.has_child(is_clausal))
        is_subject = annotation.has_role(SUBJECT, EXPLETIVE)
        found |= may_be_expletive & is_subject & is_empty[annotation.heads]
    is_helper = words.find(lexicon.auxiliaries | lexicon.degrees)
    is_copula = words.find(lexicon.copulas)
    opens = words.find(lexicon.complementizers)
    is_end = words.map(is_sign) > 0
    (tokens,) = np.nonzero(may_be_expletive)
    lasts = words.edges[1][tokens]
    for i, last in zip(tokens.tolist(), lasts.tolist(), strict=True):
        verb = i + 1
        while verb < min(i + _TO_VERB, last) and is_helper[verb]:
            verb += 1
        rest = slice(verb, verb + _TO_CLAUSE)
        if verb >= len(found):
            continue
        if is_weather[verb]:
            found[i] = True
            continue
        # "It is …", "it would have been …": the copula may be an auxiliary, too.
        if not (is_copula[verb] or is_copula[i + 1 : verb].any()):
            continue
        begins = verb + int(is_copula[verb] and not extraposes[verb])
        if not extraposes[begins : begins + 3].any():
            continue
        clause = np.flatnonzero(opens[rest] & ~extraposes[rest])
        stop = np.flatnonzero(is_end[rest])
        if len(clause) and not (len(stop) and stop[0] < clause[0]):
            found[i] = _is_extraposed(annotation, i, verb + int(clause[0]))
    return found


def _is_extraposed(annotation: Annotation, pronoun: int, marker: int) -> bool:
    """Check whether a clause belongs to the predicate; True without a parse."""
    if not annotation.has_dep:
        return True
    roles = annotation.has_role(CLAUSAL_SUBJECT, COMPLEMENT, OPEN_COMPLEMENT)
    predicate = annotation.heads[pronoun]
    token = marker
    # The marker is below the clause, and the clause below the predicate.
    for _ in range(3):
        if roles[token]:
            return True
        token = annotation.heads[token]
        if token == predicate:
            break
    return False
