"""Provide Polish rules: zero subjects, companions, and the genders of the plural."""

from functools import lru_cache, partial
from typing import Dict, FrozenSet, List

import numpy as np
from spacy.tokens import Doc

from ...grammar import features as bits
from ...grammar.lexicon import get_lexicon
from ...grammar.mention_features import MentionFeatures
from ...grammar.reading import read_determiners, read_names
from ...grammar.resources import read_table, read_words
from ...grammar.rules import DISABLED, PAIR_RULES, PairRule, Rules
from ...grammar.speakers import is_about_speaker
from ...grammar.tokens import Tokens
from ...grammar.word_index import Marks, Rows
from ...registry import registry
from ...types import DOUBTFUL
from . import pairs
from .verbs import (
    OTHER_SEVERAL,
    Clauses,
    find_impersonal,
    is_quasi,
    merge_plurals,
    read_clauses,
    refine_pronouns,
)


def find_people(tokens: Tokens) -> Marks:
    """Find words for people: names, masculine nouns by gender, and listed nouns."""
    found = tokens.has_morph("Animacy=Hum")
    found |= tokens.is_entity(*bits.PERSON_LABELS)
    found |= tokens.lemmas.find(read_words("pl", "people"))
    found |= tokens.words.find(_list_companions())
    found |= tokens.is_name & ~tokens.has_morph("Animacy=Inan", "Gender=Neut")
    return found | (tokens.person > 0)


@lru_cache(maxsize=None)
def _list_companions() -> FrozenSet[str]:
    """List the instrumental of nouns for people, for texts without lemmas."""
    forms = set()
    for noun in read_words("pl", "people"):
        stem = noun[:-1] if noun.endswith(("a", "o")) else noun
        soft = "i" if stem.endswith("k") else ""
        forms |= {stem + "ą", stem + "ami", stem + soft + "em"}
    return frozenset(forms)


def _find_joined(tokens: Tokens, nouns: Rows, has_together: Marks) -> Rows:
    """Find the subjects that companions join; -1 for none."""
    clauses, above = tokens.once(read_clauses), tokens.heads[nouns]
    # "Piotr z Kasią poszli", with the companion below the noun or below the verb.
    is_below_noun = tokens.is_nominal[above]
    verbs = clauses.heads[np.where(is_below_noun, tokens.heads[above], above)]
    subjects = clauses.subject[verbs]
    subjects = np.where(is_below_noun & (subjects != above), -1, subjects)
    is_subject = (subjects >= 0) & (subjects != nouns)
    number = tokens.as_noun[subjects]
    is_single = is_subject & ((number & bits.SEVERAL) == 0)
    is_single &= find_people(tokens)[subjects]
    is_plural = (clauses.agreement[verbs] & bits.ONE_PERSON) == 0
    joins = is_single & (is_plural | has_together)
    # "Przyszli z Kasią": the verb stands for the subject.
    zero = np.full(len(tokens.heads), -1)
    (tokens_of_zero,) = np.nonzero(tokens.is_zero_subject)
    zero[clauses.heads[tokens_of_zero]] = tokens_of_zero
    is_zero = ~is_below_noun & (zero[verbs] >= 0) & is_plural
    return np.where(is_zero, zero[verbs], np.where(joins, subjects, -1))


_MALE, _FEMALE = bits.MALE | bits.MASC_THING, bits.FEMALE | bits.FEM_THING
_BITS = {"m": _MALE, "f": _FEMALE}
# The endings of surnames that are adjectives, with the letters before them: "-ski".
_STEMS = ("sk", "ck", "dzk")
_SURNAME = 5
_ENDINGS = dict.fromkeys(("i", "iego", "iemu", "im"), _MALE)
_ENDINGS |= dict.fromkeys(("a", "iej", "ą"), _FEMALE)


def find_name(word: str) -> int:
    """Read the agreement bits of a given name or of a surname that is an adjective."""
    ending = _find_ending(word) if len(word) >= _SURNAME else ""
    return _read_forms().get(word) or _ENDINGS.get(ending, 0)


def _find_ending(name: str) -> str:
    """Find the ending of a surname that is an adjective; "" for other names."""
    for ending in _ENDINGS:
        if name.endswith(tuple(stem + ending for stem in _STEMS)):
            return ending
    return ""


