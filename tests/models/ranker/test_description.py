"""What a ranker was trained on, and documents of another kind."""

import warnings

import numpy as np
import pytest
from spacy.tokens import Doc

from spacy_fastcoref.models.ranker.storage import Settings
from spacy_fastcoref.models.ranker.words import StaticWords

from ...conftest import blank
from ...grammar.docs import parse
from .conftest import HASH, find


def make_doc(lang="en", tensor=(1.0, 0.0), n_tokens=40):
    doc = Doc(blank(lang).vocab, words=["a"] * n_tokens)
    doc.tensor = np.tile(np.array(tensor, dtype=np.float32), (n_tokens, 1))
    return doc


def check(doc, **settings):
    Settings(**{"words": HASH, **settings}).check(find(doc))


def test_vectors_of_another_pipeline():
    known = {"lang": "en", "context": [1.0, 0.25]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(make_doc(tensor=(2.0, 1.0)), **known)
        # Averages of few tokens can differ.
        check(make_doc(tensor=(-1.0, 0.0), n_tokens=3), **known)
        check(make_doc(tensor=(-1.0, 0.0)), lang="en")
    with pytest.warns(UserWarning, match="FCW35"):
        check(make_doc(tensor=(-1.0, 0.0)), **known)
    with pytest.raises(ValueError, match="FC195.*vectors of 2 .* has vectors of 3"):
        check(make_doc(tensor=(-1.0, 0.0, 0.0)), **known)


def test_missing_vectors():
    with pytest.raises(ValueError, match="FC190.*static vectors"):
        check(make_doc(), words={"static": StaticWords(), **HASH})
    with pytest.raises(ValueError, match="FC190.*context vectors"):
        check(Doc(blank("en").vocab, words=["a"]), context=[1.0])


def test_labels_of_another_pipeline():
    vocab = blank("en").vocab
    doc = parse(vocab, " ".join(["a/NOUN/sb/-"] * 10), tags=["NN", "NE"] * 5)
    check(doc, values={"head tag": ["NN", "NNP"]})
    check(doc, values={"head pos": ["VERB"]})
    with pytest.raises(ValueError, match="FC196.*tags.*N[EN], N[EN].*NNP"):
        check(doc, values={"head tag": ["NNP"]})
    with pytest.raises(ValueError, match="FC196.*dependencies.*sb.*nsubj"):
        check(doc, values={"head dep": ["nsubj"]})
    # All labels of few mentions can be rare.
    check(doc[:3].as_doc(), values={"head dep": ["nsubj"]})
