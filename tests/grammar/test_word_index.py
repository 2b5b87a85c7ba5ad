import numpy as np
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_fastcoref.grammar import word_index as words_module
from spacy_fastcoref.grammar.resources import read_words
from spacy_fastcoref.grammar.word_index import WordIndex, drop_invisible

VOCAB = spacy.blank("en").vocab
COLORS = frozenset(("red", "green"))


def count_letters(word):
    return len(word)


def make_index(texts):
    return WordIndex(Doc(VOCAB, words=texts))


def test_words_are_found_in_any_case():
    words = make_index(["Red", "green", "RED", "car"])
    assert words.find(COLORS).tolist() == [True, True, True, False]
    assert words.cased.find(COLORS).tolist() == [False, True, False, False]
    assert words.map(count_letters).tolist() == [3, 5, 3, 3]
    assert words.index[0] == words.index[2] != words.index[3]


@given(st.lists(st.lists(st.text(min_size=1, max_size=6), max_size=8), max_size=6))
def test_cached_results_are_equal_to_look_ups(documents):
    for texts in documents:
        words = make_index(texts)
        lower = [drop_invisible(t.lower_) or t.lower_ for t in words.doc]
        assert words.map(count_letters).tolist() == [len(word) for word in lower]
        assert words.find(COLORS).tolist() == [word in COLORS for word in lower]


def test_invisible_characters_are_ignored():
    words = make_index(["red", "\u200bRed", "re\xadd", "\u200b"])
    assert words.find(COLORS).tolist() == [True, True, True, False]
    assert len(set(words.index.tolist())) == 2


def test_every_form_is_looked_up_once():
    asked = []

    def ask(word):
        asked.append(word)
        return 1

    for texts in (["once", "upon"], ["once", "more"], ["upon", "more"]):
        assert make_index(texts).map(ask).tolist() == [1, 1]
    assert sorted(word for word in asked if word in {"once", "upon", "more"}) == [
        *("more", "once", "upon")
    ]


def test_cache_size_is_limited(monkeypatch):
    monkeypatch.setattr(words_module, "_MAX_FORMS", 3)
    monkeypatch.setattr(words_module, "_caches", {})
    old = make_index(["a", "b", "c", "d"])
    new = make_index(["e", "a"])
    assert old.find(frozenset("a")).tolist() == [True, False, False, False]
    assert new.find(frozenset("a")).tolist() == [False, True]
    assert len(words_module._caches[spacy.attrs.LOWER].forms) == 2


def test_several_word_lists_are_joined():
    male, female = (read_words("common", f"{s}_names") for s in ("male", "female"))
    assert read_words("common", "male_names", "female_names") == male | female
    assert np.all([word == word.lower() for word in male])
