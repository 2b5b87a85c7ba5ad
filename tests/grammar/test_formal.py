"""Test pronouns whose capital letter addresses somebody."""

import spacy
from spacy.tokens import Doc

from spacy_fastcoref.grammar.features import FEMALE, MALE, SECOND, SEVERAL, THIRD
from spacy_fastcoref.grammar.lexicon import Lexicon
from spacy_fastcoref.grammar.tokens import Tokens

LEXICON = Lexicon(
    features={"Gender=Fem|Number=Sing|Person=3": "sie"}, formal=frozenset(("sie",))
)


def read(text):
    doc = Doc(spacy.blank("xx").vocab, words=text.split())
    features = Tokens(doc, LEXICON)
    (places,) = features.words.find(LEXICON.formal).nonzero()
    return [int(person) for person in features.person[places]], features, places


def test_capital_inside_of_a_sentence():
    persons, features, (place,) = read("Kennen Sie Ulm ?")
    assert persons == [SECOND]
    mask = features.as_pronoun[place]
    assert mask & MALE and mask & FEMALE and mask & SEVERAL


def test_small_letter_and_first_word():
    assert read("Kennt sie Ulm ?")[0] == [THIRD]
    assert read("Sie kennt Ulm . Sie lebt dort .")[0] == [THIRD, THIRD]


def test_first_word_of_a_quotation_or_after_a_colon():
    assert read("Er rief : » Sie lebt ! «")[0] == [THIRD]
    assert read("Er wusste : Sie lebt .")[0] == [THIRD]


def test_comma_begins_no_sentence():
    assert read("Gut , Sie kennen ihn .")[0] == [SECOND]
