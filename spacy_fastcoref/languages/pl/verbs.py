"""Find Polish verbs that stand for their subject, and read who subjects can be."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...grammar import features as bits
from ...grammar.resources import read_table
from ...grammar.tokens import Tokens
from ...grammar.word_index import Marks, Rows

# The plural of all but men has one form: "poszły".
OTHER_SEVERAL = bits.FEM_SEVERAL | bits.NEUT_SEVERAL
# The tags of finite verbs, and of verbs without a subject, in the National Corpus.
_FINITE = ("FIN", "PRAET", "BEDZIE", "WINIEN", "IMPT")
_IMPERSONAL = ("IMPS", "PRED")
# The number of verbs in a row that share the subject of the first one.
_MAX_CONJUNCTS = 4


class Clauses(NamedTuple):
    """Hold the clauses of a document.

    heads (Rows): The predicate of each verb: itself, or the word that an auxiliary or a
        copula belongs to.
    is_finite (Marks): Finite verbs.
    agreement (Rows): The agreement bits that the verbs of each predicate let the
        subject have.
    person (Rows): For each predicate, FIRST, SECOND or THIRD.
    subject (Rows): The subject of each predicate, or the one that it shares; -1 for
        none.
    """

    heads: Rows
    is_finite: Marks
    agreement: Rows
    person: Rows
    subject: Rows


def read_clauses(tokens: Tokens) -> Clauses:
    """Read the clauses of a document by its parse."""
    index = np.arange(len(tokens.heads))
    is_helper = tokens.has_role("auxiliary")
    heads = np.where(is_helper, tokens.heads, index)
    is_finite = tokens.has_morph("VerbForm=Fin") | tokens.has_tag(*_FINITE)
    is_finite &= ~is_quasi(tokens)
    agreement = _read_agreement(tokens, heads, is_finite)
    person = _read_person(tokens, heads)
    found = np.full(len(index), -1)
    for is_subject in (
        _find_nominatives(tokens, heads, agreement),
        tokens.has_role("subject", "clausal subject"),
    ):
        found[heads[tokens.heads[is_subject]]] = index[is_subject]
    # Coordinated verbs share their subject if they agree: "Jan wszedł i usiadł".
    above = tokens.heads
    shares = tokens.has_role("conjunct") & (person == person[above])
    shares &= (agreement & agreement[above]) > 0
    for _ in range(_MAX_CONJUNCTS):
        found = np.where((found < 0) & shares, found[above], found)
    return Clauses(heads, is_finite, agreement, person, found)


def merge_plurals(agreement: Rows) -> Rows:
    """Merge the plurals of women, animals and things, which agree with each other."""
    return agreement | np.where(agreement & OTHER_SEVERAL, OTHER_SEVERAL, 0)


def _find_nominatives(tokens: Tokens, heads: Rows, agreement: Rows) -> Marks:
    """Find subjects that the parser takes for objects, by their case and agreement."""
    found = tokens.has_role("object", "oblique") | tokens.has_label("dep")
    found &= tokens.is_nominal & tokens.has_morph("Case=Nom")
    # "Jako lekarz", "niż brat".
    found &= ~tokens.has_child(tokens.has_role("preposition"))
    found &= ~tokens.has_child(tokens.has_label("mark", "fixed"))
    clauses = heads[tokens.heads]
    noun = merge_plurals(tokens.as_noun)
    return found & tokens.is_verb[clauses] & ((noun & agreement[clauses]) > 0)


def is_quasi(tokens: Tokens) -> Marks:
    """Find verbs that never have a subject: "trzeba", "zrobiono"."""
    found = tokens.has_morph("Person=0", "VerbType=Quasi")
    return found | tokens.has_tag(*_IMPERSONAL)


def _read_agreement(tokens: Tokens, heads: Rows, is_finite: Marks) -> Rows:
    """Read what the verbs and the adjectives of each clause let the subject be."""
    by_verb = tokens.map_morphs(_read_verb)
    # A predicate agrees with the subject if it is an adjective or a participle.
    has_helper = np.zeros(len(heads), dtype=bool)
    has_helper[heads[is_finite & (heads != np.arange(len(heads)))]] = True
    agrees = is_finite | (has_helper & tokens.is_pos("ADJ"))
    agrees |= has_helper & tokens.has_morph("Tense=Past")
    (words,) = np.nonzero(agrees)
    found = np.full(len(heads), bits.ANYTHING)
    np.bitwise_and.at(found, heads[words], by_verb[words])
    # Where they contradict each other, the tagger is wrong in one of them.
    by_finite = np.full(len(heads), bits.ANYTHING)
    by_finite[heads[is_finite]] = by_verb[is_finite]
    return np.where(found > 0, found, by_finite)


@lru_cache(maxsize=None)
def _read_verb(feats: str) -> int:
    """Read the agreement bits of the subject of a verb from the verb's morphology."""
    parts = feats.split("|")
    if "Number=Plur" not in parts:
        # The singular has one form for men and for masculine things.
        parts = [part for part in parts if not part.startswith("Animacy=")]
    mask = bits.read_morph("|".join(parts))
    if "Number=Plur" in parts:
        mask |= bits.GROUP
    return int(merge_plurals(np.array(mask)))


