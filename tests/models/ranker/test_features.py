"""Roles, clauses and repetitions of mentions, as features of the ranker."""

import numpy as np
import pytest
import spacy

from spacy_fastcoref.grammar.auto import find_rules
from spacy_fastcoref.models.ranker.candidates import Limits, find_candidates
from spacy_fastcoref.models.ranker.features import (
    N_PAIR,
    read_pairs,
)

from ...grammar.docs import parse

# Ann saw her dog. Ann said that Tom saw it.
TEXT = (
    "Ann/PROPN/nsubj/1 saw/VERB/ROOT/- her/PRON/poss/3 dog/NOUN/dobj/1 ./PUNCT/punct/1 "
    "Ann/PROPN/nsubj/6 said/VERB/ROOT/- that/SCONJ/mark/9 Tom/PROPN/nsubj/9 "
    "saw/VERB/ccomp/6 it/PRON/dobj/9 ./PUNCT/punct/6"
)


@pytest.fixture(scope="module")
def found():
    doc = parse(spacy.blank("en").vocab, TEXT)
    return find_candidates(find_rules("en"), doc, Limits())


def find_row(found, start):
    return found.facts.heads.tolist().index(start)


def test_subjects_are_nearer_than_nouns(found):
    facts = found.facts
    later = np.full(2, find_row(found, 10))
    earlier = np.array([find_row(found, head) for head in (5, 3)])
    # The second "Ann" is a subject; the dog is a noun, and counts as farther away.
    assert facts.measure_distances(later, earlier).tolist() == [5, 3 * 7]


def test_features_do_not_depend_on_blocks(found, monkeypatch):
    features = read_pairs(found)
    assert features.shape == (len(found.later), N_PAIR)
    assert set(features.reshape(-1).tolist()) == {0, 1}
    monkeypatch.setattr("spacy_fastcoref.models.ranker.features._N_AT_ONCE", 2)
    assert (read_pairs(found) == features).all()
