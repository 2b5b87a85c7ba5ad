"""Whom a name stands for: who had it before in another form."""

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


def link(mentions, score=-1.0):
    """Link every mention with all before it, so strongly."""
    links = link_all(np.array(mentions, dtype=np.int32).reshape(-1, 2))
    links.scores[links.antecedents >= 0] = score
    return links


def find_same(text, score=-1.0):
    words, mentions = read_brackets(text)
    return RULES(Doc(NLP.vocab, words=words), link(mentions, score)).must_links.tolist()


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("[Elon Musk] sat . [Mr. Musk] left .", True),
        ("[Elon Musk] sat . [Mr Musk] left .", True),
        ("[Mr. Elon Musk] sat . [Mr. Musk] left .", True),
        ("[Barack Obama] sat . [President Obama] left .", True),
        ("[Angela Merkel] sat . Then [Mrs. Merkel] left .", True),
        ("[The old Elon Musk] sat . [Mr. Musk] left .", True),
        ("[Prime Minister Rishi Sunak] sat . [Mr. Sunak] left .", True),
        ("[Elon Musk] sat by Minister Kimbal Musk . [Mr. Musk] left .", False),
        ("[Jane Austen] sat . [Miss Austen] left .", True),
        ("[Elon Musk] sat . Then Minister Musk rose . [Mr. Musk] left .", True),
        # By the family name alone, and by the same name
        ("[Elon Musk] sat . [Musk] left .", True),
        ("[Elon Musk] sat . “ It is hot , ” said [Musk] .", True),
        ("[Mr. Elon Musk] sat . [Elon Musk] left .", True),
        ("[Elon Reeve Musk] sat . [Elon Musk] left .", True),
        ("[Elon Musk] sat . [Kimbal Musk] left .", False),
        ("[George H. W. Bush] sat . [George W. Bush] left .", False),
        ("[George W. Bush] sat . [George Bush] left .", True),
        ("[John Lucy] sat . [Lucy] left .", False),
        ("[Denzel Washington] flew to [Washington] .", False),
        ("[Denzel Washington] sat . They wrote to him , but [Washington] left .", True),
        ("[Elon Musk] sat . They wrote to [Musk] .", True),
        ("[Elon Musk] sat by Kimbal Musk . [Musk] left .", False),
        ("[Elon Musk] sat . The [Musk] family left .", False),
        ("[Elon Musk] sat . Ann ( Lee ) [Musk] left .", False),
        ("[Elon Musk] sat . They live in [Musk] .", False),
        ("[Kim Jong - un] sat . [Kim Jong - il] left .", False),
        # What is written small elsewhere is no family name.
        ("[Elon Gate] sat . [Gate] left .", True),
        ("[Elon Gate] sat by a gate . [Gate] left .", False),
        ("[Sri Lanka] won . [Lanka] lost .", False),
        ("[Ann Arbor University] won . [University] lost .", False),
        # By a title first, unless it may be her husband's name
        ("[Mr. Musk] left . [Elon Musk] sat .", True),
        ("[Miss Musk] left . [Ann Musk] sat .", True),
        ("[Mrs. Musk] left . [Ann Musk] sat .", False),
        ("[Mr. Musk] left . [Ann Musk] sat .", False),
        ("[Musk] left . [Elon Musk] sat .", False),
        # No longer name
        ("[Elon] sat . [Mr. Musk] left .", False),
        ("[Elon Musk] sat . [Mr. Bezos] left .", False),
        ("[Elon Musk] sat . Mr. [Musk] left .", False),
        ("[Elon Musk] sat . [Mr. Errol Musk] left .", False),
        # What is no person's name.
        ("[Acme Musk] sat . [Mr. Musk] left .", False),
        # Gender
        ("[Angela Merkel] sat . [Mr. Merkel] left .", False),
        # Several people of one name
        ("[Elon Musk] sat by Kimbal Musk . [Mr. Musk] left .", False),
        ("[Ann Lee] sat by Mr. Lee . [Mrs. Lee] left .", False),
        ("[Ann Lee] sat by Mr. Cox . [Mrs. Lee] left .", True),
        # Two of them
        ("[Elon Musk and Ann] sat . [Mr. Musk] left .", False),
    ],
)
def test_who_had_the_name_in_full(text, is_found):
    assert find_same(text) == [-1, 0 if is_found else -1]


