"""The candidate antecedents of mentions."""

import tracemalloc

import numpy as np
import pytest
from spacy.tokens import Doc

from spacy_fastcoref.models.ranker import candidates, features
from spacy_fastcoref.models.ranker.features import read_pairs

from ...conftest import blank
from ...grammar.docs import parse
from .conftest import find

LIMITS = {"max_sentences": 2, "max_dist": 3, "max_dist_match": 6}
TALK = (
    "I/PRON/nsubj/1 met/VERB/ROOT/- Ann/PROPN/dobj/1 ./PUNCT/punct/1 "
    "She/PRON/nsubj/5 saw/VERB/ROOT/- you/PRON/dobj/5 ./PUNCT/punct/5 "
    "We/PRON/nsubj/9 left/VERB/ROOT/- ./PUNCT/punct/9"
)


def make_doc(n_clauses, starts=lambda i: i % 4 == 0):
    words = ["Ann", "met", "her", "."] * n_clauses
    return Doc(
        blank("en").vocab,
        words=words,
        pos=["PROPN", "VERB", "PRON", "PUNCT"] * n_clauses,
        sent_starts=[starts(i) for i in range(len(words))],
    )


def list_arrays(found):
    return np.stack([found.later, found.earlier, found.n_shared]).tolist()


def test_blocks_of_mentions_do_not_matter(monkeypatch):
    doc = make_doc(20)
    found = find(doc, **LIMITS)
    pairs, read = list_arrays(found), read_pairs(found)
    assert set(read.reshape(-1).tolist()) == {0, 1}
    monkeypatch.setattr(candidates, "_N_ROWS", 3)
    monkeypatch.setattr(features, "_N_AT_ONCE", 2)
    assert list_arrays(find(doc, **LIMITS)) == pairs
    assert (read_pairs(found) == read).all()
    later, earlier, n_shared = pairs
    # The name is found again farther away than other mentions are.
    assert max(np.subtract(later, earlier)) == LIMITS["max_dist_match"]
    assert set(n_shared) == {0, 1}


def measure_peak(doc):
    tracemalloc.start()
    try:
        find(doc, **LIMITS)
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
    found = find(doc, **LIMITS)
    assert max(found.later - found.earlier) == 10


def list_pairs(found):
    doc, spans = found.doc, found.mentions
    texts = [doc[start:end].text for start, end in spans]
    pairs = zip(found.later, found.earlier, strict=True)
    return {(texts[later], texts[earlier]) for later, earlier in pairs}


def test_candidates_are_those_that_the_rules_permit(found):
    pairs = list_pairs(found)
    assert ("She", "Ann") in pairs
    assert ("the friend", "her old friend") in pairs
    # Binding: subject and object of the same verb.
    assert ("the friend", "She") not in pairs
    assert (np.diff(found.later) >= 0).all()


def test_a_shared_word_is_found_farther_away(doc):
    pair = ("the friend", "her old friend")
    near = find(doc, max_dist=1, max_dist_match=1)
    assert pair not in list_pairs(near)
    far = find(doc, max_dist=1, max_dist_match=9)
    assert pair in list_pairs(far)
    assert ("the friend", "Ann") not in list_pairs(far)


@pytest.mark.parametrize("blacklist, words", [(False, "I Ann She you We"), (True, 0)])
def test_blacklist(blacklist, words):
    doc = parse(blank("en").vocab, TALK)
    found = find(doc, blacklist=blacklist)
    texts = [doc[start:end].text for start, end in found.mentions.tolist()]
    assert texts == (words or "Ann She").split()
