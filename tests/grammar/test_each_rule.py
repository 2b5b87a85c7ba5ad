"""Test rules that ask who speaks, and how the model links names."""

import numpy as np
import pytest
from spacy.tokens import Doc, Span

from spacy_fastcoref.grammar.speech import number_speakers
from spacy_fastcoref.languages.en.rules import EnglishRules

from ..conftest import blank
from ..languages.read import read_brackets
from .links import link_all

NLP = blank("en")
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


def test_narrator_is_not_a_speaker():
    doc = NLP('I sang . " I lie , " said Tom . " I do , " I said . I saw Tom .')
    found = [t.i for t in doc if t.text in ("I", "Tom")]
    facts = RULES.describe(doc, link_all([(i, i + 1) for i in found]))
    one, tom, two, three, four = (
        np.array([i]) for i, t in enumerate(found) if doc[t].text == "I"
    )

    def is_held(later, earlier):
        return "narrator" in RULES.find_reasons(facts, later, earlier)[0]

    assert is_held(tom, one) and is_held(four, tom)
    assert not is_held(two, one) and not is_held(three, one) and not is_held(four, two)


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ('" I lie , " said [Ann] \'s son .', False),
        ('" I lie , " said [[Ann] \'s son] .', True),
        ('" I lie , " [[Ann] \'s son] said .', True),
        ('The wife of [Tom] said : " I lie . "', False),
        ('[The wife of [Tom]] said : " I lie . "', True),
        ('[Tom] said : " I lie . "', True),
    ],
)
def test_possessors_are_not_speakers(text, speaks):
    words, mentions = read_brackets(text)
    me = words.index("I")
    mentions = sorted([*mentions, (me, me + 1)])
    must_links = RULES(
        Doc(NLP.vocab, words=words), link_all(np.array(mentions))
    ).must_links
    found = int(must_links[mentions.index((me, me + 1))])
    longest = max(mentions, key=lambda mention: mention[1] - mention[0])
    assert found == (mentions.index(longest) if speaks else -1)


def test_turns_without_a_label_have_no_speaker(en_vocab):
    doc = Doc(en_vocab, words="I saw you . I left .".split())
    doc.spans["speakers"] = [doc[0:4], Span(doc, 4, 5, "Ann"), doc[5:7]]
    assert number_speakers(doc).tolist() == [0, 0, 0, 0, 1, 0, 0]
