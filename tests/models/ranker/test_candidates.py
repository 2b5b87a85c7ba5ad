"""The candidates of long documents."""

import tracemalloc

import numpy as np
import spacy
from spacy.tokens import Doc

from spacy_fastcoref.grammar.auto import find_rules
from spacy_fastcoref.models.ranker import candidates
from spacy_fastcoref.models.ranker.candidates import Limits, find_candidates

LIMITS = Limits(max_sentences=2, max_dist=3, max_dist_match=6)


def make_doc(n_clauses, starts=lambda i: i % 4 == 0):
    words = ["Ann", "met", "her", "."] * n_clauses
    return Doc(
        spacy.blank("en").vocab,
        words=words,
        pos=["PROPN", "VERB", "PRON", "PUNCT"] * n_clauses,
        sent_starts=[starts(i) for i in range(len(words))],
    )


def list_pairs(found):
    return np.stack([found.later, found.earlier, found.n_shared]).tolist()


def test_blocks_of_mentions_do_not_matter(monkeypatch):
    doc, rules = make_doc(20), find_rules("en")
    pairs = list_pairs(find_candidates(rules, doc, LIMITS))
    monkeypatch.setattr(candidates, "_N_ROWS", 3)
    assert list_pairs(find_candidates(rules, doc, LIMITS)) == pairs
    later, earlier, n_shared = pairs
    # The name is found again farther away than other mentions are.
    assert max(np.subtract(later, earlier)) == LIMITS.max_dist_match
    assert set(n_shared) == {0, 1}


def measure_peak(doc):
    tracemalloc.start()
    try:
        find_candidates(find_rules("en"), doc, LIMITS)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_is_linear_in_mentions_of_one_name(monkeypatch):
    monkeypatch.setattr(candidates, "_N_ROWS", 50)
    short, long = make_doc(400), make_doc(1600)
    measure_peak(short)
    assert measure_peak(long) < 6 * measure_peak(short)


def test_pronouns_of_an_endless_sentence_have_few_candidates(monkeypatch):
    monkeypatch.setattr(candidates, "_MOST", 10)
    # The first sentence has one word.
    doc = make_doc(30, starts=lambda i: i < 2)
    found = find_candidates(find_rules("en"), doc, LIMITS)
    assert max(found.later - found.earlier) == 10