@lru_cache(maxsize=None)
def _read_forms() -> Dict[str, int]:
    forms: Dict[str, int] = {}
    for names, gender in (("male_names", "m"), ("female_names", "f")):
        for name in read_words("pl", names):
            for form in inflect(name, gender):
                forms[form] = forms.get(form, 0) | _BITS[gender]
    return forms


def inflect(name: str, gender: str) -> List[str]:
    """List the forms of the singular of a given name, by data/declension.txt."""
    if gender == "f" and not name.endswith("a"):
        return [name]
    table = read_table("pl", "declension")
    ending = max(filter(name.endswith, table), key=len, default="-")
    stem = name.removesuffix(ending)
    return [stem + form.strip("-") for form in table[ending]]


_is_bound_by_object = partial(pairs.is_unbound, within=True)
_MEN = bits.MALE | bits.PERSON | bits.MASC_SEVERAL


@registry.coref_rules("spacy_fastcoref.pl.v1")
class PolishRules(Rules, takes_joined=True):
    """Judge links by Polish grammar."""

    reasons = {**Rules.reasons, **get_lexicon("pl").reasons}
    off = DISABLED | {"type"}
    pair_rules = (
        *PAIR_RULES,
        PairRule("clause", pairs.are_in_clause, needs=("dep",)),
        PairRule("bound", pairs.is_unbound, needs=("dep",)),
        PairRule("bound_by_object", _is_bound_by_object, DOUBTFUL, needs=("dep",)),
        PairRule("possessor", pairs.is_owned_by_subject, DOUBTFUL, needs=("dep",)),
        PairRule("contrast", pairs.is_contrasted, DOUBTFUL, needs=("dep",)),
        PairRule("quoted", is_about_speaker),
        PairRule("subgender", pairs.are_other_subgenders, DOUBTFUL),
    )

    def inflect_name(self, name: str, gender: str) -> List[str]:
        ending = _find_ending(name)
        if ending:
            return [name.removesuffix(ending) + other for other in _ENDINGS]
        return inflect(name, gender or ("f" if name.endswith("a") else "m"))

    def read_tokens(self, doc: Doc) -> Tokens:
        tokens = super().read_tokens(doc)
        tokens = refine_pronouns(tokens, tokens.once(read_clauses))
        # With a companion, one person can be the subject: "przyszli z Kasią". If the
        # group has a man and the companion is none, it is the subject.
        joined = self.find_comitatives(tokens)
        (companions,) = np.nonzero(joined >= 0)
        companions = companions[tokens.is_zero_subject[joined[companions]]]
        verbs = joined[companions]
        agreement = tokens.as_pronoun.copy()
        has_man = (agreement[verbs] & OTHER_SEVERAL) == 0
        can_be_man = (tokens.as_noun[companions] & _MEN) > 0
        is_man = has_man & ~can_be_man
        man = bits.MALE | bits.PERSON | bits.MASC_THING
        agreement[verbs] |= np.where(is_man, man, bits.ONE)
        tokens.as_pronoun = agreement
        return tokens

    def find_zero_subjects(self, tokens: Tokens) -> Marks:
        found = np.zeros(len(tokens.heads), dtype=bool)
        if not tokens.has_dep:
            return found
        clauses = tokens.once(read_clauses)
        is_open = clauses.subject < 0
        is_open[clauses.heads[is_quasi(tokens)]] = False
        is_open &= ~find_impersonal(tokens, clauses)
        (verbs,) = np.nonzero(clauses.is_finite & is_open[clauses.heads])
        # The auxiliary or copula of a clause, or else its main verb: "będzie uczyć".
        verbs = verbs[np.lexsort((verbs, clauses.heads[verbs] == verbs))]
        _, places = np.unique(clauses.heads[verbs], return_index=True)
        found[verbs[places]] = True
        return found

    def read_zero_subjects(self, tokens: Tokens) -> np.ndarray:
        clauses = tokens.once(read_clauses)
        agreement = clauses.agreement[clauses.heads]
        as_person = agreement & (bits.ONE_PERSON | bits.GROUP | bits.SEVERAL)
        is_third = clauses.person[clauses.heads] == bits.THIRD
        return np.where(is_third | (as_person == 0), agreement, as_person)

    def find_verbs(self, tokens: Tokens) -> Marks:
        return np.zeros(len(tokens.heads), dtype=bool)

    def find_comitatives(self, tokens: Tokens) -> np.ndarray:
        """Find people in the instrumental after "z": "przyszli z Kasią".

        They join the subject of a verb in the plural, with "razem z" of any verb.
        """
        found, is_with = super().find_comitatives(tokens), tokens.has_word("z", "ze")
        if not tokens.has_dep or not is_with.any():
            return found
        above = tokens.heads
        is_together = tokens.has_word("razem", "wraz")
        # "Razem z" is one preposition, of which the second word depends on the first.
        marks = np.flatnonzero(is_with)
        marks = np.where(is_together[above[marks]], above[marks], marks)
        marks = marks[tokens.has_role("preposition")[marks]]
        nouns = above[marks]
        has_together = is_together[marks]
        has_together |= np.append(False, is_together[:-1])[marks]
        is_companion = tokens.has_morph("Case=Ins")[nouns] & find_people(tokens)[nouns]
        is_companion &= ~tokens.has_role("oblique argument")[nouns]
        nouns, has_together = nouns[is_companion], has_together[is_companion]
        found[nouns] = _find_joined(tokens, nouns, has_together)
        # "Z Kasią i Tomkiem".
        first = tokens.first_conjunct
        is_conjunct = (first != np.arange(len(found))) & (found[first] >= 0)
        return np.where(is_conjunct, found[first], found)

    def read_agreement(self, facts: MentionFeatures) -> np.ndarray:
        """Read the gender from the morphology, or else from the forms of names."""
        heads, words = facts.heads, facts.words
        found = facts.tokens.as_noun[heads]
        by_name = words.map(find_name)[facts.first_names]
        by_name = np.where(by_name > 0, by_name, words.map(find_name)[heads])
        by_name = np.where(by_name > 0, by_name, read_names(facts))
        by_name = np.where(facts.is_name, by_name, read_determiners(facts))
        found = np.where((found & by_name) > 0, found & by_name, found)
        is_person = facts.tokens.is_entity(*bits.PERSON_LABELS)[heads]
        as_person = found & (bits.ONE_PERSON | bits.SEVERAL)
        found = np.where(is_person & (as_person > 0), as_person, found)
        if facts.tokens.has_dep:
            clauses = facts.tokens.once(read_clauses)
            found = np.where(_find_women(facts, clauses, found), bits.FEMALE, found)
            is_verb = facts.tokens.is_verb[heads]
            by_verb = clauses.agreement[clauses.heads[heads]]
            found = np.where(is_verb, by_verb, found)
        return merge_plurals(found)

    def join_agreement(self, facts: MentionFeatures, members: np.ndarray) -> np.ndarray:
        """Read a group with a man as masculine personal; others can be, if a member is
        open, or for a woman and a male animal."""
        is_member = members >= 0
        has_man = (is_member & ((members & ~_MEN) == 0)).any(axis=1)
        can_be_man = (is_member & ((members & _MEN) > 0)).any(axis=1)
        has_woman = (is_member & ((members & bits.FEMALE) > 0)).any(axis=1)
        has_male = (is_member & ((members & bits.MASC_THING) > 0)).any(axis=1)
        is_open = can_be_man | (has_woman & has_male)
        found = np.where(is_open, bits.SEVERAL, OTHER_SEVERAL)
        return np.where(has_man, bits.MASC_SEVERAL, found)


def _find_women(facts: MentionFeatures, clauses: Clauses, agreement: Rows) -> Marks:
    """Find masculine nouns for people that a feminine verb or name shows as women."""
    tokens, heads = facts.tokens, facts.heads
    can_be_man = (agreement & ~(bits.MALE | bits.PERSON)) == 0
    verbs = clauses.heads[tokens.heads[heads]]
    by_verb = np.where(clauses.subject[verbs] == heads, clauses.agreement[verbs], 0)
    is_woman = (by_verb & bits.FEMALE > 0) & (by_verb & bits.MALE == 0)
    is_apposed = tokens.has_role("apposition") & tokens.has_morph("Gender=Fem")
    is_apposed &= tokens.is_pos("PROPN")
    is_woman |= tokens.has_child(is_apposed)[heads]
    return can_be_man & is_woman & ~facts.is_joined