def _read_person(tokens: Tokens, heads: Rows) -> Rows:
    """Read the person of each clause from its verb, or from a clitic."""
    words = tokens.words
    person = np.full(len(heads), bits.THIRD)
    is_verbal = tokens.is_verb | tokens.has_tag("AGLT")
    ending = words.map(_read_ending)
    is_mark = ~tokens.is_nominal & (ending > 0)
    for value, feat in ((bits.FIRST, "Person=1"), (bits.SECOND, "Person=2")):
        is_one = is_verbal & tokens.has_morph(feat)
        person[heads[is_one]] = value
        is_one = is_mark & (ending == value)
        person[np.where(tokens.is_verb, heads, tokens.heads)[is_one]] = value
    return person


def _read_ending(form: str) -> int:
    """Read the person of conditional forms: "zrobiłbym", "żebyś"."""
    if form.endswith(("bym", "byśmy")):
        return bits.FIRST
    return bits.SECOND if form.endswith(("byś", "byście")) else 0


def find_impersonal(tokens: Tokens, clauses: Clauses) -> Marks:
    """Find predicates of clauses without a subject, in the neuter or third person."""
    is_object = tokens.has_role("object")
    has_object = tokens.has_child(is_object)
    has_clause = tokens.has_child(tokens.has_role("complement"))
    has_infinitive = tokens.has_child(tokens.has_role("open complement"))
    has_sie = tokens.has_child(tokens.has_word("się"))
    is_about = tokens.has_word("o") & tokens.has_role("preposition")
    # When a verb of the list data/impersonals.txt is impersonal: always; without an
    # object; with a clause; with an infinitive or a clause; with the preposition "o";
    # with "się".
    holds = {
        "always": np.ones(len(clauses.heads), dtype=bool),
        "alone": ~has_object,
        "clause": has_clause,
        "infinitive": has_infinitive | has_clause,
        "o": tokens.has_child(tokens.has_child(is_about)),
        "się": has_sie,
    }
    found = np.zeros(len(clauses.heads), dtype=bool)
    verbs = read_table("pl", "impersonals").items()
    for name, is_one in holds.items():
        forms = frozenset(form for form, (condition,) in verbs if condition == name)
        found |= tokens.words.find(forms) & is_one
    # "Się" with an accusative object is impersonal, since reflexive verbs have none:
    # "włosy poddaje się płukaniu".
    is_denied = tokens.has_child(tokens.has_word("nie"))
    is_direct = tokens.has_label("obj") & ~tokens.has_word("się")
    is_accusative = is_direct & tokens.has_morph("Case=Acc")
    is_accusative |= is_direct & tokens.has_morph("Case=Gen") & is_denied[tokens.heads]
    found |= has_sie & tokens.has_child(is_accusative)
    # "Było zimno", "jest jasne, że", "w zwyczaju było robić".
    has_copula = np.zeros(len(found), dtype=bool)
    has_copula[clauses.heads[clauses.heads != np.arange(len(found))]] = True
    found |= has_copula & tokens.is_pos("ADV")
    found |= has_copula & tokens.is_pos("ADJ") & has_clause
    is_neuter = (clauses.agreement & bits.ONE) == bits.NEUT_THING
    exists = tokens.has_word("było", "będzie", "byłoby")
    found |= is_neuter & has_infinitive & (has_copula | exists)
    # "Nie było mleka", "nie ma go".
    is_genitive = tokens.has_morph("Case=Gen") & is_object
    denies = exists & tokens.has_child(is_genitive)
    is_personal = is_genitive & (tokens.person > 0)
    denies |= tokens.has_word("ma", "miało") & tokens.has_child(is_personal)
    found |= is_denied & denies
    can_be_neuter = (clauses.agreement & bits.NEUT_THING) > 0
    return found & can_be_neuter & (clauses.person == bits.THIRD)


