"""Find the impersonal "il" of French: "il pleut", "il faut", "il y a"."""

from typing import AbstractSet

import numpy as np

from ...grammar.resources import read_words
from ...grammar.tokens import Tokens
from ...grammar.word_index import Marks, is_sign

# The number of tokens from the pronoun to its predicate, and from it to a clause.
_TO_PREDICATE, _TO_CLAUSE = 7, 4


def find_impersonal(tokens: Tokens) -> Marks:
    """Find the impersonal "il".

    Grammars list these uses: verbs of the weather and "falloir"; "il y a" and "il
    s'agit"; "il est tard" and "il fait froid"; and predicates with a clause or a new
    noun in the place of the subject ("il semble que", "il est décidé de", "il existe
    un"). See Riegel, Pellat and Rioul, Grammaire méthodique du français (1994).
    """
    lexicon = tokens.lexicon
    (rows,) = np.nonzero(tokens.words.find(lexicon.expletives))
    found = np.zeros(len(tokens.words.index), dtype=bool)
    if not len(rows):
        return found
    clause = _Clause(tokens, rows)
    lists = lexicon.lists
    that = {"que", "qu'", "qu’"}
    is_that = clause.follows(that)
    then = is_that | clause.leads_to_infinitive
    be = lexicon.copulas | {"été"}
    is_sure = clause.is_verb(lists["without a subject"])
    is_sure |= clause.is_word(lexicon.weather_verbs | lists["must"])
    is_sure |= clause.is_there
    is_sure |= clause.is_reflexive & clause.is_verb({"agir"})
    is_sure |= clause.is_reflexive & clause.has(lists["can"]) & clause.is_word(that)
    is_time = clause.is_word(lists["times"]) | clause.follows({"heure", "heures"}, 1)
    is_sure |= clause.has(be) & is_time
    does = clause.is_verb({"faire"})
    is_sure |= does & clause.follows(lists["weather"], 2)
    is_sure |= clause.is_verb(lists["with a clause"]) & then
    is_sure |= clause.is_verb({"valoir"}) & clause.follows({"mieux"}, 1)
    # "Il est certain de gagner" is somebody.
    is_sure_of = clause.is_word({"certain", "sûr"}) & ~is_that
    is_sure |= clause.has(be) & clause.is_word(lexicon.extraposing) & then & ~is_sure_of
    is_sure |= clause.has({"été"}) & clause.is_participle & then
    is_sure |= clause.is_verb(lists["with a noun"]) & clause.has_new_noun
    passes = clause.is_reflexive & clause.is_verb({"passer", "produire"})
    is_sure |= passes & clause.has_new_noun
    # Parsers take many subjects for expletives: "il est vieux", "il dit que".
    new_noun = clause.has_new_noun & tokens.is_verb[clause.predicate]
    by_parse = tokens.has_role("expletive")[rows] & (then | new_noun)
    by_parse &= ~clause.is_verb(read_words(lexicon.lang, "person_verbs"))
    # A pronoun can double the subject: "Paul vient-il".
    by_parse &= tokens.own_subject[tokens.heads[rows]] < 0
    found[rows] = is_sure | by_parse
    return found


