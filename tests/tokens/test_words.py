import spacy
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.tokens.words import list_words

NLP = spacy.blank("en")


@given(st.text(max_size=80))
def test_like_the_tokens(text):
    doc = NLP.make_doc(text)
    assert list_words(doc) == [token.text for token in doc]
