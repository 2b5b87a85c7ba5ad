"""Which words are names, with no annotation at all."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref.languages.en.rules import EnglishRules
from spacy_fastcoref.rules.agreement import MALE

from ...rules.links import link_all

RULES = EnglishRules(disabled=(), warns=False)
NLP = spacy.blank("en")


@pytest.mark.parametrize(
    ("start", "is_family"),
    [
        ("But Ann", False),
        ("It rained . Today Ann", False),
        ("“ Hi Ann", False),
        ("Knowing Ann", False),
        # What is written small elsewhere.
        ("The grocer left . Grocer Ann", False),
        ("Will Ann", True),
        ("Smith Ann", True),
        ("Tom met Dear Ann", True),
        ("Priyanka Ann", True),
    ],
)
def test_what_begins_a_sentence_is_no_given_name(start, is_family):
    """By which Ann would be a family name, of a man too, wherever she stands."""
    doc = NLP(f"{start} came in . Ann sang .")
    facts = RULES.read(doc, np.array([[len(doc) - 3, len(doc) - 2]]))
    assert bool(facts.agreement[0] & MALE) == is_family


@pytest.mark.parametrize(
    ("text", "is_name"),
    [
        ("The US left .", True),
        ("The WHO left .", True),
        ("The IT failed .", True),
        ("Tell US NOW .", False),
        ("TELL US .", False),
        ("Us left .", False),
        ("They left us .", False),
    ],
)
def test_pronouns_that_are_names_in_capitals(text, is_name):
    doc = NLP(text)
    (i,) = (token.i for token in doc if token.lower_ in ("it", "us", "who"))
    start = i - (doc[0].text == "The")
    facts = RULES.read(doc, np.array([[i, i + 1], [start, i + 1]]))
    assert facts.heads.tolist() == [i, i]
    assert facts.is_name[0] == is_name and facts.is_pronoun[0] != is_name


@pytest.mark.parametrize(
    ("text", "inner", "is_part"),
    [
        ("Ngozi Okonjo-Iweala", (0, 2), True),
        ("Okonjo-Iweala", (0, 1), True),
        ("Okonjo-Iweala", (2, 3), True),
        ("Okonjo - Iweala", (0, 1), False),
        ("Okonjo-led", (0, 1), False),
    ],
)
def test_no_name_ends_within_a_hyphenated_one(text, inner, is_part):
    """Whatever the model finds the likelier."""
    doc = NLP(text)
    links = link_all(np.array(sorted([(0, len(doc)), inner])))
    is_inner = (links.mentions == inner).all(1)
    links.mention_scores[:] = np.where(is_inner, 2.0, 1.0)
    assert RULES.describe(doc, links).is_part[is_inner].tolist() == [is_part]


def test_a_tag_tells_pronouns_from_names():
    for tag in ("PRON", "PROPN"):
        doc = Doc(NLP.vocab, words=["Tell", "US", "."], pos=["VERB", tag, "PUNCT"])
        facts = RULES.read(doc, np.array([[1, 2]]))
        assert facts.is_name[0] == (tag == "PROPN")
        assert facts.is_pronoun[0] == (tag == "PRON")
