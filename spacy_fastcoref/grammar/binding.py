"""Apply binding theory: who a pronoun or a reflexive can't refer to, by syntax."""

import numpy as np

from .features import ACCUSATIVE, DATIVE, NOMINATIVE, THIRD
from .mention_features import MentionFeatures, either_way
from .nesting import find_nested
from .word_index import Marks, Rows, find_next, is_sign

# The maximum number of words of a verb with its auxiliaries.
_TO_OBJECT = 4


@either_way
def is_unbound(facts: MentionFeatures, one: Rows, other: Rows) -> Marks:
    """Find reflexives whose clause has another subject: "Ann said Ed hurt herself"."""
    tokens, first = facts.tokens, facts.tokens.first_conjunct
    sentences = tokens.sentences[facts.starts]
    is_mentioned = np.zeros(len(first), dtype=bool)
    is_mentioned[first[facts.heads]] = True
    found = facts.is_reflexive[one] & ~facts.is_reflexive[other]
    # A mention in a later sentence can refer back to the reflexive.
    found &= (one > other) | (sentences[one] == sentences[other])
    (pairs,) = np.nonzero(found)
    verbs = tokens.verb[facts.heads[one[pairs]]]
    heads = first[facts.heads[other[pairs]]]
    subjects = np.where(verbs < 0, -1, tokens.subject[verbs])
    # "The man who hurt himself": the subject stands for the noun.
    subjects = np.where(subjects < 0, -1, first[facts.stands_for[subjects]])
    is_object = tokens.verb[facts.heads[other[pairs]]] == verbs
    is_bound = (subjects == heads) | is_object
    is_bound |= tokens.has_role("relative clause")[verbs] & (
        tokens.heads[verbs] == heads
    )
    found[pairs] = (subjects >= 0) & is_mentioned[subjects] & ~is_bound
    return found


