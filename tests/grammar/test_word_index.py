from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_fastcoref.grammar.word_index import WordIndex, drop_invisible, list_words

from ..conftest import blank

VOCAB = blank("en").vocab
COLORS = frozenset(("red", "green"))


def count_letters(word):
    return len(word)


def make_index(texts):
    return WordIndex(Doc(VOCAB, words=texts))


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


@given(st.text(max_size=80))
def test_words_are_the_texts_of_tokens(text):
    doc = blank("en").make_doc(text)
    assert list_words(doc) == [token.text for token in doc]
