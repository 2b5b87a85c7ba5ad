"""Judge pairs of nouns, names and pronouns by what they say: agreement, novelty."""

import numpy as np

from .features import FEMALE, MALE, OPEN_PERSON, SEVERAL, THING, THIRD
from .mention_features import MentionFeatures
from .word_index import Marks, Rows, is_sign

# Longer noun phrases say something new.
_MAX_LENGTH = 8
# The number of words of a name that are compared.
_MAX_NAME = 6


def are_other_nouns(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find nouns of which the later one does not refer back to the earlier one.

    A name refers back to a name with a common word, and a definite noun phrase to one
    with the same head, unless both have modifiers of their own ("the blue car … the red
    car"), or to a name.
    """
    found = _are_nouns(facts, later, earlier)
    pairs = np.flatnonzero(found)
    later, earlier = later[pairs], earlier[pairs]
    is_name = facts.is_name[later], facts.is_name[earlier]
    is_definite = facts.ask(facts.grammar.find_definite)[later]
    refers = np.where(
        is_name[0],
        ~is_name[1] | _share_words(facts, later, earlier),
        is_definite & (is_name[1] | _have_same_head(facts, later, earlier))
        | facts.ask(facts.grammar.find_demonstrated)[later],
    )
    found[pairs] = ~refers
    return found


def are_descriptions(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a noun and a name that may be what it describes: "Peter … the boy"."""
    found = _are_nouns(facts, later, earlier)
    is_mixed = facts.is_name[later] != facts.is_name[earlier]
    # The later noun has another head, or says something new.
    is_other = ~_match_heads(facts, later, earlier)
    (pairs,) = np.nonzero(~is_other)
    is_other[pairs] = _says_something_new(facts, later[pairs], earlier[pairs])
    is_other &= ~facts.is_name[later]
    return found & (is_mixed | is_other) & ~have_class_noun(facts, later, earlier)


def have_class_noun(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a noun for the class of a named entity before it: "Spain … the country"."""
    found = np.zeros(len(later), dtype=bool)
    tokens = facts.tokens
    for label, nouns in facts.lexicon.class_nouns.items():
        is_noun = tokens.lemmas.find(nouns) | facts.words.find(nouns)
        is_entity = tokens.is_entity(label)
        found |= is_noun[facts.heads[later]] & is_entity[facts.heads[earlier]]
    is_definite = facts.ask(facts.grammar.find_definite)
    return found & is_definite[later] & ~facts.is_name[later]


def relax_genders(facts: MentionFeatures) -> Rows:
    """Read the agreement of mentions without the grammatical gender of names and nouns.

    A name and the noun for its class can differ in it: "l'Espagne … le pays".
    """
    classes = facts.lexicon.class_nouns
    if not classes:
        return facts.agreement
    nouns = frozenset().union(*classes.values())
    is_class = facts.tokens.lemmas.find(nouns) | facts.words.find(nouns)
    is_open = is_class[facts.heads] & (facts.person == 0) | facts.is_name
    is_open &= (facts.agreement & THING) > 0
    return np.where(is_open, facts.agreement | THING, facts.agreement)


def do_agree(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find pairs of mentions that agree, but for the gender of the noun for a class."""
    agree = (facts.agreement[later] & facts.agreement[earlier]) != 0
    relaxed = relax_genders(facts)
    (pairs,) = np.nonzero(~agree & ((relaxed[later] & relaxed[earlier]) != 0))
    if len(pairs):
        agree[pairs] = have_class_noun(facts, later[pairs], earlier[pairs])
    return agree


def _are_nouns(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find pairs of nouns and names, but no appositions and no coordinations."""
    found = (facts.person[later] == 0) & (facts.person[earlier] == 0)
    found &= ~facts.is_joined[later] & ~facts.is_joined[earlier]
    if facts.tokens.has_dep:
        heads = facts.heads[later], facts.heads[earlier]
        is_apposed = facts.tokens.has_role("apposition")[heads[0]]
        found &= ~(is_apposed & (facts.tokens.heads[heads[0]] == heads[1]))
    return found


def _have_same_head(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find noun phrases with the same head that are not told apart by modifiers."""
    found = _match_heads(facts, later, earlier)
    (pairs,) = np.nonzero(found)
    one, other = later[pairs], earlier[pairs]
    differ = _says_something_new(facts, one, other)
    found[pairs] = ~(differ & _says_something_new(facts, other, one))
    return found


def _match_heads(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Compare the heads of mentions by their forms and their lemmas."""
    heads = facts.heads[later], facts.heads[earlier]
    forms = facts.words.index
    found = forms[heads[0]] == forms[heads[1]]
    if facts.tokens.has_lemmas:
        forms = facts.tokens.lemmas.index
        found |= forms[heads[0]] == forms[heads[1]]
    return found


def _says_something_new(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    words, lexicon = facts.words, facts.lexicon
    is_empty = words.find(lexicon.determiners | lexicon.possessives)
    is_empty |= facts.tokens.is_pos("DET") | (words.map(is_sign) > 0)
    starts, ends = facts.starts[later], facts.ends[later]
    found = ends - starts > _MAX_LENGTH
    for step in range(_MAX_LENGTH):
        tokens = np.minimum(starts + step, ends - 1)
        is_known = is_empty[tokens] | (tokens == facts.heads[later])
        for other in range(_MAX_LENGTH):
            others = np.minimum(facts.starts[earlier] + other, facts.ends[earlier] - 1)
            is_known |= words.index[tokens] == words.index[others]
        found |= ~is_known
    return found


def _share_words(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find names with a common word."""
    is_part, index = facts.tokens.is_name, facts.words.index
    firsts = facts.first_names
    found = np.zeros(len(later), dtype=bool)
    for step in range(_MAX_NAME):
        one = np.minimum(firsts[later] + step, facts.ends[later] - 1)
        for other in range(_MAX_NAME):
            two = np.minimum(firsts[earlier] + other, facts.ends[earlier] - 1)
            found |= (index[one] == index[two]) & is_part[one] & is_part[two]
    return found


def are_other_names(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find two people with different given names.

    Only initials are compared, since "Liz" can be "Lizzy". The initials of a nickname
    include those of its long forms, since "Bill" can be "William".
    """
    return (facts.given_names[later] & facts.given_names[earlier]) == 0


def is_of_open_gender(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find a person known by name and a pronoun of open gender: "Jenny … they"."""
    common = facts.agreement[later] & facts.agreement[earlier]
    return (common > 0) & ((common & ~OPEN_PERSON) == 0)


def is_lifeless(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find pairs of a pronoun for people and a noun that is probably a thing."""
    is_person = (facts.person == THIRD) & ((facts.agreement & THING) == 0)
    return facts.find_pairs(is_person, facts.is_lifeless, later, earlier)


def is_collective(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find pairs of a plural pronoun and a singular noun: "the team … they"."""
    agreement = facts.agreement
    is_plural = (facts.person == THIRD) & ((agreement & SEVERAL) > 0)
    is_plural &= (agreement & (MALE | FEMALE | THING)) == 0
    # By morphology, since a group agrees with the pronoun.
    is_singular = (facts.tokens.as_noun[facts.heads] & SEVERAL) == 0
    is_singular &= (facts.person == 0) & ~facts.is_joined
    is_singular &= (agreement & SEVERAL) == 0
    return facts.find_pairs(is_plural, is_singular, later, earlier)


def is_one_thing(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find pairs of a plural pronoun and one thing: "the house … they"."""
    is_thing = facts.is_lifeless[later] | facts.is_lifeless[earlier]
    return is_collective(facts, later, earlier) & is_thing


def is_indefinite(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find indefinite noun phrases after another noun or name: "a dog"."""
    return facts.is_indefinite[later] & ~facts.is_pronoun[earlier]