def test_the_first_of_all_who_have_it():
    text = "[Elon Musk] sat . [Elon Musk] rose . [Mr. Musk] left . [Musk] came ."
    assert find_same(text) == [-1, 0, 0, 0]
    text = "[Musk] came . [Mr. Musk] left . [Elon Musk] rose . [Musk] came ."
    assert find_same(text) == [-1, -1, 1, 1]


def test_what_the_model_links_stays_so():
    text = "[A teacher] and [Elon Musk] sat . [Mr. Musk] left ."
    assert find_same(text, score=1.0) == [-1, -1, -1]
    assert find_same(text) == [-1, -1, 1]


def test_of_mentions_with_one_head_the_likeliest_is_meant():
    words = "Elon Musk of Tesla sat . Mr. Musk left .".split()
    links = link([(0, 2), (0, 4), (6, 8)])
    for likeliest in (0, 1):
        links.mention_scores[:] = 0.0
        links.mention_scores[likeliest] = 1.0
        must_links = RULES(Doc(NLP.vocab, words=words), links).must_links
        assert must_links.tolist() == [-1, -1, likeliest]


def test_of_mentions_with_one_head_a_linked_one_is_meant():
    words = "Elon Musk of Tesla sat . He rose . Mr. Musk left .".split()
    links = link([(0, 2), (0, 4), (6, 7), (9, 11)])
    links.mention_scores[1] = 1.0
    doc = Doc(NLP.vocab, words=words)
    assert RULES(doc, links).must_links.tolist() == [-1, -1, -1, 1]
    links.scores[2, links.antecedents[2] == 0] = 1.0
    assert RULES(doc, links).must_links.tolist() == [-1, -1, -1, 0]


def test_a_title_that_the_model_leaves_out():
    words, mentions = read_brackets("[Judge [Ann Lee]] sat . [Judge Lee] left .")
    links = link(sorted(mentions))
    doc, has_title = Doc(NLP.vocab, words=words), links.antecedents[2] == 0
    for is_without, score, must_links in ((0, 1.0, -1), (1, 1.0, -1), (1, -1.0, 1)):
        links.mention_scores[1] = is_without
        links.scores[2, has_title] = score
        judged = RULES(doc, links)
        assert judged.must_links.tolist() == [-1, -1, must_links]
        (found,) = decode(links, judged, costs=RULES.costs)
        assert found.mentions[0].tolist() == [1 if is_without else 0, 3]


@pytest.mark.parametrize(("disabled", "n_clusters"), [((), 1), (("namesake",), 0)])
def test_clusters(disabled, n_clusters):
    words, mentions = read_brackets("[Elon Musk] sat . [Mr. Musk] left .")
    rules = EnglishRules((*DISABLED, *disabled), warns=False)
    doc, links = Doc(NLP.vocab, words=words), link(mentions)
    assert len(decode(links, rules(doc, links), costs=rules.costs)) == n_clusters


TITLES = ("Mr.", "Mrs.", "Dr.")
WORDS = st.sampled_from("Ann Tom Lee Cox Mr. Mrs. Dr. . and the 's he".split())


@given(st.lists(WORDS, max_size=25))
def test_any_words(words):
    n_words = len(words)
    mentions = [
        (start, end)
        for start in range(n_words)
        for end in range(start + 1, min(start + 4, n_words + 1))
    ]
    facts = RULES.describe(Doc(NLP.vocab, words=words), link(mentions))
    for row in np.flatnonzero(facts.named_as >= 0):
        one, other = mentions[facts.named_as[row]], mentions[row]
        assert one < other
        # The same family name, in full or after a title before.
        name = words[facts.heads[row]]
        assert name in words[slice(*one)]
        assert one[1] - one[0] > 1
