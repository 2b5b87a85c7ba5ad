import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.rules.agreement import (
    ANY_INITIAL,
    ANYTHING,
    FEMALE,
    MALE,
    ONE_PERSON,
    THING,
    add_initials,
    find_family_ways,
    find_initial,
)

MASKS = st.integers(1, ANYTHING)
NAMES = st.sampled_from("anna karl charles iván yvonne zoe sara walter é".split())


@given(st.tuples(MASKS, MASKS), st.tuples(NAMES, NAMES))
def test_names_tell_nobody_but_people_apart(masks, names):
    initials = np.array([find_initial(name) for name in names])
    left, right = add_initials(np.array(masks), initials).tolist()
    shared = masks[0] & masks[1]
    are_people = bool(shared & ONE_PERSON) and bool(initials[0] & initials[1])
    assert bool(left & right) == (bool(shared & ~ONE_PERSON) or are_people)


@given(MASKS, MASKS)
def test_without_names_nothing_changes(left, right):
    wide = add_initials(np.array([left, right]), np.full(2, ANY_INITIAL)).tolist()
    assert bool(wide[0] & wide[1]) == bool(left & right)


@pytest.mark.parametrize(
    ("left", "right", "are_one"),
    [("carl", "karl", 1), ("ivan", "yvan", 1), ("anna", "bert", 0), ("é", "a", 1)],
)
def test_spellings_of_one_name(left, right, are_one):
    assert bool(find_initial(left) & find_initial(right)) == are_one


def test_every_way_has_a_bit_of_its_own():
    ways = [MALE, FEMALE, THING]
    initials = np.full(len(ways), find_initial("w"))
    wide = add_initials(np.array(ways), initials).tolist()
    assert all(wide) and sum(wide) == wide[0] | wide[1] | wide[2]


@given(st.tuples(MASKS, MASKS), st.tuples(st.integers(-1, 62), st.integers(-1, 62)))
def test_families_tell_nobody_but_people_apart(masks, families):
    left, right = find_family_ways(np.array(masks), np.array(families)).tolist()
    is_one = families[0] == families[1] or min(families) < 0
    are_people = all(mask & ONE_PERSON for mask in masks) and is_one
    are_others = all(mask & ~ONE_PERSON for mask in masks)
    assert bool(left & right) == (are_people or are_others)


def test_any_number_of_families():
    """Few are taken for one; none is lost."""
    families = np.arange(1000)
    ways = find_family_ways(np.full(1000, MALE), families)
    assert (ways > 0).all() and len(np.unique(ways)) > 60
