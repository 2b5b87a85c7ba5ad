"""What a ranker was trained on, and documents of another kind."""

import warnings

import numpy as np
import pytest
from spacy.tokens import Doc

from spacy_fastcoref.models.ranker.features import check_values
from spacy_fastcoref.models.ranker.storage import Settings
from spacy_fastcoref.models.ranker.words import StaticWords

from ...conftest import blank
from ...grammar.docs import parse
from .conftest import HASH, find


def make_doc(lang="en", tensor=(1.0, 0.0), n_tokens=40):
    doc = Doc(blank(lang).vocab, words=["a"] * n_tokens)
    doc.tensor = np.tile(np.array(tensor, dtype=np.float32), (n_tokens, 1))
    return doc


def make_settings(lang, context=None):
    return Settings(HASH, lang=lang, context=context)


def test_vectors_of_another_pipeline():
    settings = make_settings("en", [1.0, 0.25])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        settings.check(make_doc(tensor=(2.0, 1.0)))
        # Averages of few tokens can differ.
        settings.check(make_doc(tensor=(-1.0, 0.0), n_tokens=3))
        make_settings("en").check(make_doc(tensor=(-1.0, 0.0)))
    with pytest.warns(UserWarning, match="FCW35"):
        settings.check(make_doc(tensor=(-1.0, 0.0)))
    with pytest.raises(ValueError, match="FC195.*vectors of 2 .* has vectors of 3"):
        settings.check(make_doc(tensor=(-1.0, 0.0, 0.0)))


def test_missing_vectors():
    blocks = {"static": StaticWords(), **HASH}
    with pytest.raises(ValueError, match="FC190.*static vectors"):
        Settings(blocks).check(make_doc())
    with pytest.raises(ValueError, match="FC190.*context vectors"):
        make_settings("en", [1.0]).check(Doc(blank("en").vocab, words=["a"]))


def test_labels_of_another_pipeline():
    vocab = blank("en").vocab
    doc = parse(vocab, " ".join(["a/NOUN/sb/-"] * 10), tags=["NN", "NE"] * 5)
    found = find(doc)
    check_values(found, {"head tag": ["NN", "NNP"]})
    check_values(found, {"head pos": ["VERB"]})
    with pytest.raises(ValueError, match="FC196.*tags.*N[EN], N[EN].*NNP"):
        check_values(found, {"head tag": ["NNP"]})
    with pytest.raises(ValueError, match="FC196.*dependencies.*sb.*nsubj"):
        check_values(found, {"head dep": ["nsubj"]})
    # All labels of few mentions can be rare.
    few = find(doc[:3].as_doc())
    check_values(few, {"head dep": ["nsubj"]})
