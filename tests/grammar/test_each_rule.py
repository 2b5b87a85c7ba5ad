"""Test rules that ask who speaks, and how the model links names."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_fastcoref.languages.en.rules import EnglishRules

from .links import link_all

NLP = spacy.blank("en")
RULES = EnglishRules(disabled=())
ONE, TWO = np.array([1]), np.array([0])


@pytest.mark.parametrize("second, holds", [("Ben", True), ("Ann", False)])
def test_speaker(second, holds):
    doc = Doc(NLP.vocab, words="I go I stay".split())
    doc.spans["speakers"] = [Span(doc, 0, 2, "Ann"), Span(doc, 2, 4, second)]
    facts = RULES.describe(doc, link_all([(0, 1), (2, 3)]))
    assert ("speaker" in RULES.find_reasons(facts, ONE, TWO)[0]) == holds


@pytest.mark.parametrize(("last", "named"), [("Musk", [-1, 0]), ("Lee", [-1, -1])])
def test_namesake(last, named):
    doc = Doc(NLP.vocab, words=f"Elon Musk sang . Mr. {last} left .".split())
    links = link_all([(0, 2), (4, 6)])
    # A model that links them decides itself.
    links.scores[links.scores > 0] = -1.0
    assert RULES(doc, links).must_links.tolist() == named
    off = EnglishRules(disabled=["namesake"])
    assert off(doc, links).must_links.tolist() == [-1, -1]


@pytest.mark.parametrize(("linked", "are_one"), [(False, False), (True, True)])
def test_other_name(linked, are_one):
    """Keep people of different names apart, unless the model links the names."""
    doc = Doc(NLP.vocab, words="Mr. Smith sang . Mr. Walker left .".split())
    links = link_all([(0, 2), (4, 6)])
    links.scores[links.scores > 0] = 1.0 if linked else -1.0
    agreement = EnglishRules(())(doc, links).agreement
    assert bool((agreement[0] & agreement[1]).all()) == are_one
    off = EnglishRules(["other_name"])(doc, links).agreement
    assert (off[0] & off[1]).all()