def are_arguments(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find the subject and the object of one verb or noun, without a reflexive.

    This is principle B of binding theory (Chomsky 1981). The subject of a relative
    clause is its noun ("the man who saw him"), and that of a noun its possessor.
    Without a parse, the subject is a phrase at the start of a clause, and the object a
    pronoun right after the verb; or the forms of both tell which is which.
    """
    if facts.tokens.has_dep:
        found = _are_of_verb(facts, later, earlier, facts.tokens.is_direct)
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
    are_two = facts.find_pairs(only[0], is_object, later, earlier)
    found &= are_two | facts.find_pairs(is_subject, only[1], later, earlier)
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
    opens = np.append(True, is_mark | is_coordinator)
    begins, ends = facts.ends[earlier], facts.starts[later]
    found &= find_next(is_stop, begins) >= ends
    # Coordinated verbs share their subject: "Ann got up and saw her".
    joint = find_next(is_coordinator, begins)
    verbs = np.where(joint < ends, joint + 1, begins)
    found &= (find_next(is_coordinator, verbs) >= ends) & (joint != begins)
    # All words but one, the verb, are auxiliaries.
    n_helpers = np.append(0, np.cumsum(is_helper))
    found &= n_helpers[ends] - n_helpers[verbs] == ends - verbs - 1
    found &= ends - verbs <= _TO_OBJECT
    return found & opens[facts.starts[earlier]] & ~facts.is_possessive[earlier]


def are_in_relative(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a noun and the pronoun that is the subject of its relative clause: "la fille
    qu'elle aime". This is strong crossover; see Postal (1971)."""
    tokens = facts.tokens
    pronouns, nouns = facts.heads[later], facts.heads[earlier]
    verbs = tokens.heads[pronouns]
    found = tokens.has_role("relative clause")[verbs] & (tokens.heads[verbs] == nouns)
    found &= tokens.has_role("subject")[pronouns]
    return found & (facts.person[later] == THIRD) & (facts.person[earlier] == 0)


def are_oblique(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find the subject of a verb and the object of its preposition: "talked to him",
    but neither "behind him" nor "took the dog with him"."""
    return _are_of_verb(facts, later, earlier, facts.tokens.is_oblique)


@either_way
def _are_of_verb(
    facts: MentionFeatures, one: Rows, other: Rows, is_object: Marks
) -> Marks:
    """Find the subject of a verb and one of some objects, without a reflexive."""
    tokens, heads = facts.tokens, facts.heads
    verbs = np.where(is_object, tokens.verb, -1)[heads[one]]
    subjects = np.where(verbs < 0, -1, tokens.subject[verbs])
    nouns = facts.stands_for[subjects]
    found = subjects == tokens.first_conjunct[heads[other]]
    found &= ~find_nested(facts, one, other)
    found |= (nouns != subjects) & (nouns == heads[other])
    # Not for nouns, which parsers attach wrongly too often: "you have, girls".
    is_reliable = (facts.person[one] == THIRD) & ~facts.is_possessive[one]
    is_reliable |= facts.is_name[one] & (facts.is_name | facts.is_pronoun)[other]
    found &= (subjects >= 0) & is_reliable & ~facts.is_possessive[other]
    return found & ~facts.is_reflexive[one]


@either_way
def _are_in_noun_phrase(facts: MentionFeatures, one: Rows, other: Rows) -> Marks:
    """Find the possessor and the object of one noun: "Ann's opinion of her"."""
    tokens = facts.tokens
    above = tokens.find_nouns(facts.lexicon.genitives)[facts.heads[one]]
    owned = np.where(tokens.has_role("possessor"), tokens.heads, -1)
    owned = owned[tokens.first_conjunct]
    # "The man whose opinion of him": the relative pronoun stands for the possessor.
    is_relative = facts.stands_for != np.arange(len(owned))
    by_clause = np.full(len(owned), -1)
    by_clause[facts.stands_for[is_relative]] = owned[is_relative]
    owner, is_other = facts.heads[other], facts.is_possessive | facts.is_reflexive
    found = (above >= 0) & ((owned[owner] == above) | (by_clause[owner] == above))
    return found & (facts.person[one] == THIRD) & ~is_other[one]


def is_no_cataphora(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find an anaphor and a noun after it that it can't refer to: "he said that Tom".

    The noun has to be in the same sentence, and not below the word that the pronoun is
    an argument or a modifier of: this is principle C of binding theory (Chomsky 1981).
    """
    tokens, nouns = facts.tokens, facts.heads[later]
    is_near = tokens.sentences[facts.heads[earlier]] == tokens.sentences[nouns]
    # For a verb that stands for its subject, this word is the predicate of its clause.
    above = tokens.governors
    of_verb = np.where(tokens.has_role("auxiliary"), above, np.arange(len(above)))
    above = np.where(tokens.is_zero_subject, of_verb, above)[facts.heads[earlier]]
    first, last = tokens.edges
    is_below = (first[above] <= nouns) & (nouns <= last[above])
    found = facts.is_anaphor[earlier] & (facts.person[later] == 0)
    return found & (~is_near | is_below)


def is_crossover(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find an anaphor inside a phrase before its noun: "his mother loves Tom".

    This is weak crossover; see Postal (1971). It is none in a clause before the main
    clause: "when he came, Tom sat down".
    """
    found = facts.is_anaphor[earlier] & (facts.person[later] == 0)
    (pairs,) = np.nonzero(found)
    tokens, nouns = facts.tokens, facts.heads[later[pairs]]
    is_clause = tokens.has_role("clause", "clausal subject", "relative clause")
    is_clause &= tokens.is_verb | tokens.has_child(tokens.has_role("auxiliary"))
    first, last = tokens.edges
    found[pairs] = ~tokens.passes(
        facts.heads[earlier[pairs]],
        lambda token: (nouns < first[token]) | (last[token] < nouns),
        is_clause,
    )
    return found
