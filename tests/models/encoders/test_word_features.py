"""What a model sees of words besides their pieces."""

import numpy as np
import pytest
import torch
from spacy.tokens import Doc

from spacy_fastcoref.models.blocks import describe_block
from spacy_fastcoref.models.encoders.word_features import (
    LanguageBlock,
    SchemeBlock,
    WordShapeBlock,
)
from spacy_fastcoref.models.runtime import Runtime

from ...conftest import blank, make_network, make_nlp

WORDS = "alice Alice NASA I 1984 McDonald , x3 É".split()


def test_shapes(en_vocab):
    doc = Doc(en_vocab, words=WORDS)
    assert WordShapeBlock().read(doc, Runtime())["shape"].tolist() == [
        *(1, 2, 4, 3, 5, 0, 0, 1, 3)
    ]


def test_scheme_of_a_document_and_of_the_component(en_vocab):
    doc = Doc(en_vocab, words=WORDS)
    block = SchemeBlock(names=["ontogum", "litbank"])

    def read(scheme):
        return set(block.read(doc, Runtime(scheme=scheme))["scheme"].tolist())

    assert read(None) == {0} and read("litbank") == {2}
    doc._.coref_scheme = "ontogum"
    assert read("litbank") == {1}
    block = SchemeBlock(names=["ontogum", "litbank"], default="litbank")
    assert read("ontogum") == {1} and read(None) == {1}
    doc._.coref_scheme = None
    assert read("ontogum") == {1} and read(None) == {2}
    doc._.coref_scheme = "preco"
    with pytest.raises(ValueError, match="'preco'.*ontogum, litbank"):
        read(None)


@pytest.mark.parametrize("lang, code", [("en", 2), ("fr", 1), ("de", 0), ("xx", 0)])
def test_language_of_a_document(lang, code):
    doc = Doc(blank(lang).vocab, words=WORDS)
    codes = LanguageBlock(langs=["fr", "en"]).read(doc, Runtime())["language"]
    assert codes.tolist() == [code] * len(WORDS)


def test_features_reach_the_links(tmp_path):
    changes = {"word_features": {"shape": describe_block(WordShapeBlock())}}
    network = make_network(**changes)
    with torch.no_grad():
        network.word_features["shape"].vectors.weight.normal_(std=3.0)
    nlp = make_nlp(tmp_path / "model", network, **changes)
    pipe = nlp.get_pipe("fastcoref")
    texts = "alice saw her", "Alice saw Her"
    lower, title = pipe.predict([nlp.make_doc(text) for text in texts])
    assert not np.allclose(lower.mention_scores, title.mention_scores)
    # A document's answer is its own, whatever it is batched with.
    (alone,) = pipe.predict([nlp.make_doc(texts[1])])
    assert np.allclose(alone.mention_scores, title.mention_scores, atol=1e-5)
