"""Which pairs of mentions grammar rules out, in any language whose Facts are known."""

from typing import Optional, Tuple

import numpy as np

from ..tokens.lexicon import get_lexicon
from .agreement import SEVERAL
from .facts import FIRST, SECOND, THIRD, Facts

# What may stand between a noun and a mention that says more of the same thing.
_CLAUSES = ("relcl", "acl", "acl:relcl", "appos", "advcl", "ccomp", "rc", "app")
_SUBJECTS = ("nsubj", "nsubjpass", "nsubj:pass", "sb")


def is_within(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find mentions that contain the other: "the owner of it".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool. A relative clause may mention its
        own noun: "the man who lost his hat". "Zach Kennedy" and "the bassist Zach
        Kennedy" have one head, and so are one.
    """
    is_nested = _is_nested(facts, later, earlier)
    is_nested &= facts.heads[later] != facts.heads[earlier]
    # Other pairs are not looked at: there are many.
    found = np.zeros(len(later), dtype=bool)
    pairs = np.flatnonzero(is_nested)
    if len(pairs):
        outer, inner = _sort_nested(facts, later[pairs], earlier[pairs])
        found[pairs] = ~facts.is_joined[outer] & ~_says_more(facts, outer, inner)
        # "a man with a ring in his ear", other than "a friend of his"
        is_later = facts.starts[inner] > facts.starts[outer]
        is_later &= facts.ends[inner] < facts.ends[outer]
        is_own = facts.is_owner[facts.starts] & facts.is_pronoun
        is_own |= facts.is_possessive
        found[pairs] &= ~(is_own[inner] & is_later)
    return found


def is_name_part(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find mentions that are a part of a longer name: "Ann" in "Ann Lee".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    return _is_either(facts.is_part, later, earlier)


def is_crossing(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find mentions that cross a more likely one, or the end of a sentence.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    return _is_either(facts.is_crossed, later, earlier)


def _is_either(
    flags: Optional[np.ndarray], later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    if flags is None:
        return np.zeros(len(later), dtype=bool)
    return flags[later] | flags[earlier]


def is_coordinated(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find members of one coordination, and a member and the whole.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    is_nested = _is_nested(facts, later, earlier)
    found = np.zeros(len(later), dtype=bool)
    pairs = np.flatnonzero(is_nested)
    if len(pairs):
        outer, inner = _sort_nested(facts, later[pairs], earlier[pairs])
        found[pairs] = facts.is_joined[outer] & ~facts.is_joined[inner]
        found[pairs] &= ~_says_more(facts, outer, inner)
    heads = facts.heads[later], facts.heads[earlier]
    if facts.parse.has_dep:
        first = facts.parse.first_conjunct
        are_joined = (first[heads[0]] == first[heads[1]]) & (heads[0] != heads[1])
        are_joined &= (
            facts.parse.is_nominal[heads[0]] & facts.parse.is_nominal[heads[1]]
        )
    else:
        joints = get_lexicon(facts.parse.doc.lang_).coordinators
        is_joint = np.append(facts.words.find(joints), False)
        are_joined = facts.starts[later] == facts.ends[earlier] + 1
        are_joined &= is_joint[facts.ends[earlier]]
        # In "he saw Ann and she waved" it joins clauses.
        are_joined &= ~facts.is_pronoun[later]
    (pairs,) = np.nonzero(are_joined & ~is_nested)
    # In "he saw Ann and Ann waved", too, but not in "friend and friend".
    later, earlier = later[pairs], earlier[pairs]
    is_one = facts.are_alike(later, earlier)
    is_one &= facts.is_name[later] | (facts.starts < facts.heads)[later]
    # "They asked Elon Musk and Musk said"
    forms, starts = facts.words.index, facts.starts
    word = forms[starts[later]]
    is_part = word == forms[starts[earlier]]
    is_part |= word == forms[facts.heads[earlier]]
    is_part &= facts.is_name[later] & (facts.ends - starts == 1)[later]
    found[pairs] |= ~(is_one | (is_part & facts.is_name[earlier]))
    return found


def _is_nested(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    starts, ends = facts.starts, facts.ends
    later_in = (starts[earlier] <= starts[later]) & (ends[later] <= ends[earlier])
    earlier_in = (starts[later] <= starts[earlier]) & (ends[earlier] <= ends[later])
    return later_in | earlier_in


def _sort_nested(
    facts: Facts, left: np.ndarray, right: np.ndarray
) -> Tuple[np.ndarray, np.ndarray]:
    sizes = facts.ends - facts.starts
    is_outer = sizes[left] >= sizes[right]
    return np.where(is_outer, left, right), np.where(is_outer, right, left)


def _says_more(facts: Facts, outer: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """Tell whether the inner mention is in a clause or apposition of the outer one."""
    lexicon = get_lexicon(facts.parse.doc.lang_)
    is_comma = np.append(facts.words.find(frozenset((",", "(", ":"))), False)
    is_apposed = (facts.ends[inner] < facts.ends[outer]) & is_comma[facts.ends[inner]]
    is_apposed &= facts.starts[inner] == facts.starts[outer]
    is_apposed &= ~facts.is_joined[outer]
    if facts.parse.has_dep:
        marks = facts.parse.is_dep(*_CLAUSES)
        heads = facts.heads[inner], facts.heads[outer]
        return is_apposed | facts.parse.passes(*heads, marks)
    relatives = np.append(0, np.cumsum(facts.words.find(lexicon.relatives)))
    return is_apposed | (
        relatives[facts.starts[inner]] > relatives[facts.starts[outer]]
    )


def are_other_persons(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find pronouns of different persons said by the same speaker: "I" and "he".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    differ = _differ_in_person(facts, later, earlier)
    return differ & _is_same_speaker(facts, later, earlier)


def are_teller_and_told(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find "I" and "he" where nobody is quoted: "Tom lost his cat. I found it".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    speech = facts.speech
    is_told = (speech.speakers == 0) & (speech.quotes == 0)
    found = _differ_in_person(facts, later, earlier)
    for one in (later, earlier):
        found &= (facts.person[one] != SECOND) & is_told[facts.starts[one]]
    return found


def _differ_in_person(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    left, right = facts.person[later], facts.person[earlier]
    are_personal = (
        (left >= FIRST) & (left <= THIRD) & (right >= FIRST) & (right <= THIRD)
    )
    # "We" may come to be "they".
    is_one = ((facts.agreement[later] | facts.agreement[earlier]) & SEVERAL) == 0
    is_one |= (left == SECOND) ^ (right == SECOND)
    return are_personal & (left != right) & is_one


def are_other_speakers(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find first persons, and second ones, of different speakers.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool: "I" said by two people whose names
        are known. "We" may be the same for both.
    """
    speakers = facts.speech.speakers
    left, right = speakers[facts.starts[later]], speakers[facts.starts[earlier]]
    if not speakers.any():
        return np.zeros(len(later), dtype=bool)
    quotes = facts.speech.quotes
    unquoted = (quotes[facts.starts[later]] == 0) & (quotes[facts.starts[earlier]] == 0)
    differ = (left > 0) & (right > 0) & (left != right) & unquoted
    person = facts.person[later]
    one = (facts.agreement[later] & facts.agreement[earlier]) != 0
    return differ & one & (person == facts.person[earlier]) & (person == FIRST)


def are_other_names(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find two people with different given names.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool: names that begin with different
        letters, since "Liz" may be "Lizzy", and are no nicknames of names that begin
        with the same: "Bill" may be "William".
    """
    if facts.initials is None:
        return np.zeros(len(later), dtype=bool)
    return (facts.initials[later] & facts.initials[earlier]) == 0


def is_quoted_speaker(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find second and third persons beside who speaks: "you lie," said Tom.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    found = np.zeros(len(later), dtype=bool)
    if facts.spoken_by is not None:
        for one, other in ((later, earlier), (earlier, later)):
            is_other = (facts.person[one] == SECOND) | (facts.person[one] == THIRD)
            found |= is_other & (facts.spoken_by[one] == other)
    return found


def are_inside_and_outside(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find the "I" who tells a text beside that of somebody who speaks in it.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    found = np.zeros(len(later), dtype=bool)
    if facts.spoken_by is None or not facts.speech.has_narrator:
        return found
    is_quoted = facts.speech.quotes[facts.starts] > 0
    is_one = (facts.person == FIRST) & ((facts.agreement & SEVERAL) == 0)
    is_known = (facts.spoken_by >= 0) & (facts.person[facts.spoken_by] != FIRST)
    for one, other in ((later, earlier), (earlier, later)):
        found |= (is_one & is_quoted & is_known)[one] & (is_one & ~is_quoted)[other]
    return found


def is_self_named(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find first and second persons beside a noun or name that the same speaker uses.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    found = np.zeros(len(later), dtype=bool)
    for one, other in ((later, earlier), (earlier, later)):
        is_said = (facts.person[one] == FIRST) | (facts.person[one] == SECOND)
        found |= is_said & ~facts.is_pronoun[other]
    return found & _is_same_speaker(facts, later, earlier)


def _is_same_speaker(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    speech = facts.speech
    left, right = facts.starts[later], facts.starts[earlier]
    same = speech.speakers[left] == speech.speakers[right]
    return same & (speech.stretches[left] == speech.stretches[right])


def is_unbound(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find reflexives whose clause has another subject: "Ann said Ruth hurt herself".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    found = np.zeros(len(later), dtype=bool)
    parse = facts.parse
    is_relative = parse.is_dep("relcl", "acl:relcl", "rc")
    is_mentioned = np.zeros(len(parse.heads), dtype=bool)
    is_mentioned[parse.first_conjunct[facts.heads]] = True
    for one, other in ((later, earlier), (earlier, later)):
        pairs = np.flatnonzero(facts.is_reflexive[one] & ~facts.is_reflexive[other])
        verbs = parse.verb[facts.heads[one[pairs]]]
        heads = parse.first_conjunct[facts.heads[other[pairs]]]
        subjects = np.where(verbs < 0, -1, parse.subject[verbs])
        is_subject = subjects == heads
        is_object = parse.verb[facts.heads[other[pairs]]] == verbs
        is_noun_of_clause = is_relative[verbs] & (parse.heads[verbs] == heads)
        is_known = (verbs >= 0) & (subjects >= 0) & is_mentioned[subjects]
        found[pairs] |= is_known & ~is_subject & ~is_object & ~is_noun_of_clause
    return found


def are_arguments(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find the subject and the object of one verb, without a reflexive.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    return _are_arguments(facts, later, earlier, facts.parse.is_direct)


def are_oblique_arguments(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find the subject of a verb and the object of its preposition: "talked to him".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool. A place is none ("behind him"), and
        neither is what comes with another object ("took the dog with him").
    """
    return _are_arguments(facts, later, earlier, facts.parse.is_oblique)


def _are_arguments(
    facts: Facts, later: np.ndarray, earlier: np.ndarray, is_kind: np.ndarray
) -> np.ndarray:
    found = np.zeros(len(later), dtype=bool)
    parse = facts.parse
    for one, other in ((later, earlier), (earlier, later)):
        heads = facts.heads[one]
        verbs = np.where(is_kind[heads], parse.verb[heads], -1)
        subjects = np.where(verbs < 0, -1, parse.subject[verbs])
        holds = (subjects >= 0) & (subjects == facts.heads[other])
        # Of nouns a tree has them wrong too often: "you have, girls".
        is_told = (facts.person[one] == THIRD) & ~facts.is_possessive[one]
        is_told |= facts.is_name[one] & (facts.is_name | facts.is_pronoun)[other]
        holds &= is_told & ~facts.is_possessive[other]
        found |= holds & ~facts.is_reflexive[one]
    return found & ~_is_nested(facts, later, earlier)


def is_under_pronoun(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find a name inside what is said of an earlier pronoun: "he said that Tom".

    Principle C of the theory of binding (Chomsky 1981): such a name is free.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    found = np.zeros(len(later), dtype=bool)
    parse = facts.parse
    heads = facts.heads[earlier]
    is_pair = (facts.person[earlier] == THIRD) & facts.is_name[later]
    is_pair &= parse.is_dep(*_SUBJECTS)[heads]
    is_pair &= parse.sentences[heads] == parse.sentences[facts.heads[later]]
    quotes = facts.speech.quotes
    is_pair &= quotes[facts.starts[later]] == quotes[facts.starts[earlier]]
    pairs = np.flatnonzero(is_pair)
    verbs = parse.heads[heads[pairs]]
    found[pairs] = parse.is_below(facts.heads[later[pairs]], verbs)
    return found


def is_empty(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find pronouns that refer to nothing: "it rains".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    return facts.is_empty[later] | facts.is_empty[earlier]


def is_new(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find indefinite noun phrases after another noun or name: "a dog".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    return facts.is_indefinite[later] & ~facts.is_pronoun[earlier]


def are_other_classes(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find names and nouns of different classes: "Siemens" and "the country".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    left, right = facts.classes[later], facts.classes[earlier]
    return (left > 0) & (right > 0) & (left & right == 0)
