"""Apply binding theory: who a pronoun or a reflexive can't refer to, by syntax."""

import numpy as np

from .features import ACCUSATIVE, DATIVE, NOMINATIVE, THIRD
from .mention_features import MentionFeatures
from .nesting import find_nested
from .word_index import Marks, Rows, is_sign

# The maximum number of words of a verb with its auxiliaries.
_TO_OBJECT = 4
# The number of steps from a pronoun to its ancestors.
_MAX_DEPTH = 24


def is_unbound(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find reflexives whose clause has another subject: "Ann said Ed hurt herself"."""
    found = np.zeros(len(later), dtype=bool)
    tokens, first = facts.tokens, facts.tokens.first_conjunct
    sentences = tokens.sentences[facts.starts]
    is_relative = tokens.has_role("relative clause")
    is_mentioned = np.zeros(len(tokens.heads), dtype=bool)
    is_mentioned[first[facts.heads]] = True
    for one, other in ((later, earlier), (earlier, later)):
        is_pair = facts.is_reflexive[one] & ~facts.is_reflexive[other]
        # A mention in a later sentence can refer back to the reflexive.
        is_pair &= (one == later) | (sentences[one] == sentences[other])
        pairs = np.flatnonzero(is_pair)
        verbs = tokens.verb[facts.heads[one[pairs]]]
        heads = first[facts.heads[other[pairs]]]
        subjects = np.where(verbs < 0, -1, tokens.subject[verbs])
        # "The man who hurt himself": the subject stands for the noun.
        subjects = np.where(subjects < 0, -1, first[facts.stands_for[subjects]])
        is_subject = subjects == heads
        is_object = tokens.verb[facts.heads[other[pairs]]] == verbs
        is_noun_of_clause = is_relative[verbs] & (tokens.heads[verbs] == heads)
        is_known = (verbs >= 0) & (subjects >= 0) & is_mentioned[subjects]
        found[pairs] |= is_known & ~is_subject & ~is_object & ~is_noun_of_clause
    return found


def are_arguments(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find the subject and the object of one verb or noun, without a reflexive.

    This is principle B of binding theory (Chomsky 1981). The subject of a relative
    clause is its noun ("the man who saw him"), and that of a noun its possessor ("Ann's
    opinion of her"). The members of a coordinated subject count as subjects. Without a
    parse, the subject is a phrase at the start of a clause, and the object a pronoun in
    the accusative right after the verb: "Ann has seen her"; or both are pronouns whose
    forms tell which is which.
    """
    if facts.tokens.has_dep:
        found = are_of_verb("is_direct", facts, later, earlier)
        return found | _are_in_noun_phrase(facts, later, earlier)
    return _follows_verb(facts, later, earlier) | _share_clause(facts, later, earlier)


def _share_clause(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find pronouns of one clause of which one is its subject and one an object."""
    words, lexicon = facts.words, facts.lexicon
    if not lexicon.marks_clauses:
        return np.zeros(len(later), dtype=bool)
    is_argument = (facts.person == THIRD) & ~facts.is_possessive & ~facts.is_reflexive
    prepositions = lexicon.argument_prepositions | lexicon.place_prepositions
    opens = lexicon.coordinators | lexicon.complementizers | lexicon.relatives
    others = prepositions | (lexicon.cutters - lexicon.auxiliaries - opens)
    is_after, is_after_other = (
        np.append(False, words.find(one))[facts.starts]
        for one in (prepositions, others)
    )
    is_subject = is_argument & ((facts.flags & NOMINATIVE) > 0) & ~is_after
    is_object = is_argument & ((facts.flags & (ACCUSATIVE | DATIVE)) > 0)
    is_object &= ~is_after_other
    clauses = np.cumsum(words.find(opens) | (words.map(is_sign) > 0))[facts.starts]
    found = clauses[later] == clauses[earlier]
    found &= facts.starts[later] - facts.ends[earlier] <= _TO_OBJECT
    # One of the two forms can't be the other case, unlike "sie".
    only = is_subject & ~is_object, is_object & ~is_subject
    found &= facts.find_pairs(only[0], is_object, later, earlier) | facts.find_pairs(
        is_subject, only[1], later, earlier
    )
    # "Lui il dort": both are the subject.
    return found & ~(only[1][earlier] & (facts.starts[later] == facts.ends[earlier]))


def _follows_verb(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a phrase at the start of a clause, and a pronoun right after its verb."""
    is_object = (facts.flags & ACCUSATIVE) > 0
    is_object &= ~facts.is_possessive & ~facts.is_reflexive
    gap = facts.starts[later] - facts.ends[earlier]
    found = is_object[later] & (gap > 0) & (gap <= 2 * _TO_OBJECT)
    if not found.any():
        return found
    words, lexicon = facts.words, facts.lexicon
    is_mark = words.map(is_sign) > 0
    is_coordinator = words.find(lexicon.coordinators)
    closed = lexicon.cutters | lexicon.relatives | lexicon.determiners
    is_stop = is_mark | words.find((closed | lexicon.pronouns) - lexicon.auxiliaries)
    is_helper = words.find(lexicon.auxiliaries | lexicon.negations)
    n_stops, n_coordinators, n_helpers = (
        np.append(0, np.cumsum(x)) for x in (is_stop, is_coordinator, is_helper)
    )
    opens = np.append(True, is_mark | is_coordinator)
    begins, ends = facts.ends[earlier], facts.starts[later]
    found &= n_stops[ends] == n_stops[begins]
    # Coordinated verbs share their subject: "Ann got up and saw her".
    n_joined = n_coordinators[ends] - n_coordinators[begins]
    tokens = np.arange(len(is_coordinator))
    lasts = np.maximum.accumulate(np.where(is_coordinator, tokens, -1))
    verbs = np.where(n_joined > 0, np.append(-1, lasts)[ends] + 1, begins)
    found &= (n_joined <= 1) & ((n_joined == 0) | (verbs > begins + 1))
    # All words but one, the verb, are auxiliaries.
    found &= n_helpers[ends] - n_helpers[verbs] == ends - verbs - 1
    found &= ends - verbs <= _TO_OBJECT
    return found & opens[facts.starts[earlier]] & ~facts.is_possessive[earlier]


def are_in_relative(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a noun and the pronoun that is the subject of its relative clause.

    In "la fille qu'elle aime", the noun is another argument of the verb. This is strong
    crossover; see Postal (1971).
    """
    tokens = facts.tokens
    pronouns, nouns = facts.heads[later], facts.heads[earlier]
    verbs = tokens.heads[pronouns]
    found = tokens.has_role("relative clause")[verbs] & (tokens.heads[verbs] == nouns)
    found &= tokens.has_role("subject")[pronouns]
    return found & (facts.person[later] == THIRD) & (facts.person[earlier] == 0)


def are_of_verb(kind: str, facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find the subject of a verb and an object of a kind, without a reflexive.

    One that "is_oblique" is the object of a preposition: "talked to him". False for
    those of places ("behind him"), and of verbs with another object ("took the dog with
    him").
    """
    found = np.zeros(len(later), dtype=bool)
    tokens = facts.tokens
    is_nested = find_nested(facts, later, earlier)
    for one, other in ((later, earlier), (earlier, later)):
        heads = facts.heads[one]
        verbs = np.where(getattr(tokens, kind)[heads], tokens.verb[heads], -1)
        subjects = np.where(verbs < 0, -1, tokens.subject[verbs])
        first = tokens.first_conjunct[facts.heads[other]]
        nouns = facts.stands_for[subjects]
        holds = (subjects == first) & ~is_nested
        holds |= (nouns != subjects) & (nouns == facts.heads[other])
        holds &= subjects >= 0
        # Not for nouns, which parsers attach wrongly too often: "you have, girls".
        is_reliable = (facts.person[one] == THIRD) & ~facts.is_possessive[one]
        is_reliable |= facts.is_name[one] & (facts.is_name | facts.is_pronoun)[other]
        holds &= is_reliable & ~facts.is_possessive[other]
        found |= holds & ~facts.is_reflexive[one]
    return found


def _are_in_noun_phrase(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find the possessor and the object of one noun: "Ann's opinion of her"."""
    found = np.zeros(len(later), dtype=bool)
    tokens = facts.tokens
    nouns = tokens.find_nouns(facts.lexicon.genitives)
    owned = np.where(tokens.has_role("possessor"), tokens.heads, -1)
    owned = owned[tokens.first_conjunct]
    # "The man whose opinion of him": the relative pronoun stands for the possessor.
    is_relative = facts.stands_for != np.arange(len(owned))
    by_clause = np.full(len(owned), -1)
    by_clause[facts.stands_for[is_relative]] = owned[is_relative]
    for one, other in ((later, earlier), (earlier, later)):
        above, owner = nouns[facts.heads[one]], facts.heads[other]
        is_pronoun = (facts.person[one] == THIRD) & ~facts.is_possessive[one]
        is_pronoun &= ~facts.is_reflexive[one] & (above >= 0)
        found |= is_pronoun & ((owned[owner] == above) | (by_clause[owner] == above))
    return found


def is_no_cataphora(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find an anaphor and a noun after it that it can't refer to: "he said that Tom".

    The noun has to be in the same sentence, and not below the word that the pronoun is
    an argument or a modifier of: this is principle C of binding theory (Chomsky 1981).
    """
    found = facts.is_anaphor[earlier] & (facts.person[later] == 0)
    (pairs,) = np.nonzero(found)
    tokens = facts.tokens
    pronouns, nouns = facts.heads[earlier[pairs]], facts.heads[later[pairs]]
    is_near = tokens.sentences[pronouns] == tokens.sentences[nouns]
    # For a verb that stands for its subject, this word is the predicate of its clause.
    above = tokens.governors
    is_helper = tokens.has_role("auxiliary")
    of_verb = np.where(is_helper, above, np.arange(len(above)))
    above = np.where(tokens.is_zero_subject, of_verb, above)[pronouns]
    first, last = tokens.edges
    found[pairs] = ~is_near | ((first[above] <= nouns) & (nouns <= last[above]))
    return found


def is_crossover(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find an anaphor inside a phrase before its noun: "his mother loves Tom".

    This is weak crossover; see Postal (1971). A pronoun in a clause before the main
    clause is no such case: "when he came, Tom sat down".
    """
    found = facts.is_anaphor[earlier] & (facts.person[later] == 0)
    (pairs,) = np.nonzero(found)
    annotation, nouns = facts.tokens, facts.heads[later[pairs]]
    is_clause = annotation.has_role("clause", "clausal subject", "relative clause")
    has_helper = annotation.has_child(annotation.has_role("auxiliary"))
    is_clause &= annotation.is_verb | has_helper
    first, last = annotation.edges
    tokens = facts.heads[earlier[pairs]]
    in_clause = np.zeros(len(pairs), dtype=bool)
    for _ in range(_MAX_DEPTH):
        is_below = (nouns < first[tokens]) | (last[tokens] < nouns)
        in_clause |= is_below & is_clause[tokens]
        tokens = np.where(is_below, annotation.heads[tokens], tokens)
    found[pairs] = ~in_clause
    return found
