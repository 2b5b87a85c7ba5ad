import numpy as np
from spacy.tokens import Doc

from spacy_fastcoref.grammar.nesting import find_appositions, find_clauses
from spacy_fastcoref.languages.en.rules import EnglishRules

from ..conftest import blank
from .links import link_all

NLP = blank("en")
RULES = EnglishRules()


def describe(words, heads, deps, pos, mentions):
    doc = Doc(NLP.vocab, words=words.split(), heads=heads, deps=deps, pos=pos)
    links = link_all(np.array(mentions))
    links.mention_scores[:] = 1.0
    return doc, links, RULES.describe(doc, links)


def test_apposition():
    doc, links, facts = describe(
        "The president , Ann Lee , smiled",
        [1, 6, 1, 4, 1, 1, 6],
        ["det", "nsubj", "punct", "compound", "appos", "punct", "ROOT"],
        ["DET", "NOUN", "PUNCT", "PROPN", "PROPN", "PUNCT", "VERB"],
        [(0, 2), (3, 5)],
    )
    assert find_appositions(facts).tolist() == [-1, 0]
    assert RULES(doc, links).must_links.tolist() == [-1, 0]
    off = EnglishRules(disabled=["apposition"])
    assert off(doc, links).must_links.tolist() == [-1, -1]


def test_apposition_without_agreement():
    _, _, facts = describe(
        "The lawyers , Ann , smiled",
        [1, 5, 1, 1, 1, 5],
        ["det", "nsubj", "punct", "appos", "punct", "ROOT"],
        ["DET", "NOUN", "PUNCT", "PROPN", "PUNCT", "VERB"],
        [(0, 2), (3, 4)],
    )
    assert find_appositions(facts).tolist() == [-1, -1]


def test_clauses_are_not_mentions():
    _, _, facts = describe(
        "The dog lost its bone",
        [1, 2, 2, 4, 2],
        ["det", "nsubj", "ROOT", "poss", "dobj"],
        ["DET", "NOUN", "VERB", "PRON", "NOUN"],
        [(0, 2), (0, 5), (2, 3), (3, 5)],
    )
    assert find_clauses(facts).tolist() == [False, True, False, False]
    assert facts.is_crossed[1]
