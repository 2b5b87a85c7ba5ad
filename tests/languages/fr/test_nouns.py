"""Test which French nouns are for people."""

import pytest

from spacy_fastcoref.languages.fr.nouns import is_person_noun


@pytest.mark.parametrize("noun", ["dentiste", "psychologues", "actrice", "Élève"])
def test_people(noun):
    assert is_person_noun(noun.lower())


@pytest.mark.parametrize("noun", ["liste", "pistes", "dialogue", "catalogues", "table"])
def test_things(noun):
    assert not is_person_noun(noun)
