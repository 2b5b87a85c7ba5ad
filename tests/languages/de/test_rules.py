"""Test which German nouns are for people."""

import pytest
from spacy.tokens import Doc

from spacy_fastcoref import find_anaphors
from spacy_fastcoref.languages.de.rules import is_person

from ...conftest import blank


@pytest.mark.parametrize(
    "noun", ["Lehrerin", "Konzernchefin", "Ärztinnen", "Söhne", "Kunden", "Pianist"]
)
def test_nouns_for_people(noun):
    assert is_person(noun.lower())


@pytest.mark.parametrize(
    "noun", ["Computer", "Angebote", "Gewerbe", "Frühling", "Ei", "Liste"]
)
def test_nouns_for_things(noun):
    assert not is_person(noun.lower())


def test_invisible_characters_are_ignored():
    doc = Doc(blank("de").vocab, words=["Er", "sieht", "si\u00adch"])
    assert len(find_anaphors(doc)) == 2
