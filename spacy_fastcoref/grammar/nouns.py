"""Judge pairs of nouns, names and pronouns by what they say: agreement, novelty."""

from functools import reduce
from itertools import product
from typing import FrozenSet

import numpy as np

from .features import FEMALE, MALE, OPEN_PERSON, SEVERAL, THING, THIRD
from .mention_features import MentionFeatures
from .word_index import Marks, Rows, is_sign

# Longer noun phrases say something new, and no more words of a name are compared.
_LONG, _MAX_NAME = 8, 6


def are_other_nouns(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find nouns of which the later one does not refer back to the earlier one.

    A name refers back to a name with a common word, and a definite noun phrase to one
    with the same head, unless both have modifiers of their own ("the blue car … the red
    car"), or to a name.
    """
    found = _are_nouns(facts, later, earlier)
    (pairs,) = np.nonzero(found)
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
    for label, nouns in facts.lexicon.class_nouns.items():
        is_entity = facts.tokens.is_entity(label)[facts.heads]
        found |= _is_headed_by(facts, nouns)[later] & is_entity[earlier]
    is_definite = facts.ask(facts.grammar.find_definite)
    return found & is_definite[later] & ~facts.is_name[later]


def _is_headed_by(facts: MentionFeatures, words: FrozenSet[str]) -> Marks:
    """Find the mentions whose head, or its lemma, is one of some words."""
    is_one = facts.tokens.lemmas.find(words) | facts.words.find(words)
    return is_one[facts.heads]


def relax_genders(facts: MentionFeatures) -> Rows:
    """Read the agreement of mentions without grammatical gender, in which a name and
    the noun for its class can differ: "l'Espagne … le pays"."""
    nouns = frozenset().union(*facts.lexicon.class_nouns.values())
    if not nouns:
        return facts.agreement
    is_open = _is_headed_by(facts, nouns) & (facts.person == 0) | facts.is_name
    is_open &= (facts.agreement & THING) > 0
    return np.where(is_open, facts.agreement | THING, facts.agreement)


def do_agree(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find pairs of mentions that agree, but for the gender of the noun for a class."""
    agree, relaxed = (
        (masks[later] & masks[earlier]) != 0
        for masks in (facts.agreement, relax_genders(facts))
    )
    (pairs,) = np.nonzero(~agree & relaxed)
    if len(pairs):
        agree[pairs] = have_class_noun(facts, later[pairs], earlier[pairs])
    return agree


def _are_nouns(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find pairs of nouns and names, but no appositions and no coordinations."""
    found = (facts.person[later] == 0) & (facts.person[earlier] == 0)
    found &= ~facts.is_joined[later] & ~facts.is_joined[earlier]
    tokens, one, other = facts.tokens, facts.heads[later], facts.heads[earlier]
    return found & ~(tokens.has_role("apposition")[one] & (tokens.heads[one] == other))


def _have_same_head(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find noun phrases with the same head that are not told apart by modifiers."""
    found = _match_heads(facts, later, earlier)
    (pairs,) = np.nonzero(found)
    one, other = later[pairs], earlier[pairs]
    is_same = ~_says_something_new(facts, one, other)
    found[pairs] = is_same | ~_says_something_new(facts, other, one)
    return found


def _match_heads(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Compare the heads of mentions by their forms and their lemmas."""
    one, other = facts.heads[later], facts.heads[earlier]
    found = facts.words.index[one] == facts.words.index[other]
    if facts.tokens.has_lemmas:
        lemmas = facts.tokens.lemmas.index
        found |= lemmas[one] == lemmas[other]
    return found


def _says_something_new(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    words, lexicon = facts.words, facts.lexicon
    is_empty = words.find(lexicon.determiners | lexicon.possessives)
    is_empty |= facts.tokens.is_pos("DET") | (words.map(is_sign) > 0)
    sizes, tokens = facts.ends - facts.starts, _list_tokens(facts, facts.starts, _LONG)
    forms = words.index[tokens]
    is_known = is_empty[tokens] | (tokens == facts.heads[:, None])
    found = (sizes > _LONG)[later]
    for step in range(_LONG):
        is_new = ~is_known[later, step]
        for other in range(_LONG):
            is_new &= forms[later, step] != forms[earlier, other]
        found |= is_new
    return found


def _share_words(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find names with a common word."""
    tokens = _list_tokens(facts, facts.first_names, _MAX_NAME)
    is_name, forms = facts.tokens.is_name, facts.words.index
    # Words that belong to no name differ from all others.
    one, two = (np.where(is_name, forms, other)[tokens] for other in (-1, -2))
    steps = product(range(_MAX_NAME), repeat=2)
    return reduce(np.logical_or, (one[later, i] == two[earlier, j] for i, j in steps))


def _list_tokens(facts: MentionFeatures, firsts: Rows, n_tokens: int) -> np.ndarray:
    """List as many tokens of each mention, its last one again if it is shorter."""
    tokens = firsts[:, None] + np.arange(n_tokens)
    return np.minimum(tokens, facts.ends[:, None] - 1)


def are_other_names(facts: MentionFeatures, later: Rows, earlier: Rows) -> Marks:
    """Find people whose given names differ in their initials; "Liz" can be "Lizzy"."""
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
