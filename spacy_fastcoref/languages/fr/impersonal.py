"""Find the impersonal "il" of French: "il pleut", "il faut", "il y a"."""

from typing import AbstractSet

import numpy as np

from ...grammar.resources import read_words
from ...grammar.tokens import Tokens
from ...grammar.word_index import Marks, is_sign

# The number of tokens from the pronoun to its predicate, and from it to a clause.
_TO_PREDICATE, _TO_CLAUSE = 7, 4


def find_impersonal(tokens: Tokens) -> Marks:
    """Find the impersonal "il", in the uses that grammars list.

    See Riegel, Pellat and Rioul, Grammaire méthodique du français (1994).
    """
    lexicon, lists, words = tokens.lexicon, tokens.lexicon.lists, tokens.words
    (rows,) = np.nonzero(words.find(lexicon.expletives))
    found = np.zeros(len(words.index), dtype=bool)
    if not len(rows):
        return found
    clause = _Clause(tokens, rows)
    is_participle = tokens.has_morph("VerbForm=Part")[clause.predicate]
    is_reflexive = clause.has({"se", "s'", "s’"})
    that = {"que", "qu'", "qu’"}
    is_that = clause.follows(that)
    then = is_that | clause.reaches(_find_prepositions(tokens), 1, _TO_CLAUSE)
    is_new = tokens.is_listed("partitives") | tokens.has_morph("Definite=Ind")
    is_new = is_new & tokens.is_pos("DET") | tokens.is_pos("NUM")
    has_new_noun = clause.reaches(is_new | tokens.has_word("un", "une"), 1, 1)
    # "Il y a", but not "il y a vécu".
    is_there = tokens.has_word("y") & np.append(tokens.is_listed("have")[1:], False)
    there = is_there[np.maximum(clause.before - 1, words.edges[0][clause.before])]
    there &= clause.predicate != clause.before
    there |= clause.reaches(is_there, -_TO_PREDICATE, 0)
    be = lexicon.copulas | {"été"}
    is_sure = clause.is_verb(lists["without a subject"])
    is_sure |= clause.is_word(lexicon.weather_verbs | lists["must"])
    is_sure |= there & (~is_participle | clause.is_word({"eu"}))
    is_sure |= is_reflexive & clause.is_verb({"agir"})
    is_sure |= is_reflexive & clause.has(lists["can"]) & clause.is_word(that)
    is_time = clause.is_word(lists["times"]) | clause.follows({"heure", "heures"}, 1)
    is_sure |= clause.has(be) & is_time
    is_sure |= clause.is_verb({"faire"}) & clause.follows(lists["weather"], 2)
    is_sure |= clause.is_verb(lists["with a clause"]) & then
    is_sure |= clause.is_verb({"valoir"}) & clause.follows({"mieux"}, 1)
    # "Il est certain de gagner" is somebody.
    is_sure_of = clause.is_word({"certain", "sûr"}) & ~is_that
    is_sure |= clause.has(be) & clause.is_word(lexicon.extraposing) & then & ~is_sure_of
    is_sure |= clause.has({"été"}) & is_participle & then
    is_sure |= clause.is_verb(lists["with a noun"]) & has_new_noun
    is_sure |= is_reflexive & clause.is_verb({"passer", "produire"}) & has_new_noun
    # Parsers take many subjects for expletives: "il est vieux", "il dit que".
    new_noun = has_new_noun & tokens.is_verb[clause.predicate]
    by_parse = tokens.has_role("expletive")[rows] & (then | new_noun)
    by_parse &= ~clause.is_verb(read_words(lexicon.lang, "person_verbs"))
    # A pronoun can double the subject: "Paul vient-il".
    by_parse &= tokens.own_subject[tokens.heads[rows]] < 0
    found[rows] = is_sure | by_parse
    return found


def _find_prepositions(tokens: Tokens) -> Marks:
    """Find prepositions before an infinitive and its clitics: "de le lui dire"."""
    is_infinitive = tokens.has_morph("VerbForm=Inf")
    for _ in range(2):
        is_before = np.append(is_infinitive[1:], False)
        is_infinitive = is_infinitive | (tokens.is_pos("PRON") & is_before)
    found = tokens.has_word("de", "d'", "d’", "à")
    return found & np.append(is_infinitive[1:], False)


class _Clause:
    """Hold the words after each "il", up to the predicate and a clause after it."""

    def __init__(self, tokens: Tokens, rows: np.ndarray) -> None:
        self.tokens, words, lexicon = tokens, tokens.words, tokens.lexicon
        n_tokens = len(words.index)
        # After a hyphen, the verb comes first: "pleut-il", "a-t-il fallu".
        is_inverted = tokens.has_word("-il", "-t-il")[rows]
        firsts = words.edges[0][rows]
        is_t = tokens.has_word("-t")
        before = np.maximum(rows - 1 - is_t[np.maximum(rows - 1, firsts)], firsts)
        skipped = lexicon.auxiliaries | lexicon.reflexives
        skipped |= lexicon.negations | lexicon.lists["not predicates"]
        is_skipped = words.find(skipped) | tokens.is_pos("ADV")
        is_skipped &= ~tokens.is_listed("times")
        is_skipped &= ~tokens.lemmas.find(lexicon.lists["with a clause"])
        ends = (words.map(is_sign) > 0) & ~tokens.has_word("-")
        ends |= words.find(lexicon.coordinators)
        columns = rows[:, None] + np.arange(1, _TO_PREDICATE + _TO_CLAUSE + 1)
        self.inside = columns < n_tokens
        self.columns = np.minimum(columns, n_tokens - 1)
        self.inside &= np.cumsum(ends[self.columns], axis=1) == 0
        opens = np.cumprod(is_skipped[self.columns] & self.inside, axis=1)
        n_skipped = np.minimum(opens.sum(axis=1), _TO_PREDICATE)
        # An inverted verb that is no auxiliary is the predicate itself.
        is_own = is_inverted & tokens.is_verb[before] & ~words.find(skipped)[before]
        self.n_skipped = np.where(is_own, -1, n_skipped)
        self.before = np.where(is_inverted, before, rows)
        places = np.minimum(rows + 1 + self.n_skipped, n_tokens - 1)
        exists = self.inside[np.arange(len(rows)), np.maximum(self.n_skipped, 0)]
        self.predicate = np.where(is_own, before, np.where(exists, places, rows))

    def reaches(self, marks: np.ndarray, start: int, stop: int) -> Marks:
        """Check for a marked word at some distances from the predicate."""
        steps = np.arange(self.columns.shape[1]) - self.n_skipped[:, None]
        in_reach = (steps >= start) & (steps <= stop) & self.inside
        return (marks[self.columns] & in_reach).any(axis=1)

    def has(self, forms: AbstractSet[str]) -> Marks:
        """Check for a word before the predicate."""
        marks = self.tokens.has_word(*forms)
        return self.reaches(marks, -_TO_PREDICATE, -1) | marks[self.before]

    def is_word(self, forms: AbstractSet[str]) -> Marks:
        """Check the form of the predicate."""
        return self.tokens.has_word(*forms)[self.predicate]

    def is_verb(self, lemmas: AbstractSet[str]) -> Marks:
        """Check the lemma of the predicate."""
        return self.tokens.lemmas.find(frozenset(lemmas))[self.predicate]

    def follows(self, forms: AbstractSet[str], reach: int = _TO_CLAUSE) -> Marks:
        """Check for a word after the predicate."""
        return self.reaches(self.tokens.has_word(*forms), 1, reach)
