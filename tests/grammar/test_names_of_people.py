import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.grammar.features import (
    ANYTHING,
    NEUT_PERSON,
    NO_PERSON,
    ONE_PERSON,
)
from spacy_fastcoref.grammar.mention_features import ANY_NAME
from spacy_fastcoref.grammar.people import find_initial, make_aspect

MASKS = st.integers(1, ANYTHING)
NAMES = st.sampled_from("anna karl charles iván yvonne zoe sara walter é".split())


@given(st.tuples(MASKS, MASKS), st.tuples(NAMES, NAMES))
def test_names_keep_only_people_apart(masks, names):
    initials = np.array([find_initial(name) for name in names])
    left, right = make_aspect(np.array(masks), initials).tolist()
    person = ONE_PERSON | NEUT_PERSON
    are_people = all(mask & person for mask in masks) and initials[0] & initials[1]
    are_others = all(mask & NO_PERSON for mask in masks)
    assert bool(left & right) == bool(are_people or are_others)


@given(MASKS, MASKS)
def test_agreement_without_names(left, right):
    ways = make_aspect(np.array([left, right]), np.full(2, ANY_NAME)).tolist()
    assert ways[0] & ways[1] or not left & right


@pytest.mark.parametrize(
    ("left", "right", "are_one"),
    [("carl", "karl", 1), ("ivan", "yvan", 1), ("anna", "bert", 0), ("é", "a", 1)],
)
def test_spelling_variants_of_names(left, right, are_one):
    assert bool(find_initial(left) & find_initial(right)) == are_one
