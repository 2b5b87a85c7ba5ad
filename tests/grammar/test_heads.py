import numpy as np
import pytest
from spacy.tokens import Doc

from spacy_fastcoref.grammar.heads import find_all_heads, find_heads
from spacy_fastcoref.grammar.kinds import Kind, find_kind, find_main

from ..conftest import blank
from ..languages.read import read_brackets, read_table


def head(lang, phrase, pos=None):
    doc = Doc(blank(lang).vocab, words=phrase.split(), pos=pos)
    (found,) = find_heads(doc, 0, len(doc))
    return doc[found].text


@pytest.mark.parametrize("row", read_table("../grammar/heads.tsv"), ids=str)
def test_head_by_position(row):
    assert head(row["language"], row["phrase"]) == row["head"]


def test_head_by_tags():
    # Without tags "running" would not end the part with the head.
    pos = ["DET", "NOUN", "VERB", "ADV"]
    assert head("en", "the man running fast", pos) == "man"


def test_heads_by_parse(en_vocab):
    words = ["Peter", "and", "his", "wife", "slept"]
    deps = ["nsubj", "cc", "poss", "conj", "ROOT"]
    doc = Doc(en_vocab, words=words, heads=[4, 0, 3, 0, 4], deps=deps)
    assert find_heads(doc, 0, 4) == [0, 3]
    # A conjunct outside the mention does not head it.
    assert find_heads(doc, 2, 4) == [3]
    assert find_heads(doc, 0, 2) == [0]


def test_heads_by_a_parse_with_a_cycle(en_vocab):
    words, deps = ["Ann", "Bob", "left", "."], ["conj", "conj", "ROOT", "punct"]
    doc = Doc(en_vocab, words=words, heads=[1, 0, 2, 2], deps=deps)
    assert find_heads(doc, 0, 2) == [0, 1]
    assert find_heads(doc, 1, 3) == [2]
    doc = Doc(en_vocab, words=words, heads=[2, 2, 3, 2], deps=["nsubj"] * 4)
    assert find_heads(doc, 0, 2) == [0]


def test_conjuncts_of_a_token_outside_the_mention(en_vocab):
    words = ["Ann", ",", "Bob", "and", "Eve", "left"]
    deps = ["nsubj", "punct", "conj", "cc", "conj", "ROOT"]
    for eve in (0, 2):
        doc = Doc(en_vocab, words=words, heads=[5, 0, 0, 4, eve, 5], deps=deps)
        assert find_heads(doc, 2, 5) == [2, 4]
        assert find_heads(doc, 0, 5) == [0, 2, 4]


def kind(lang, text, start, end, **annotation):
    doc = Doc(blank(lang).vocab, words=text.split(), **annotation)
    return find_kind(doc, start, end, find_heads(doc, start, end))


@pytest.mark.parametrize("row", read_table("../grammar/kinds.tsv"), ids=str)
def test_kind_without_tags(row):
    words, (mention,) = read_brackets(row["text"])
    found = kind(row["language"], " ".join(words), *mention)
    assert found == Kind[row["kind"].upper()]


def test_kind_with_tags():
    assert kind("en", "Lawyers slept", 0, 1, pos=["NOUN", "VERB"]) == Kind.NOUN
    assert kind("en", "iphone fell", 0, 1, pos=["PROPN", "VERB"]) == Kind.NAME
    assert kind("en", "his dog", 0, 1, pos=["DET", "NOUN"]) == Kind.PRONOUN
    assert kind("en", "one slept", 0, 1, pos=["NOUN", "VERB"]) == Kind.NOUN
    assert kind("en", "Tell US", 1, 2, pos=["VERB", "PRON"]) == Kind.PRONOUN
    assert kind("en", "the US", 0, 2, pos=["DET", "PROPN"]) == Kind.NAME
    assert kind("en", "They fled", 1, 2, pos=["PRON", "VERB"]) == Kind.PRONOUN
    ents = ["B-ORG", "O"]
    assert kind("en", "adidas rose", 0, 1, ents=ents) == Kind.NAME


@pytest.mark.parametrize(
    "mentions, expected",
    [
        (["he", "the man", "Tom"], "Tom"),
        (["he", "the man", "his"], "the man"),
        (["Alice", "Alice Walker", "she"], "Alice Walker"),
        (["Alice Walker , who sings", "Alice Walker"], "Alice Walker"),
        (["he", "him"], "he"),
    ],
)
def test_main_mention(en_vocab, mentions, expected):
    words = " | ".join(mentions).split()
    doc = Doc(en_vocab, words=words)
    spans, at = [], 0
    for mention in mentions:
        n = len(mention.split())
        spans.append((at, at + n))
        at += n + 1
    heads = [find_heads(doc, *span) for span in spans]
    start, end = spans[find_main(doc, spans, heads)]
    assert " ".join(words[start:end]) == expected


def test_heads_of_a_coordination_without_a_parse(en_vocab):
    doc = Doc(en_vocab, words="He and Ann met the old man or his wife .".split())
    mentions = np.array([[0, 3], [4, 10], [2, 3]])
    assert find_all_heads(doc, mentions) == [[0, 2], [6, 9], [2]]
    assert [find_heads(doc, *span) for span in mentions.tolist()] == [
        *find_all_heads(doc, mentions)
    ]
