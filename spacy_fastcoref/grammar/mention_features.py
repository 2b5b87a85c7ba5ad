"""Hold the features of a Doc's mentions as arrays, for all rules."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Optional

import numpy as np

from .annotation import Annotation
from .features import ANYTHING, FIRST, POSSESSIVE, RECIPROCAL, REFLEXIVE, SEVERAL, THIRD
from .lexicon import Lexicon
from .names import NameRuns
from .schemes import POSSESSOR, RELATIVE
from .speech import Speech
from .tokens import TokenFeatures
from .word_index import Marks, Rows, WordIndex, is_sign

# The bits of a name of which nothing is known: all are set.
ANY_NAME = (1 << 63) - 1


@dataclass
class MentionFeatures:
    """Hold the features of the mentions of a document.

    All features from `agreement` on have defaults, with which the rules that read them
    have no effect.

    annotation (Annotation): The document's annotation.
    words (WordIndex): The document's words.
    lexicon (Lexicon): The closed-class words of the language.
    features (TokenFeatures): The features of the document's tokens.
    runs (NameRuns): The names of the document.
    speech (Speech): The speakers and quotations of the document.
    starts, ends (numpy.ndarray): Shape (n_mentions,), int64, token offsets.
    heads (numpy.ndarray): Shape (n_mentions,), int64, the head of each mention.
    agreement (numpy.ndarray): Shape (n_mentions,), int64, the agreement bits of each
        mention, see grammar/features.py.
    person (numpy.ndarray): Shape (n_mentions,), int64, FIRST, SECOND, THIRD or
        OTHER_PRONOUN for pronouns; 0 for other mentions.
    flags (numpy.ndarray): Shape (n_mentions,), int64, the bits REFLEXIVE, POSSESSIVE,
        DEMONSTRATIVE and RECIPROCAL of pronouns.
    is_joined (numpy.ndarray): Shape (n_mentions,), bool, coordinations.
    is_name (numpy.ndarray): Shape (n_mentions,), bool, mentions whose head is a proper
        name.
    is_pleonastic (numpy.ndarray): Shape (n_mentions,), bool, mentions that refer to
        nothing, such as "it" in "it rains"; and verbs, if verbs can't be mentions.
    is_indefinite (numpy.ndarray): Shape (n_mentions,), bool, indefinite noun phrases,
        such as "a dog".
    is_lifeless (numpy.ndarray): Shape (n_mentions,), bool, common nouns that are not
        known to be a person, an animal or a group.
    is_likely (numpy.ndarray): Shape (n_mentions,), bool, mentions with a positive
        mention score.
    is_crossed (numpy.ndarray): Shape (n_mentions,), bool, mentions that cross a more
        likely mention, or the end of a sentence.
    part_of (numpy.ndarray): Shape (n_mentions,), int64, the mention of a longer name
        that each mention is a part of; -1 for none.
    named_as (numpy.ndarray): Shape (n_mentions,), int64, an earlier mention of the same
        person by the full name; -1 for none.
    spoken_by (numpy.ndarray): Shape (n_mentions,), int64, the mention of the speaker of
        the quotation that contains each mention; -1 for none.
    given_names (numpy.ndarray): Shape (n_mentions,), int64, the possible initials of
        each mention's given name, one bit for each; see people.find_given_names.
    people (numpy.ndarray): Shape (n_mentions,), int64, the people that can have each
        mention's name, one bit for each; see people.find_people.
    is_anaphor (numpy.ndarray): Shape (n_mentions,), bool, pronouns, and verbs that
        stand for a subject, that need an antecedent.
    grammar (Optional[Grammar]): The grammar by which the mentions were read.
    tokens (Optional[Tokens]): The document's tokens.
    """

    annotation: Annotation
    words: WordIndex
    lexicon: Lexicon
    features: TokenFeatures
    runs: NameRuns
    speech: Speech
    starts: np.ndarray
    ends: np.ndarray
    heads: np.ndarray
    agreement: Optional[np.ndarray] = None
    person: Optional[np.ndarray] = None
    flags: Optional[np.ndarray] = None
    is_joined: Optional[np.ndarray] = None
    is_name: Optional[np.ndarray] = None
    is_pleonastic: Optional[np.ndarray] = None
    is_indefinite: Optional[np.ndarray] = None
    is_lifeless: Optional[np.ndarray] = None
    is_likely: Optional[np.ndarray] = None
    is_crossed: Optional[np.ndarray] = None
    part_of: Optional[np.ndarray] = None
    named_as: Optional[np.ndarray] = None
    spoken_by: Optional[np.ndarray] = None
    given_names: Optional[np.ndarray] = None
    people: Optional[np.ndarray] = None
    is_anaphor: Optional[np.ndarray] = None
    grammar: Any = None
    tokens: Any = None

    def __post_init__(self) -> None:
        for names, value, dtype in (
            (("agreement",), ANYTHING, np.int64),
            (("person", "flags"), 0, np.int64),
            (("given_names", "people"), ANY_NAME, np.int64),
            (("part_of", "named_as", "spoken_by"), -1, np.int64),
            (("is_joined", "is_name", "is_pleonastic", "is_indefinite"), False, bool),
            (("is_lifeless", "is_crossed"), False, bool),
            (("is_likely",), True, bool),
        ):
            for name in names:
                if getattr(self, name) is None:
                    setattr(self, name, np.full(len(self), value, dtype=dtype))
        if self.is_anaphor is None:
            self.is_anaphor = (self.person == THIRD) & ~self.is_pleonastic

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def is_pronoun(self) -> np.ndarray:
        """Shape (n_mentions,), bool."""
        return self.person > 0

    @property
    def is_part(self) -> np.ndarray:
        """Shape (n_mentions,), bool: parts of a longer name."""
        return self.part_of >= 0

    @cached_property
    def is_definite(self) -> np.ndarray:
        """Shape (n_mentions,), bool: noun phrases that are definite, or could be."""
        return self._find("find_definite")

    @cached_property
    def may_be_indefinite(self) -> np.ndarray:
        """Shape (n_mentions,), bool: noun phrases that are indefinite, or could be."""
        return self._find("find_indefinite")

    @cached_property
    def is_demonstrated(self) -> np.ndarray:
        """Shape (n_mentions,), bool: noun phrases with a demonstrative: "this dog"."""
        return self._find("find_demonstrated")

    @cached_property
    def is_independent(self) -> np.ndarray:
        """Shape (n_mentions,), bool: noun phrases that an anaphor can refer to."""
        return self._find("find_nouns")

    def _find(self, question: str) -> np.ndarray:
        """Ask the grammar about the heads of all mentions."""
        if self.grammar is None:
            return np.zeros(len(self), dtype=bool)
        return getattr(self.grammar, question)(self.tokens)[self.heads]

    @property
    def is_reflexive(self) -> np.ndarray:
        """Shape (n_mentions,), bool: "herself", "each other"."""
        return (self.flags & (REFLEXIVE | RECIPROCAL)) > 0

    @property
    def is_speaker(self) -> np.ndarray:
        """Shape (n_mentions,), bool: first persons singular, "I" but not "we"."""
        return (self.person == FIRST) & ((self.agreement & SEVERAL) == 0)

    @cached_property
    def is_possessive(self) -> np.ndarray:
        """Shape (n_mentions,), bool: "my", and "her" if it is not an object."""
        is_possessive = self._find_possessives()[self.heads] & self.is_pronoun
        return is_possessive | ((self.flags & POSSESSIVE) > 0)

    @cached_property
    def stands_for(self) -> np.ndarray:
        """Shape (n_tokens,), int64: the noun of each relative pronoun's clause; the
        token itself for other tokens and without a parse."""
        annotation = self.annotation
        tokens = np.arange(len(annotation.heads))
        is_relative = self.words.find(self.lexicon.relatives)
        is_relative &= annotation.is_nominal | annotation.has_role(POSSESSOR)
        if not annotation.has_dep or not is_relative.any():
            return tokens
        # The pronoun can be below a preposition and a noun: "to whose mother".
        above = annotation.heads
        for _ in range(3):
            above = np.where(annotation.is_verb[above], above, annotation.heads[above])
        # "Who came and who saw him": coordinated clauses have the same noun.
        clause = annotation.first_conjunct[above]
        is_relative &= annotation.has_role(RELATIVE)[clause]
        return np.where(is_relative, annotation.heads[clause], tokens)

    def _find_possessives(self) -> np.ndarray:
        """Find possessives among the forms that can be objects, too ("her")."""
        annotation, words, lexicon = self.annotation, self.words, self.lexicon
        found = words.find(lexicon.objects)
        if not found.any():
            return found
        if annotation.has_dep:
            return found & annotation.has_role(POSSESSOR)
        if annotation.has_pos:
            is_next = annotation.is_pos("NOUN", "PROPN", "ADJ", "NUM")
        else:
            closed = lexicon.cutters | lexicon.coordinators | lexicon.determiners
            closed |= lexicon.pronouns | lexicon.auxiliaries | lexicon.not_nouns
            is_next = ~words.find(closed) & (words.map(is_sign) == 0)
        return found & np.append(is_next[1:], False)

    @staticmethod
    def find_pairs(one: Marks, other: Marks, later: Rows, earlier: Rows) -> Marks:
        """Find pairs of a mention with the first mark and one with the second one."""
        return (one[later] & other[earlier]) | (one[earlier] & other[later])

    def are_alike(self, later: np.ndarray, earlier: np.ndarray) -> Marks:
        """Find pairs of mentions with the same words."""
        forms, sizes = self.words.index, self.ends - self.starts
        found = sizes[later] == sizes[earlier]
        for step in range(sizes[later[found]].max(initial=0)):
            (rows,) = np.nonzero(found & (step < sizes[later]))
            starts = self.starts[later[rows]], self.starts[earlier[rows]]
            found[rows] = forms[starts[0] + step] == forms[starts[1] + step]
        return found
