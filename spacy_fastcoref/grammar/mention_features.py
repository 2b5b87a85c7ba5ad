"""Hold the features of a Doc's mentions as arrays, for all rules."""

from dataclasses import dataclass, fields
from functools import cached_property, wraps
from typing import Any, Callable

import numpy as np

from .features import ANYTHING, FIRST, POSSESSIVE, RECIPROCAL, REFLEXIVE, SEVERAL
from .names import NameRuns
from .speech import Speech
from .tokens import Tokens
from .word_index import Marks, Rows, is_sign

# The bits of a name of which nothing is known: all are set.
ANY_NAME = (1 << 63) - 1
# How much farther away a name and a noun count that are neither subjects nor pronouns.
_NAME, _NOUN = 2, 3


@dataclass
class MentionFeatures:
    """Hold the features of the mentions of a document.

    Arrays are of shape (n_mentions,), and indexes of mentions are -1 for none. Those
    from `agreement` on have defaults, with which the rules that read them do nothing.
    """

    grammar: Any  # The Grammar by which the mentions were read.
    tokens: Tokens
    runs: NameRuns  # The names of the document.
    speech: Speech  # The speakers and quotations of the document.
    starts: Rows  # Token offsets, and the head token.
    ends: Rows
    heads: Rows
    agreement: Any = ANYTHING  # The agreement bits of features.py.
    is_joined: Any = False  # Coordinations.
    # Mentions that refer to nothing, such as "it" in "it rains"; and verbs, if verbs
    # can't be mentions.
    is_pleonastic: Any = False
    is_indefinite: Any = False  # Indefinite noun phrases, such as "a dog".
    # Pronouns, and verbs that stand for a subject, that need an antecedent.
    is_anaphor: Any = False
    # Common nouns that are not known to be a person, an animal or a group.
    is_lifeless: Any = False
    is_likely: Any = True  # Mentions with a positive mention score.
    # Mentions that cross a more likely mention, or the end of a sentence.
    is_crossed: Any = False
    part_of: Any = -1  # The mention of a longer name that contains it.
    duplicate_of: Any = -1  # See RuleOutput.
    named_as: Any = -1  # An earlier mention of the same person by the full name.
    spoken_by: Any = -1  # The mention of the speaker of the quotation that contains it.
    # The possible initials of the given name, and the people that can have the name, a
    # bit for each; see people.py.
    given_names: Any = ANY_NAME
    people: Any = ANY_NAME
    links: Any = None  # The model's Links, those of duplicates merged.

    def __post_init__(self) -> None:
        self.words, self.lexicon = self.tokens.words, self.tokens.lexicon
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, (bool, int)):
                setattr(self, field.name, np.full(len(self), value))

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def person(self) -> Rows:
        """FIRST, SECOND, THIRD or OTHER_PRONOUN for pronouns; 0 for other mentions."""
        is_alone = self.ends - self.starts == 1
        return np.where(is_alone, self.tokens.person[self.heads], 0)

    @cached_property
    def flags(self) -> Rows:
        """The bits REFLEXIVE, POSSESSIVE and so on of features.py, for pronouns."""
        return np.where(self.is_pronoun, self.tokens.flags[self.heads], 0)

    @cached_property
    def is_name(self) -> Marks:
        """Mentions whose head is a proper name."""
        is_other = self.is_pronoun | self.is_joined
        return self.tokens.is_name[self.heads] & ~is_other

    @cached_property
    def first_names(self) -> Rows:
        """The first word of the name that the head belongs to."""
        return np.maximum(self.runs.firsts[self.heads], self.starts)

    @property
    def is_pronoun(self) -> Marks:
        """Whether each mention is a pronoun."""
        return self.person > 0

    @property
    def is_part(self) -> Marks:
        """Parts of a longer name."""
        return self.part_of >= 0

    @property
    def is_reflexive(self) -> Marks:
        """ "herself", "each other"."""
        return (self.flags & (REFLEXIVE | RECIPROCAL)) > 0

    @property
    def is_speaker(self) -> Marks:
        """First persons singular, "I" but not "we"."""
        return (self.person == FIRST) & ((self.agreement & SEVERAL) == 0)

    def ask(self, question: Callable[[Tokens], np.ndarray]) -> np.ndarray:
        """Ask a question of the grammar about all heads, once for all mentions."""
        return self.tokens.once(question)[self.heads]

    @cached_property
    def is_possessive(self) -> Marks:
        """ "my", and "her" if it is not an object."""
        tokens, words, lexicon = self.tokens, self.words, self.lexicon
        if tokens.has_dep:
            is_owner = tokens.has_role("possessor")
        else:
            # It owns the next word.
            closed = lexicon.cutters | lexicon.coordinators | lexicon.determiners
            closed |= lexicon.pronouns | lexicon.auxiliaries | lexicon.not_nouns
            is_next = ~words.find(closed) & (words.map(is_sign) == 0)
            if tokens.has_pos:
                is_next = tokens.is_pos("NOUN", "PROPN", "ADJ", "NUM")
            is_owner = np.append(is_next[1:], False)
        is_owner = (words.find(lexicon.objects) & is_owner)[self.heads]
        return (is_owner & self.is_pronoun) | ((self.flags & POSSESSIVE) > 0)

    @cached_property
    def stands_for(self) -> Rows:
        """The noun of the clause of each token that is a relative pronoun; the token
        itself for other tokens and without a parse."""
        tokens = self.tokens
        index = np.arange(len(tokens.heads))
        is_relative = self.words.find(self.lexicon.relatives)
        is_relative &= tokens.is_nominal | tokens.has_role("possessor")
        if not tokens.has_dep or not is_relative.any():
            return index
        # The pronoun can be below a preposition and a noun: "to whose mother".
        above = tokens.heads
        for _ in range(3):
            above = np.where(tokens.is_verb[above], above, tokens.heads[above])
        # "Who came and who saw him": coordinated clauses have the same noun.
        clause = tokens.first_conjunct[above]
        is_relative &= tokens.has_role("relative clause")[clause]
        return np.where(is_relative, tokens.heads[clause], index)

    def contain(self, marks: Marks) -> Marks:
        """Find the mentions that contain a marked token."""
        counts = np.append(0, np.cumsum(marks))
        return counts[self.ends] > counts[self.starts]

    def find_best(self, places: Rows, marks: Marks, *keys: np.ndarray) -> Rows:
        """Find the marked mention at each token that is the last by some keys, of which
        the last one counts most; -1 for none, and as the last entry."""
        (rows,) = np.nonzero(marks)
        rows = rows[np.lexsort([key[rows] for key in keys])]
        found = np.full(len(self.words.index) + 2, -1)
        # Of several mentions at a token, the last assignment remains.
        found[places[rows]] = rows
        return found

    @staticmethod
    def find_pairs(one: Marks, other: Marks, later: Rows, earlier: Rows) -> Marks:
        """Find pairs of a mention with the first mark and one with the second one."""
        return (one[later] & other[earlier]) | (one[earlier] & other[later])

    def measure_distances(self, later: Rows, earlier: Rows) -> np.ndarray:
        """Measure the distances of pairs of mentions, in words between their heads.

        Mentions that are less salient than a subject or a pronoun count as farther away
        by a factor; see Grosz, Joshi and Weinstein (1995) on centering.
        """
        tokens, heads = self.tokens, self.heads
        is_subject = tokens.has_role("subject")[tokens.first_conjunct]
        factors = np.where(self.is_name, _NAME, _NOUN)
        factors[is_subject[heads] | self.is_pronoun] = 1
        return factors[earlier] * np.abs(heads[later] - heads[earlier])

    def are_alike(self, later: Rows, earlier: Rows) -> Marks:
        """Find pairs of mentions with the same words."""
        forms, sizes = self.words.index, self.ends - self.starts
        found = sizes[later] == sizes[earlier]
        for step in range(sizes[later[found]].max(initial=0)):
            (rows,) = np.nonzero(found & (step < sizes[later]))
            starts = self.starts[later[rows]], self.starts[earlier[rows]]
            found[rows] = forms[starts[0] + step] == forms[starts[1] + step]
        return found


def either_way(check: Callable[..., Marks]) -> Callable[..., Marks]:
    """Make a check of mentions in one order one that holds in either."""

    @wraps(check)
    def check_both(
        facts: MentionFeatures, later: Rows, earlier: Rows, *args: Any
    ) -> Marks:
        return check(facts, later, earlier, *args) | check(facts, earlier, later, *args)

    return check_both