class _Clause:
    """Hold the words after each "il", up to the predicate and a clause after it."""

    def __init__(self, tokens: Tokens, rows: np.ndarray) -> None:
        self.tokens, self.words = tokens, tokens.words
        lexicon, n_tokens = tokens.lexicon, len(tokens.words.index)
        lists = lexicon.lists
        is_verb = self.tokens.is_verb
        # After a hyphen, the verb comes first: "pleut-il", "a-t-il fallu".
        is_inverted = tokens.has_word("-il", "-t-il")[rows]
        firsts = self.words.edges[0][rows]
        is_t = tokens.has_word("-t")
        before = np.maximum(rows - 1 - is_t[np.maximum(rows - 1, firsts)], firsts)
        skipped = lexicon.auxiliaries | lexicon.reflexives
        skipped |= lexicon.negations | lists["not predicates"]
        is_skipped = self.words.find(skipped) | self.tokens.is_pos("ADV")
        is_skipped &= ~tokens.is_listed("times")
        is_skipped &= ~self.tokens.lemmas.find(lists["with a clause"])
        ends = (self.words.map(is_sign) > 0) & ~tokens.has_word("-")
        ends |= self.words.find(lexicon.coordinators)
        columns = rows[:, None] + np.arange(1, _TO_PREDICATE + _TO_CLAUSE + 1)
        self.inside = columns < n_tokens
        self.columns = np.minimum(columns, n_tokens - 1)
        self.inside &= np.cumsum(ends[self.columns], axis=1) == 0
        opens = np.cumprod(is_skipped[self.columns] & self.inside, axis=1)
        n_skipped = np.minimum(opens.sum(axis=1), _TO_PREDICATE)
        # An inverted verb that is no auxiliary is the predicate itself.
        is_own = is_inverted & is_verb[before] & ~self.words.find(skipped)[before]
        self.n_skipped = np.where(is_own, -1, n_skipped)
        self.before = np.where(is_inverted, before, rows)
        places = np.minimum(rows + 1 + self.n_skipped, n_tokens - 1)
        exists = np.take_along_axis(
            self.inside, np.maximum(self.n_skipped, 0)[:, None], 1
        )[:, 0]
        self.predicate = np.where(is_own, before, np.where(exists, places, rows))

    def _is(self, marks: np.ndarray, start: int, stop: int) -> np.ndarray:
        """Check for a marked word at some distances from the predicate."""
        steps = np.arange(self.columns.shape[1]) - self.n_skipped[:, None]
        in_reach = (steps >= start) & (steps <= stop) & self.inside
        return (marks[self.columns] & in_reach).any(axis=1)

    def has(self, forms: AbstractSet[str]) -> np.ndarray:
        """Check for a word before the predicate. Shape (n_rows,), bool."""
        marks = self.tokens.has_word(*forms)
        return self._is(marks, -_TO_PREDICATE, -1) | marks[self.before]

    def is_word(self, forms: AbstractSet[str]) -> np.ndarray:
        """Check the form of the predicate. Shape (n_rows,), bool."""
        return self.tokens.has_word(*forms)[self.predicate]

    def is_verb(self, lemmas: AbstractSet[str]) -> np.ndarray:
        """Check the lemma of the predicate. Shape (n_rows,), bool."""
        return self.tokens.lemmas.find(frozenset(lemmas))[self.predicate]

    def follows(self, forms: AbstractSet[str], reach: int = _TO_CLAUSE) -> np.ndarray:
        """Check for a word after the predicate. Shape (n_rows,), bool."""
        return self._is(self.tokens.has_word(*forms), 1, reach)

    @property
    def is_reflexive(self) -> np.ndarray:
        """Shape (n_rows,), bool: verbs with "se"."""
        return self.has({"se", "s'", "s’"})

    @property
    def is_participle(self) -> np.ndarray:
        """Shape (n_rows,), bool: predicates that are participles."""
        return self.tokens.has_morph("VerbForm=Part")[self.predicate]

    @property
    def leads_to_infinitive(self) -> np.ndarray:
        """Shape (n_rows,), bool: predicates before "de" or "à" and an infinitive."""
        is_infinitive = self.tokens.has_morph("VerbForm=Inf")
        for _ in range(2):
            # Clitics come between: "de le lui dire".
            is_clitic = self.tokens.is_pos("PRON")
            is_infinitive = is_infinitive | (
                is_clitic & np.append(is_infinitive[1:], False)
            )
        marks = self.tokens.has_word("de", "d'", "d’", "à")
        marks &= np.append(is_infinitive[1:], False)
        return self._is(marks, 1, _TO_CLAUSE)

    @property
    def has_new_noun(self) -> np.ndarray:
        """Shape (n_rows,), bool: predicates before an indefinite noun phrase."""
        tokens = self.tokens
        marks = self.tokens.has_word("un", "une")
        if tokens.has_pos:
            is_new = tokens.is_listed("partitives")
            is_new |= tokens.has_morph("Definite=Ind")
            marks |= is_new & tokens.is_pos("DET")
            marks |= tokens.is_pos("NUM")
        return self._is(marks, 1, 1)

    @property
    def is_there(self) -> np.ndarray:
        """Shape (n_rows,), bool: "il y a", but not "il y a vécu"."""
        there, has = self.tokens.has_word("y"), self.tokens.is_listed("have")
        marks = there & np.append(has[1:], False)
        found = self._is(marks, -_TO_PREDICATE, 0) | (
            marks[np.maximum(self.before - 1, self.words.edges[0][self.before])]
            & (self.predicate != self.before)
        )
        return found & (~self.is_participle | self.is_word({"eu"}))
