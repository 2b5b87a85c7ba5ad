"""English: which pairs of nouns and names cannot be one, or hardly."""

from functools import lru_cache
from typing import FrozenSet

import numpy as np

from ...rules import binding, nesting
from ...rules.acronyms import find_abbreviations
from ...rules.agreement import GROUP, THING
from ...rules.facts import SECOND, THIRD, Facts
from ..lexicon import get_lexicon
from ..word_index import ends_in_s, is_sign, read_table, read_words
from .names import CLASSES, find_names

_LANG = "en"
_SUBJECTS = frozenset(("he", "it", "she", "they"))
_OBJECTS = frozenset(("him", "her", "them"))
# After these the clause lacks something, and ends before its verb's object.
_GAPPED = frozenset(("who", "whom", "whose", "which"))
_OBJECT_FORMS = _OBJECTS | frozenset(("me", "us", "you", "it"))
# Numbers in others.txt of "another" and "second".
_OTHER, _SECOND = 1, 2
_HAVE = frozenset(("has", "have", "had"))
_DO = frozenset(("do", "does", "did"))


def is_generic(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find "you" for people in general, beside a noun or name.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    speech, starts = facts.speech, facts.starts
    # Nobody is spoken to.
    is_people = (speech.quotes[starts] == 0) & (speech.speakers[starts] == 0)
    is_people &= facts.person == SECOND
    found = np.zeros(len(later), dtype=bool)
    for one, other in ((later, earlier), (earlier, later)):
        found |= is_people[one] & ~facts.is_pronoun[other]
    return found


def is_lifeless(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find "he", "she" and "they" for a noun that no list knows as alive or a group.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    found = np.zeros(len(later), dtype=bool)
    is_it = (facts.agreement & THING) > 0
    is_he_or_they = (facts.person == THIRD) & ~is_it
    # "The airline lost my bag. They refused to pay."
    is_they = (facts.agreement & GROUP) > 0
    has_staff = facts.words.find(read_words(_LANG, "staffed_nouns"))[facts.heads]
    has_staff |= (facts.classes & CLASSES["org"]) > 0
    for one, other in ((later, earlier), (earlier, later)):
        is_staff = is_they[one] & has_staff[other]
        found |= is_he_or_they[one] & facts.is_lifeless[other] & ~is_staff
    return found


def is_another(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find two things of a kind: "a soldier" and "another soldier".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    forms = facts.words.index
    same_head = forms[facts.heads[later]] == forms[facts.heads[earlier]]
    kinds = facts.words.map(_find_other)
    # The last such word before each token.
    lasts = np.maximum.accumulate(np.where(kinds > 0, np.arange(len(kinds)), 0))
    before = lasts[np.maximum(facts.heads - 1, 0)]
    is_inside = (facts.starts <= before) & (before < facts.heads)
    kinds = np.where(is_inside, kinds[before], 0)
    # "A second witness" may come to be "the second witness", "another", "the other".
    is_other = (kinds[later] > 0) & (kinds[later] != kinds[earlier])
    is_other &= (kinds[later] + kinds[earlier]) != _OTHER + _SECOND
    # "The war" may be the Second World War.
    is_other &= ~facts.is_name[later] | facts.is_name[earlier]
    return same_head & is_other & ~facts.is_pronoun[earlier]


def are_other_abbreviations(
    facts: Facts, later: np.ndarray, earlier: np.ndarray
) -> np.ndarray:
    """Find names that are short for different ones: "the US" and "the UK".

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    words = facts.words
    # "A BMW" may be "the SUV".
    is_noun = words.find(read_words(_LANG, "acronym_nouns"))[facts.heads]
    is_noun |= words.find(read_words(_LANG, "indefinite"))[facts.starts]
    is_short = facts.is_name & ~is_noun
    numbers = np.where(is_short, find_abbreviations(words)[facts.heads], 0)
    one, other = numbers[later], numbers[earlier]
    return (one > 0) & (other > 0) & (one != other)


def _find_other(form: str) -> int:
    """Number the words of order; 1 for all others, 0 for what is none."""
    names = read_table(_LANG, "others").get(form)
    return 0 if names is None else int(names[0])


def is_coordinated(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find members of one coordination, and a member and the whole.

    Where there is no tree, "and" joins clauses in "we booked the Ritz and the hotel
    was": a verb follows what resumes something that began no clause.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    found = nesting.is_coordinated(facts, later, earlier)
    if facts.parse.has_dep or not found.any():
        return found
    words, lexicon = facts.words, get_lexicon(_LANG)
    verbs = read_words(_LANG, "auxiliaries", "be", "past_forms") | _HAVE
    is_verb = words.find(verbs) | (words.map(_is_past) > 0)
    resumes = words.find(read_words(_LANG, "definite"))[facts.starts]
    resumes &= np.append(is_verb, False)[facts.ends]
    openers = lexicon.coordinators | _read_openers()
    openers |= read_words(_LANG, "clause_verbs", "saying_verbs")
    opens = np.append(True, (words.map(is_sign) > 0) | words.find(openers))
    is_apart = facts.ends[earlier] <= facts.starts[later]
    is_apart &= resumes[later] & ~opens[facts.starts[earlier]]
    return found & ~is_apart


def are_arguments(facts: Facts, later: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """Find the subject and the object of one verb, without a reflexive.

    Where there is no tree, the object is a pronoun, and the subject what a clause
    begins with, with nothing between them that could be another subject or begin a
    clause: "she stood up and greeted her", "when Bill congratulated him". In "what she
    saw frightened her" and "the man she met liked her" two clauses meet.

    facts (Facts): What is known of the mentions.
    later, earlier (numpy.ndarray): Shape (n_pairs,), indexes of mentions.
    RETURNS (numpy.ndarray): Shape (n_pairs,), bool.
    """
    if facts.parse.has_dep:
        return binding.are_arguments(facts, later, earlier)
    lexicon, words = get_lexicon(_LANG), facts.words
    is_mark = words.map(is_sign) > 0
    is_joint = words.find(lexicon.coordinators)
    # "She saw her again", "she took her home", other than "she took her hat".
    is_object = words.find(_OBJECTS) & ~facts.is_owner
    is_object |= _find_object_it(facts)
    # In "she came in and saw her" it is an adverb.
    is_adverb = np.append(is_joint[1:], False)
    is_stop = is_mark | (words.find(_read_stops()) & ~is_adverb)
    is_stop |= find_names(facts.parse, words) | _find_helpers(facts)
    # Whatever else may be one: not "rose" in "she rose and saw her".
    is_likely = slice(None) if facts.is_likely is None else facts.is_likely
    is_stop[facts.starts[is_likely]] = True
    n_stops = np.append(0, np.cumsum(is_stop))
    objects = facts.starts[later]
    lasts = np.minimum(facts.ends[earlier], objects)
    opens = np.append(True, is_mark | is_joint | words.find(_read_openers()))
    is_open = np.append(~(is_joint | words.find(lexicon.clitics)), False)
    is_subject = ~facts.is_pronoun & opens[facts.starts] & is_open[facts.ends]
    # A pronoun may follow more: "then she", "in 1990 she", "I think she", "did she".
    opens = np.append(True, is_mark | is_joint | _find_pronoun_openers(facts))
    is_pronoun = words.find(_SUBJECTS)[facts.starts] & facts.is_pronoun
    is_subject |= is_pronoun & opens[facts.starts]
    holds = is_subject[earlier] & is_object[objects] & facts.is_pronoun[later]
    holds &= (lasts < objects) & (n_stops[objects] == n_stops[lasts])
    # The verb stands there, after the last "and"; with another word, a subject may:
    # "she knew doctors could save her".
    tokens = np.arange(1, len(is_joint) + 1)
    clauses = np.append(0, np.maximum.accumulate(np.where(is_joint, tokens, 0)))
    is_part = words.find(_read_verb_parts()) | (words.map(_goes_with_verb) > 0)
    # "What he did haunted him"
    is_part &= ~(words.find(_DO) & np.append((words.map(_is_past) > 0)[1:], False))
    firsts = np.maximum(lasts, clauses[objects])
    n_words, n_be, n_participles = (
        np.append(0, np.cumsum(found))
        for found in (
            ~is_part,
            words.find(read_words(_LANG, "be")),
            words.map(_is_participle) > 0,
        )
    )
    # "If she is not home call her"
    is_copula = n_be[objects] > n_be[firsts]
    is_copula &= n_participles[objects] == n_participles[firsts]
    return holds & ~is_copula & (n_words[objects] - n_words[firsts] < 2)


def _find_object_it(facts: Facts) -> np.ndarray:
    """Find "it" where no verb follows: "it watched it closely", other than "the firm
    said it, too, would" and "says it recently hired".
    """
    words, lexicon = facts.words, get_lexicon(_LANG)
    is_mark = words.map(is_sign) > 0
    ends = is_mark | words.find(
        lexicon.coordinators | read_words(_LANG, "prepositions")
    )
    ends |= (words.map(_is_adverb) > 0) & np.append(is_mark[1:], True)
    takes_clause = words.find(read_words(_LANG, "clause_verbs", "saying_verbs"))
    is_it = words.find(frozenset(("it",))) & ~np.append(False, takes_clause[:-1])
    return is_it & np.append(ends[1:], True)


def _find_helpers(facts: Facts) -> np.ndarray:
    """Find the "people" of "people helping him", the "friends" of "has friends …"."""
    words = facts.words
    is_participle = words.map(_is_participle) > 0
    people = read_words(_LANG, "person_words", "group_nouns", "plural_nouns")
    # No participle of a perfect ends so: "has kept calling him".
    is_noun = np.append(False, words.find(_HAVE)[:-1]) & (words.map(ends_in_s) > 0)
    return (words.find(people) | is_noun) & np.append(is_participle[1:], False)


def _find_pronoun_openers(facts: Facts) -> np.ndarray:
    """Find the words after which a pronoun begins a clause."""
    words, lexicon = facts.words, get_lexicon(_LANG)
    found = words.find(_read_openers() - _GAPPED)
    found |= words.find(
        read_words(_LANG, "clause_verbs", "saying_verbs", "auxiliaries")
    )
    found |= words.find(lexicon.not_nouns | lexicon.modifiers | lexicon.degrees)
    found |= words.map(_is_adverb_or_year) > 0
    # "Told him she", "told Joe she": no relative clause follows these without a sign.
    found |= words.find(_OBJECT_FORMS)
    is_first = np.append(True, words.map(is_sign)[:-1] > 0)
    is_name = find_names(facts.parse, words) & ~is_first
    # "The man that she met", other than "said that she".
    is_determined = words.find(lexicon.determiners | lexicon.possessives)
    counts = np.append(0, np.cumsum(is_determined))
    tokens = np.arange(len(found))
    # Of the three words before each.
    is_noun = counts[tokens] > counts[np.maximum(tokens - 3, 0)]
    is_that = words.find(frozenset(("that",)))
    return (found & ~(is_that & is_noun)) | (is_name & ~is_noun)


@lru_cache(maxsize=None)
def _read_verb_parts() -> FrozenSet[str]:
    """Read the words that stand beside a verb, none of which is a subject."""
    lexicon = get_lexicon(_LANG)
    adverbs = lexicon.not_nouns | lexicon.modifiers | lexicon.degrees
    return read_words(_LANG, "auxiliaries", "be") | _HAVE | adverbs | lexicon.clitics


def _goes_with_verb(form: str) -> bool:
    """Find "quickly", and "calling" after "kept"."""
    return _is_adverb(form) or _is_participle(form)


def _is_participle(form: str) -> bool:
    return form.endswith("ing")


def _is_past(form: str) -> bool:
    return form.endswith("ed") and not form.endswith("eed")


def _is_adverb_or_year(form: str) -> bool:
    return _is_adverb(form) or form.isdigit()


def _is_adverb(form: str) -> bool:
    return form.endswith("ly")


@lru_cache(maxsize=None)
def _read_openers() -> FrozenSet[str]:
    """Read the words that the subject of a clause may follow."""
    lexicon = get_lexicon(_LANG)
    return lexicon.relatives | read_words(_LANG, "conjunctions")


@lru_cache(maxsize=None)
def _read_stops() -> FrozenSet[str]:
    """Read the words after which the subject may be another, or the object oblique."""
    lexicon = get_lexicon(_LANG)
    verbs = read_words(_LANG, "be") | _HAVE
    others = lexicon.determiners | read_words(_LANG, "indefinite_pronouns")
    return (lexicon.cutters | lexicon.relatives | others) - verbs
