"""What a ranker was trained on, and documents of another kind."""

import warnings

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref.models.ranker.feature_table import FeatureTable, check_labels
from spacy_fastcoref.models.ranker.origin import Origin

from ...grammar.docs import parse


def make_doc(lang="en", tensor=(1.0, 0.0), n_tokens=40):
    doc = Doc(spacy.blank(lang).vocab, words=["a"] * n_tokens)
    doc.tensor = np.tile(np.array(tensor, dtype=np.float32), (n_tokens, 1))
    return doc


def test_language():
    docs = [make_doc("en"), make_doc("fr")]
    assert Origin.collect(docs, False).lang is None
    origin = Origin.collect(docs[:1], False)
    origin.check(docs[0])
    with pytest.raises(ValueError, match="FC195.*'en'.*'fr'"):
        origin.check(docs[1])
    # Nothing is known of weights of earlier versions.
    Origin.from_config(None).check(docs[1])


def test_vectors_of_another_pipeline():
    origin = Origin.collect([make_doc(), make_doc(tensor=(1.0, 0.5))], True)
    assert origin == Origin.from_config(origin.to_config())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        origin.check(make_doc(tensor=(2.0, 1.0)))
        # Averages of few tokens can differ, and another width is an error elsewhere.
        origin.check(make_doc(tensor=(-1.0, 0.0), n_tokens=3))
        origin.check(make_doc(tensor=(-1.0, 0.0, 0.0)))
        Origin.collect([make_doc()], False).check(make_doc(tensor=(-1.0, 0.0)))
    with pytest.warns(UserWarning, match="FCW35"):
        origin.check(make_doc(tensor=(-1.0, 0.0)))


@pytest.mark.parametrize(
    "config",
    [
        {"lang": 3, "context": None},
        {"lang": "en", "context": [[1.0]]},
        {"lang": "en", "context": [float("nan")]},
        {"lang": "en", "context": None, "more": 1},
    ],
    ids=str,
)
def test_broken_origins(config):
    with pytest.raises(ValueError, match="origin"):
        Origin.from_config(config)


def test_labels_of_another_pipeline():
    vocab = spacy.blank("en").vocab
    doc = parse(vocab, " ".join(["a/NOUN/sb/-"] * 10), tags=["NN", "NE"] * 5)
    heads = np.arange(10)
    check_labels(doc, heads, FeatureTable({"head tag": ["NN", "NNP"]}))
    check_labels(doc, heads, FeatureTable({"head pos": ["VERB"]}))
    with pytest.raises(ValueError, match="FC196.*tags.*N[EN], N[EN].*NNP"):
        check_labels(doc, heads, FeatureTable({"head tag": ["NNP"]}))
    other = FeatureTable({"head dep": ["nsubj"]})
    with pytest.raises(ValueError, match="FC196.*dependencies.*sb.*nsubj"):
        check_labels(doc, heads, other)
    # All labels of few mentions can be rare.
    check_labels(doc, heads[:3], other)
