"""Test the gender of Polish names without morphology."""

import pytest

from spacy_fastcoref.grammar.features import FEMALE, MALE
from spacy_fastcoref.languages.pl.rules import find_name


@pytest.mark.parametrize(
    "form, mask",
    [
        ("marek", MALE),
        ("marka", MALE),
        ("markiem", MALE),
        ("piotrze", MALE),
        ("jerzego", MALE),
        ("kuby", MALE),
        ("jasia", MALE),
        ("kasi", FEMALE),
        ("kasią", FEMALE),
        ("marii", FEMALE),
        ("annie", FEMALE),
        ("olgi", FEMALE),
        # A man in the genitive, and a woman in the nominative.
        ("stanisława", MALE | FEMALE),
        ("kowalskiego", MALE),
        ("wiśniewską", FEMALE),
        ("dom", 0),
    ],
)
def test_forms(form, mask):
    assert find_name(form) & (MALE | FEMALE) == mask
