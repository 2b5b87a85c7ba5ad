"""Test the rules with the shipped model on sentences with two people."""

import pytest

from spacy_fastcoref.grammar.features import FEMALE, MALE, ONE_PERSON
from spacy_fastcoref.grammar.names import list_given_names, make_name_reader

SENTENCES = [
    ("The woman looked down and saw Lesley. She stood up and greeted {}.", "She"),
    ("The girl ran out and met Alex. She waved and called {}.", "She"),
    ("The boy looked back and saw Sam. He waited and helped {}.", "He"),
]


@pytest.mark.parametrize("sentence, subject", SENTENCES)
@pytest.mark.parametrize("pronoun", ["him", "her"])
def test_subject_and_object_are_kept_apart(shipped_nlp, sentence, subject, pronoun):
    doc = shipped_nlp(sentence.format(pronoun))
    found = [[doc.text[a:z] for a, z in c] for c in doc._.coref_clusters]
    of_subject, of_object = (
        [cluster for cluster in found if word in cluster] for word in (subject, pronoun)
    )
    assert len(of_subject) == len(of_object) == 1
    assert of_subject != of_object
    # Each is one of the two who were there, and not the same one.
    assert all(len(cluster) == 2 for cluster in found)
    if (subject == "She") != (pronoun == "her"):
        # Only one of them can be a man, or a woman.
        assert of_object[0][0] == sentence.split(".")[0].split()[-1]


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
