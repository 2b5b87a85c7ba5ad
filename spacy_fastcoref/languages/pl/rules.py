"""Provide Polish rules: zero subjects, companions, and the genders of the plural."""

from dataclasses import replace
from typing import List

import numpy as np
from spacy.tokens import Doc

from ...grammar.annotation import Annotation
from ...grammar.features import (
    FEMALE,
    MALE,
    MASC_SEVERAL,
    MASC_THING,
    ONE,
    ONE_PERSON,
    PERSON,
    PERSON_LABELS,
    SEVERAL,
)
from ...grammar.mention_features import MentionFeatures
from ...grammar.reading import read_determiners, read_names
from ...grammar.rules import PAIR_RULES, PairRule, Rules
from ...grammar.schemes import APPOSITION
from ...grammar.speakers import is_about_speaker
from ...grammar.tokens import Tokens
from ...grammar.word_index import Marks, WordIndex
from ...registry import registry
from ...types import DOUBTFUL
from . import pairs
from .comitatives import find_comitatives
from .names import find_name, list_forms
from .verbs import (
    OTHER_SEVERAL,
    Clauses,
    find_zero_subjects,
    get_clauses,
    merge_plurals,
    refine_pronouns,
    restrict_person,
)

_MEN = MALE | PERSON | MASC_SEVERAL


