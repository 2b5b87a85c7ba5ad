"""Test that morphology selects readings of pronouns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_fastcoref.grammar.features import (
    ANYTHING,
    FEM_SEVERAL,
    FEMALE,
    FIRST,
    GROUP,
    MALE,
    MASC_SEVERAL,
    MASC_THING,
    NEUT_SEVERAL,
    ONE_PERSON,
    POSSESSIVE,
    REFLEXIVE,
    SEVERAL,
    THING,
    THIRD,
    find_clash,
    read_morph,
)
from spacy_fastcoref.grammar.lexicon import Lexicon
from spacy_fastcoref.grammar.tokens import Tokens

from ..conftest import blank

VOCAB = blank("xx").vocab
# A form for "to her", "her …", "their …" and "you", and one for "me" and "myself".
LEXICON = Lexicon(
    features={
        "Case=Dat|Gender=Fem|Number=Sing|Person=3|PronType=Prs": "si",
        "Gender=Fem|Number=Sing|Person=3|Poss=Yes|PronType=Prs": "si",
        "Number=Plur|Person=3|Poss=Yes|PronType=Prs": "si",
        "Case=Nom|Number=Plur|Person=2|PronType=Prs": "si",
        "Person=1|PronType=Prs": "mi",
        "Person=1|PronType=Prs|Reflex=Yes": "mi",
    }
)


def read(word, morph, pos="PRON", lexicon=LEXICON):
    """Return the agreement bits, the person and the flags of a word."""
    doc = Doc(VOCAB, words=[word], morphs=[morph], pos=[pos])
    features = Tokens(doc, lexicon)
    return features.as_pronoun[0], features.person[0], features.flags[0]


def test_pronoun_and_possessive_of_the_same_form():
    mask, person, flags = read(
        "si", "Case=Dat|Gender=Fem|Number=Sing|Person=3|PronType=Prs"
    )
    assert mask & FEMALE and not mask & (MALE | SEVERAL)
    assert person == THIRD and not flags & POSSESSIVE
    mask, person, flags = read("si", "Case=Acc|Poss=Yes|PronType=Prs", pos="DET")
    assert mask & FEMALE and mask & SEVERAL and not mask & MALE
    assert person == THIRD and flags & POSSESSIVE


@pytest.mark.parametrize("owner, several", [("Sing", False), ("Plur", True)])
def test_agreement_of_a_possessive_is_that_of_the_owner(owner, several):
    morph = f"Gender=Masc|Number=Plur|Number[psor]={owner}|Poss=Yes|PronType=Prs"
    mask, _, _ = read("si", morph)
    assert bool(mask & SEVERAL) == several and bool(mask & ONE_PERSON) != several


def test_form_without_morphology_can_be_anything():
    mask, person, flags = read("si", "")
    assert mask & FEMALE and mask & SEVERAL
    assert person == THIRD and not flags & POSSESSIVE


def test_reflexive_of_the_same_form():
    assert read("mi", "Person=1|PronType=Prs|Reflex=Yes")[1:] == (FIRST, REFLEXIVE)
    assert read("mi", "Person=1|PronType=Prs")[1:] == (FIRST, 0)
    assert read("mi", "")[1:] == (FIRST, 0)


@pytest.mark.parametrize(
    "feats, mask",
    [
        ("Animacy=Hum|Gender=Masc|Number=Plur", MASC_SEVERAL),
        ("Animacy=Nhum|Gender=Masc|Number=Plur", FEM_SEVERAL | NEUT_SEVERAL),
        ("Animacy=Inan|Gender=Masc|Number=Plur", FEM_SEVERAL | NEUT_SEVERAL),
        ("Animacy=Inan|Gender=Masc|Number=Sing", MASC_THING),
        ("Animacy=Inan|Gender=Fem|Number=Plur", FEM_SEVERAL),
    ],
)
def test_plurals_of_masculine_things_are_not_masculine(feats, mask):
    assert read_morph(feats) == mask


@pytest.mark.parametrize("pos", ["ADP", "AUX", "DET", "NOUN", "SCONJ", "VERB"])
def test_other_word_with_the_form_of_a_pronoun(pos):
    assert read("mi", "", pos=pos)[1] == 0


@pytest.mark.parametrize("dep, is_pronoun", [("nsubj", True), ("det", False)])
def test_determiner_with_the_form_of_a_pronoun(dep, is_pronoun):
    """Some taggers call a demonstrative without a noun a determiner."""
    doc = Doc(
        VOCAB,
        words=["mi", "runs"],
        pos=["DET", "VERB"],
        heads=[1, 1],
        deps=[dep, "ROOT"],
    )
    features = Tokens(doc, LEXICON)
    assert (features.person[0] > 0) == is_pronoun


GERMAN = Lexicon(
    features={
        "Gender=Fem|Number=Sing|Person=3": "sie",
        "Gender=Neut|Number=Sing|Person=3": "es",
    },
    neuter_people={"f": frozenset(("mädchen",)), "mf": frozenset(("kind",))},
)


def read_all(text, morphs):
    """Return the agreement bits of nouns and pronouns."""
    morphs = [f"Gender={morph}|Number=Sing" if morph else "" for morph in morphs]
    doc = Doc(VOCAB, words=text.split(), morphs=morphs)
    found = Tokens(doc, GERMAN)
    return [
        int(pronoun if person else noun)
        for pronoun, noun, person in zip(
            found.as_pronoun, found.as_noun, found.person, strict=True
        )
    ]


def test_neuter_noun_for_a_woman_agrees_in_grammar_and_in_meaning():
    girl, she, it, woman = read_all(
        "Schulmädchen sie es Frau", ["Neut", "Fem", "Neut", "Fem"]
    )
    assert girl & she & it
    assert woman & she and not woman & it and not woman & girl
    assert not girl & MALE


def test_neuter_pronouns_without_neuter_people():
    house, she, it = read_all("Haus sie es", ["Neut", "Fem", "Neut"])
    assert house & it and not house & she and not it & she


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
