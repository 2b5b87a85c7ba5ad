"""Other names that a text gives, right after the one it has."""

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_fastcoref.decoding.decode import decode
from spacy_fastcoref.languages.en.rules import DISABLED, EnglishRules

from ...rules.links import link_all
from .cases.read import read_brackets

NLP = spacy.blank("en")
RULES = EnglishRules(DISABLED, warns=False)


def judge(text, score=-1.0):
    """Judge mentions in brackets, each linked with all before it, so strongly."""
    words, mentions = read_brackets(text)
    links = link_all(np.array(mentions, dtype=np.int32).reshape(-1, 2))
    links.scores[links.antecedents >= 0] = score
    return links, RULES(Doc(NLP.vocab, words=words), links)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("[Hall] was born [Shirley Grossman] in Ohio .", True),
        ("[Madonna] ( born [Madonna Louise Ciccone] ) sang .", True),
        ("[Madonna] , who was born [Madonna Ciccone] , sang .", True),
        ("[Bonnie Tyler] ( then known as [Gaynor Hopkins] ) sang .", True),
        ("[Anna McDoulet] , better known as [Cattle Annie] , rode .", True),
        ("[Joanna] ( also known as [Juanna] ) ruled .", True),
        ("[Blossom Rock] , aka [Marie Blake] , sang .", True),
        ("[York] was known as [Eboracum] .", True),
        # A date, a place
        ("[Sahara Smith] ( born [September] 26 ) sang .", False),
        ("[Ian Parkin] , born [Wakefield] , sang .", False),
        ("A part of [London] known as [Soho] .", False),
        # Something else stands between.
        ("[Hall] sang when she was born [Shirley Grossman] .", False),
        ("[Hall] and the known as [Marie Blake] sang .", False),
        ("[Hall] called [Marie Blake] .", False),
        ("Known as [Marie Blake] , [Hall] sang .", False),
        # A man and a woman
        ("[Mr. Hall] was born [Mary Grossman] .", False),
    ],
)
def test_who_has_another_name(text, is_one):
    links, judged = judge(text)
    assert judged.must_links.tolist() == [-1, 0 if is_one else -1]
    assert len(decode(links, judged, costs=RULES.costs)) == is_one


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("[My sister] [Amy] left . [She] sang . [Amy] sat .", True),
        ("It was [the man] [Adam] . [He] sang . [Adam] sat .", True),
        ("[My sister] , [Amy] , left . [She] sang . [Amy] sat .", False),
        ("[My street] [Amy] likes . [It] sang . [Amy] sat .", False),
        ("[My Sister] [Amy] left . [She] sang . [Amy] sat .", False),
        ("[Doctor] [Amy] left . [She] sang . [Amy] sat .", False),
    ],
)
def test_a_name_right_after_who_has_it(text, is_one):
    words, mentions = read_brackets(text)
    links = link_all(np.array(mentions, dtype=np.int32))
    links.scores[links.antecedents >= 0] = -1.0
    doc = Doc(NLP.vocab, words=words)
    # Of what the model links with nothing nothing is asked.
    assert RULES(doc, links).must_links[1] == -1
    for later, earlier in ((2, 0), (3, 1)):
        links.scores[later, links.antecedents[later] == earlier] = 1.0
    assert (RULES(doc, links).must_links[1] == 0) == is_one


def test_what_the_model_links_stays_so():
    text = "[A girl] sang . [Hall] was born [Shirley Grossman] ."
    assert judge(text, score=1.0)[1].must_links.tolist() == [-1, -1, -1]
    assert judge(text)[1].must_links.tolist() == [-1, -1, 1]


WORDS = st.sampled_from("Ann Tom Lee Cox born known as aka was , ( he".split())


@given(st.lists(WORDS, max_size=20))
def test_any_words(words):
    text = " ".join(f"[{word}]" if word.istitle() else word for word in words)
    links, judged = judge(text)
    assert len(decode(links, judged)) <= len(links)
    must_links = judged.must_links if len(links) else np.zeros(0)
    names = [i for i, word in enumerate(words) if word.istitle()]
    for row in np.flatnonzero(must_links >= 0):
        between = words[names[must_links[row]] + 1 : names[row]]
        # Words of the same name have nothing between them.
        assert "he" not in between or words[names[row]] == words[names[must_links[row]]]
