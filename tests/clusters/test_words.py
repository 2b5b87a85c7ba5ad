import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.grammar.word_index import drop_invisible, list_words

NLP = spacy.blank("en")


@given(st.text(max_size=80))
def test_words_are_the_texts_of_tokens(text):
    doc = NLP.make_doc(text)
    assert list_words(doc) == [token.text for token in doc]


@pytest.mark.parametrize(
    "form", ["she\u200b", "\ufeffshe", "s\xadhe", "she\u200d\u2060"]
)
def test_invisible_characters_are_dropped(form):
    assert drop_invisible(form) == "she"


def test_visible_characters_are_kept():
    for form in ("she", "Zoë", "e\u0301", "\n", "你"):
        assert drop_invisible(form) == form
