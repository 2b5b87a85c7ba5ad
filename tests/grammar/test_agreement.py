import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.grammar.features import (
    ANYTHING,
    FEMALE,
    GROUP,
    MALE,
    ONE_PERSON,
    SEVERAL,
    THING,
    find_clash,
)

MASKS = st.integers(1, ANYTHING)


@pytest.mark.parametrize(
    ("left", "right", "clash"),
    [
        (MALE, FEMALE, "gender"),
        (MALE, THING, "animacy"),
        (ONE_PERSON, SEVERAL, "number"),
        (GROUP | THING, GROUP | SEVERAL, ""),
        (ANYTHING, MALE, ""),
    ],
)
def test_disagreement(left, right, clash):
    assert find_clash(np.array([left]), np.array([right])).tolist() == [clash]
    assert find_clash(np.array([right]), np.array([left])).tolist() == [clash]


@given(MASKS, MASKS)
def test_disagreement_has_a_name(left, right):
    (found,) = find_clash(np.array([left]), np.array([right]))
    assert (found == "") == bool(left & right)
