"""The blocks that turn words into vectors."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref.models.ranker.words import (
    ContextWords,
    HashWords,
    StaticWords,
    convert_words,
)


@pytest.mark.parametrize(
    "block",
    [HashWords(4, [50] * 4), StaticWords(4), ContextWords([4]), ContextWords([6, 4])],
    ids=str,
)
def test_empty_documents_have_no_vectors(block):
    vocab = spacy.blank("en").vocab
    vocab.set_vector("a", np.ones(3, dtype=np.float32))
    doc, empty = Doc(vocab, words=["a", "b"]), Doc(vocab)
    doc.tensor = np.ones((2, 3), dtype=np.float32)
    layer = block.build()
    layer.initialize(X=[doc])
    assert [len(one) for one in layer.predict([empty, doc, empty])] == [0, 2, 0]


def test_rare_words_get_the_vectors_of_common_ones():
    vocab = spacy.blank("en").vocab
    doc = Doc(vocab, words=["Deepika", "met", "a", "woman", "or", "actress"])
    doc.tensor = np.arange(12, dtype=np.float32).reshape(6, 2)
    words = {"quux": ["or"], "deepika": ["woman", "actress"], "an": ["a"]}
    layer = HashWords(4, [50] * 4).build()
    layer.initialize(X=[doc])
    (before,), vectors = layer.predict([doc]), layer.predict([doc])
    convert_words(layer, [doc], vectors, words)
    (after,) = vectors
    np.testing.assert_allclose(after[0], before[[3, 5]].mean(axis=0), rtol=1e-5)
    np.testing.assert_array_equal(after[1:], before[1:])
    # Other vectors depend on the text.
    layer = ContextWords([4]).build()
    layer.initialize(X=[doc])
    (before,), vectors = layer.predict([doc]), layer.predict([doc])
    convert_words(layer, [doc], vectors, words)
    (after,) = vectors
    np.testing.assert_array_equal(after, before)
