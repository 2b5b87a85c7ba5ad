"""The blocks that turn words into vectors."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref.models.ranker.storage import get_weights, set_weights
from spacy_fastcoref.models.ranker.words import (
    ContextWords,
    HashWords,
    StaticWords,
    predict_words,
)


@pytest.mark.parametrize(
    "block", [HashWords(4, [50] * 4), ContextWords([4]), ContextWords([6, 4])], ids=str
)
def test_empty_documents_have_no_vectors(block):
    vocab = spacy.blank("en").vocab
    doc, empty = Doc(vocab, words=["a", "b"]), Doc(vocab)
    doc.tensor = np.ones((2, 3), dtype=np.float32)
    layer = block.build()
    layer.initialize(X=[doc])
    assert [len(one) for one in layer.predict([empty, doc, empty])] == [0, 2, 0]
    assert [one.shape for one in layer.predict([empty, empty])] == [(0, 4), (0, 4)]


@pytest.mark.parametrize("widths", [[4], [6, 4]], ids=str)
def test_context_vectors_of_another_width(widths):
    doc = Doc(spacy.blank("en").vocab, words=["a", "b"])
    doc.tensor = np.ones((2, 3), dtype=np.float32)
    trained = ContextWords(widths).build()
    trained.initialize(X=[doc])
    # The widths are those of the weights, which a loaded layer has alone.
    layer = ContextWords(widths).build()
    set_weights(layer, get_weights(trained))
    assert np.array_equal(layer.predict([doc])[0], trained.predict([doc])[0])
    doc.tensor = np.ones((2, 5), dtype=np.float32)
    with pytest.raises(ValueError, match="FC197.*context vectors of 3 .* have 5"):
        layer.predict([doc])


def test_static_vectors_of_another_width():
    def make_doc(width):
        nlp = spacy.blank("en")
        nlp.vocab.set_vector("a", np.ones(width, dtype=np.float32))
        return nlp.make_doc("a b")

    trained, layer = StaticWords(4).build(), StaticWords(4).build()
    trained.initialize(X=[make_doc(3)])
    set_weights(layer, get_weights(trained))
    assert layer.predict([make_doc(3)])[0].shape == (2, 4)
    with pytest.raises(ValueError, match="FC197.*static vectors of 3 .* have 5"):
        layer.predict([make_doc(5)])
    with pytest.raises(ValueError, match="FC190.*static vectors"):
        layer.predict([spacy.blank("en").make_doc("a b")])


def test_rare_words_get_the_vectors_of_common_ones():
    vocab = spacy.blank("en").vocab
    doc = Doc(vocab, words=["Deepika", "met", "a", "woman", "or", "actress"])
    doc.tensor = np.arange(12, dtype=np.float32).reshape(6, 2)
    words = {"quux": ["or"], "deepika": ["woman", "actress"], "an": ["a"]}
    layer = HashWords(4, [50] * 4).build()
    layer.initialize(X=[doc])
    (before,), (after,) = layer.predict([doc]), predict_words(layer, [doc], words)
    np.testing.assert_allclose(after[0], before[[3, 5]].mean(axis=0), rtol=1e-5)
    np.testing.assert_array_equal(after[1:], before[1:])
    # Other vectors depend on the text.
    layer = ContextWords([4]).build()
    layer.initialize(X=[doc])
    (before,), (after,) = layer.predict([doc]), predict_words(layer, [doc], words)
    np.testing.assert_array_equal(after, before)
