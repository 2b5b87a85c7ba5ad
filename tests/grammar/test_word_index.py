from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_fastcoref.grammar.word_index import WordIndex, list_words

from ..conftest import blank

VOCAB = blank("en").vocab
COLORS = frozenset(("red", "green"))


def make_index(texts):
    return WordIndex(Doc(VOCAB, words=texts))


def test_invisible_characters_are_ignored():
    words = make_index(["red", "\u200bRed", "re\xadd", "\u200b"])
    assert words.find(COLORS).tolist() == [True, True, True, False]
    assert len(set(words.index.tolist())) == 2


@given(st.text(max_size=80))
def test_words_are_the_texts_of_tokens(text):
    doc = blank("en").make_doc(text)
    assert list_words(doc) == [token.text for token in doc]