_ATTRIBUTES = ("det", "det:poss", "det:numgov", "det:nummod", "amod")
_OWNERS = ("nmod", "nmod:poss", "nmod:arg", "det:poss", "det")
_MAX_DEPTH = 6


def refine_pronouns(tokens: Tokens, clauses: Clauses) -> Tokens:
    """Leave out words that only have the form of a pronoun, and read uses of others."""
    person, flags = tokens.person.copy(), tokens.flags.copy()
    is_open = tokens.is_zero_subject | tokens.is_listed("fused")
    if tokens.has_pos:
        # "Nim" can be "before", "je" "eats", "im" "the" and "ci" "to you".
        is_open |= tokens.is_pos("PRON", "DET")
    else:
        # "Nie" is mostly "not".
        is_open |= ~tokens.has_word("nie")
    person[~is_open | tokens.has_word("się")] = 0
    is_zero = tokens.is_zero_subject
    person[is_zero] = clauses.person[clauses.heads[is_zero]]
    is_demonstrative = (flags & bits.DEMONSTRATIVE) > 0
    person[is_demonstrative & _find_attributes(tokens)] = 0
    # "To" refers to what was said, "ten" to a noun.
    person[is_demonstrative & (person > 0) & tokens.is_pos("PRON")] = bits.OTHER_PRONOUN
    if tokens.has_dep:
        is_owner = tokens.words.find(tokens.lexicon.objects) & (person > 0)
        is_owner &= tokens.has_label(*_OWNERS)
        is_owner &= tokens.is_pos("NOUN", "PROPN")[tokens.heads]
        is_owner &= ~tokens.has_child(tokens.has_role("preposition"))
        flags[is_owner] |= bits.POSSESSIVE
        is_reflexive = ((flags & bits.REFLEXIVE) > 0) & (person > 0)
        # The person of the finite predicate above it.
        is_clause = np.zeros(len(person), dtype=bool)
        is_clause[clauses.heads[clauses.is_finite]] = True
        verbs = tokens.heads
        for _ in range(_MAX_DEPTH):
            verbs = np.where(is_clause[verbs], verbs, tokens.heads[verbs])
        person = np.where(is_reflexive, clauses.person[verbs], person)
    tokens.person, tokens.flags = person, np.where(person > 0, flags, 0)
    return tokens


def _find_attributes(tokens: Tokens) -> Marks:
    """Find demonstratives that belong to a noun or to a relative clause: "ten dom"."""
    if tokens.has_dep:
        found = tokens.has_label(*_ATTRIBUTES)
        return found | tokens.has_child(tokens.has_role("relative clause"))
    is_next = tokens.is_pos("NOUN", "PROPN", "ADJ", "NUM")
    return np.append(is_next[1:], False)
