"""Test the categories of LingMess against a loop over pairs."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_fastcoref.grammar.lexicon import get_lexicon
from spacy_fastcoref.models.runtime import Runtime
from spacy_fastcoref.models.scorers.lingmess import (
    CATEGORIES,
    LingMessBlock,
    categorize,
    find_words,
)
from spacy_fastcoref.models.scorers.spans import Spans

from ...conftest import blank

VOCAB = blank("en").vocab
WORDS = "he He him she they the of cat Cat dog house cats".split()


def find_category(one, other, lang="en"):
    """Find the category of a pair of mentions, given as lists of words."""
    lexicon = get_lexicon(lang)
    sets = [{word.lower() for word in mention} for mention in (one, other)]
    groups = [
        lexicon.groups.get(min(words), 0) if len(words) == 1 else 0 for words in sets
    ]
    if all(groups):
        return "same_pronouns" if groups[0] == groups[1] else "pronouns"
    if any(groups):
        return "pronoun"
    one, other = (words - lexicon.stop_words for words in sets)
    if one == other:
        return "match"
    if len(one | other) == max(len(one), len(other)):
        return "contain"
    return "other"


def make_spans(doc, offsets, lang="en"):
    firsts = torch.tensor([start for start, _ in offsets], dtype=torch.long)
    lasts = torch.tensor([end - 1 for _, end in offsets], dtype=torch.long)
    codes = LingMessBlock(lang=lang).read(doc, Runtime())
    codes = {name: torch.from_numpy(code) for name, code in codes.items()}
    none = torch.zeros(len(offsets), 1)
    index = torch.arange(len(offsets))
    return Spans(firsts, lasts, none, none, codes, index, index)


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=14), st.data())
def test_categories_match_loop_over_pairs(words, data):
    doc = Doc(VOCAB, words=words)
    ends = st.integers(0, len(words) - 1)
    pairs = data.draw(st.lists(st.tuples(ends, ends), min_size=1, max_size=9))
    offsets = [(min(pair), max(pair) + 1) for pair in pairs]
    mentions = [words[start:end] for start, end in offsets]
    found = find_words(make_spans(doc, offsets))
    table = categorize(found, found)
    for i, one in enumerate(mentions):
        for j, other in enumerate(mentions):
            assert CATEGORIES[table[i, j]] == find_category(one, other)


@pytest.mark.parametrize(
    "lang, anaphor, antecedent, category",
    [
        ("de", "ihm", "seine", "same_pronouns"),
        ("de", "er", "sie", "pronouns"),
        ("de", "der Hund", "ein Hund", "match"),
        ("fr", "ils", "leurs", "same_pronouns"),
        ("fr", "elle", "la maison", "pronoun"),
        ("fr", "la vieille maison", "cette maison", "contain"),
        ("pl", "jemu", "nim", "same_pronouns"),
        ("pl", "ona", "on", "pronouns"),
        ("pl", "pies", "kot", "other"),
        ("xx", "he", "he", "match"),
    ],
)
def test_categories_in_other_languages(lang, anaphor, antecedent, category):
    words = [*anaphor.split(), *antecedent.split()]
    n_words = len(anaphor.split())
    offsets = [(0, n_words), (n_words, len(words))]
    found = find_words(make_spans(Doc(VOCAB, words=words), offsets, lang))
    assert CATEGORIES[categorize(found, found)[0, 1]] == category


def test_case_and_invisible_characters_are_ignored():
    words = ["she", "She\u200b", "\u2060she", "the", "the\xad", "cat", "cat\u200d"]
    codes = LingMessBlock().read(Doc(VOCAB, words=words), Runtime())
    for name in ("form", "group", "is_stop"):
        assert len({*codes[name][:3]}) == len({*codes[name][3:5]}) == 1
        assert codes[name][5] == codes[name][6]
    assert codes["group"][1] > 0 and len({*codes["form"]}) == 3
