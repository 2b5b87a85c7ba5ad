"""The blocks that turn words into vectors."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref.models.ranker.words import ContextWords, HashWords


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
