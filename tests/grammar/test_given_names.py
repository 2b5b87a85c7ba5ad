"""Test the look-up of given names."""

import pytest

from spacy_fastcoref.grammar.features import FEMALE, MALE, ONE_PERSON
from spacy_fastcoref.grammar.names import list_given_names, make_name_reader


@pytest.mark.parametrize(
    "name, mask",
    [
        ("peter", MALE),
        ("mary", FEMALE),
        # The first part of a compound decides.
        ("peter-mary", MALE),
        ("mary-xyz", FEMALE),
        ("robin", ONE_PERSON),
        ("xyz", 0),
        ("-", 0),
    ],
)
def test_genders(name, mask):
    assert make_name_reader("en")(name) == mask


def test_lists_of_a_language_precede_the_shared_ones():
    assert make_name_reader("fr")("jean") == MALE
    assert make_name_reader("en")("jean") != MALE
    assert make_name_reader("fr")("peter") == MALE


def test_given_names():
    assert list_given_names("en") < list_given_names("fr")
    assert "mary" in list_given_names("fr")