@registry.coref_rules("spacy_fastcoref.pl.v1")
class PolishRules(Rules, takes_joined=True):
    """Judge links by Polish grammar."""

    pair_rules = (
        *PAIR_RULES,
        PairRule("clause", pairs.are_in_clause, needs=("dep",)),
        PairRule("bound", pairs.is_unbound, needs=("dep",)),
        PairRule("bound_by_object", pairs.is_object_bound, DOUBTFUL, needs=("dep",)),
        PairRule("possessor", pairs.is_owned_by_subject, DOUBTFUL, needs=("dep",)),
        PairRule("contrast", pairs.is_contrasted, DOUBTFUL, needs=("dep",)),
        PairRule("quoted", is_about_speaker),
        PairRule("subgender", pairs.are_other_subgenders, DOUBTFUL),
    )

    def inflect_name(self, name: str, gender: str) -> List[str]:
        """List the forms of a name; see Grammar.inflect_name."""
        return list_forms(name, gender)

    def read_tokens(self, doc: Doc) -> Tokens:
        """Read the tokens of a document; see Grammar.read_tokens."""
        tokens = super().read_tokens(doc)
        tokens = refine_pronouns(tokens, get_clauses(tokens))
        # With a companion, one person can be the subject: "przyszli z Kasią". If the
        # group has a man and the companion is none, it is the subject.
        joined = self.find_comitatives(tokens)
        (companions,) = np.nonzero(joined >= 0)
        companions = companions[tokens.annotation.is_zero_subject[joined[companions]]]
        verbs = joined[companions]
        agreement = tokens.features.as_pronoun.copy()
        has_man = (agreement[verbs] & OTHER_SEVERAL) == 0
        can_be_man = (tokens.features.as_noun[companions] & _MEN) > 0
        is_man = has_man & ~can_be_man
        agreement[verbs] |= np.where(is_man, MALE | PERSON | MASC_THING, ONE)
        features = replace(tokens.features, as_pronoun=agreement)
        return tokens._replace(features=features)

    def find_zero_subjects(self, tokens: Tokens) -> Marks:
        """Find verbs that stand for their subject; see Grammar.find_zero_subjects."""
        if not tokens.annotation.has_dep:
            return np.zeros(len(tokens.words.index), dtype=bool)
        return find_zero_subjects(tokens, get_clauses(tokens))

    def read_zero_subjects(self, tokens: Tokens) -> np.ndarray:
        """Read what the subjects of verbs can be; see Grammar.read_zero_subjects."""
        clauses = get_clauses(tokens)
        agreement = clauses.agreement[clauses.heads]
        return restrict_person(agreement, clauses.person[clauses.heads])

    def find_verbs(self, annotation: Annotation, words: WordIndex) -> Marks:
        """Find verbs that can't be mentions, which are none; see Grammar.find_verbs."""
        return np.zeros(len(words.index), dtype=bool)

    def find_comitatives(self, tokens: Tokens) -> np.ndarray:
        """Find the word that each companion joins; see Grammar.find_comitatives.

        RETURNS (numpy.ndarray): Shape (n_tokens,), int64; -1 for none.
        """
        return find_comitatives(tokens, get_clauses(tokens))

    def read_agreement(self, facts: MentionFeatures) -> np.ndarray:
        """Read the agreement bits of names and nouns; see Grammar.read_agreement.

        The gender comes from the morphology, without it from the forms of names. A
        feminine verb shows that a masculine noun is a woman: "minister powiedziała".
        """
        heads, words = facts.heads, facts.words
        found = facts.features.as_noun[heads]
        firsts = np.maximum(facts.runs.firsts[heads], facts.starts)
        by_name = words.map(find_name)[firsts]
        by_name = np.where(by_name > 0, by_name, words.map(find_name)[heads])
        by_name = np.where(by_name > 0, by_name, read_names(facts))
        by_name = np.where(facts.is_name, by_name, read_determiners(facts))
        found = np.where((found & by_name) > 0, found & by_name, found)
        is_person = facts.annotation.is_entity(*PERSON_LABELS)[heads]
        as_person = found & (ONE_PERSON | SEVERAL)
        found = np.where(is_person & (as_person > 0), as_person, found)
        if facts.annotation.has_dep:
            clauses = get_clauses(facts.tokens)
            found = np.where(_find_women(facts, clauses, found), FEMALE, found)
            is_verb = facts.annotation.is_verb[heads]
            by_verb = clauses.agreement[clauses.heads[heads]]
            found = np.where(is_verb, by_verb, found)
        return merge_plurals(found)

    def join_agreement(self, facts: MentionFeatures, members: np.ndarray) -> np.ndarray:
        """Read the agreement bits of coordinations; see Grammar.join_agreement.

        A group with a man is masculine personal. One without people of whom this is
        possible is not, but a woman and a male animal can be either.

        facts (MentionFeatures): The features of the mentions, with `agreement`.
        members (numpy.ndarray): Shape (n_groups, n_members), int64, the agreement bits
            of the members of each coordination; -1 for padding.
        RETURNS (numpy.ndarray): Shape (n_groups,), int64.
        """
        is_member = members >= 0
        has_man = (is_member & ((members & ~_MEN) == 0)).any(axis=1)
        can_be_man = (is_member & ((members & _MEN) > 0)).any(axis=1)
        has_woman = (is_member & ((members & FEMALE) > 0)).any(axis=1)
        has_male = (is_member & ((members & MASC_THING) > 0)).any(axis=1)
        is_open = can_be_man | (has_woman & has_male)
        found = np.where(is_open, SEVERAL, OTHER_SEVERAL)
        return np.where(has_man, MASC_SEVERAL, found)


def _find_women(
    facts: MentionFeatures, clauses: Clauses, agreement: np.ndarray
) -> np.ndarray:
    """Find masculine nouns for people that a feminine verb or name shows as women."""
    annotation, heads = facts.annotation, facts.heads
    can_be_man = (agreement & ~(MALE | PERSON)) == 0
    verbs = clauses.heads[annotation.heads[heads]]
    by_verb = np.where(clauses.subject[verbs] == heads, clauses.agreement[verbs], 0)
    is_woman = (by_verb & FEMALE > 0) & (by_verb & MALE == 0)
    is_apposed = annotation.has_role(APPOSITION) & annotation.has_morph("Gender=Fem")
    is_apposed &= annotation.is_pos("PROPN")
    is_woman |= annotation.has_child(is_apposed)[heads]
    return can_be_man & is_woman & ~facts.is_joined
