"""What a ranker was trained on, and documents of another kind."""

import warnings

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref.models.ranker.annotation_values import AnnotationValues
from spacy_fastcoref.models.ranker.storage import Description, Settings
from spacy_fastcoref.models.ranker.words import HashWords

from ...grammar.docs import parse


def make_doc(lang="en", tensor=(1.0, 0.0), n_tokens=40):
    doc = Doc(spacy.blank(lang).vocab, words=["a"] * n_tokens)
    doc.tensor = np.tile(np.array(tensor, dtype=np.float32), (n_tokens, 1))
    return doc


def make_description(lang, context=None):
    return Description(Settings({"hash": HashWords()}), {}, lang, context)


def test_vectors_of_another_pipeline():
    description = make_description("en", [1.0, 0.25])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        description.check(make_doc(tensor=(2.0, 1.0)))
        # Averages of few tokens can differ, and another width is an error elsewhere.
        description.check(make_doc(tensor=(-1.0, 0.0), n_tokens=3))
        description.check(make_doc(tensor=(-1.0, 0.0, 0.0)))
        make_description("en").check(make_doc(tensor=(-1.0, 0.0)))
    with pytest.warns(UserWarning, match="FCW35"):
        description.check(make_doc(tensor=(-1.0, 0.0)))


def test_labels_of_another_pipeline():
    vocab = spacy.blank("en").vocab
    doc = parse(vocab, " ".join(["a/NOUN/sb/-"] * 10), tags=["NN", "NE"] * 5)
    heads = np.arange(10)
    AnnotationValues({"head tag": ["NN", "NNP"]}).check_labels(doc, heads)
    AnnotationValues({"head pos": ["VERB"]}).check_labels(doc, heads)
    with pytest.raises(ValueError, match="FC196.*tags.*N[EN], N[EN].*NNP"):
        AnnotationValues({"head tag": ["NNP"]}).check_labels(doc, heads)
    other = AnnotationValues({"head dep": ["nsubj"]})
    with pytest.raises(ValueError, match="FC196.*dependencies.*sb.*nsubj"):
        other.check_labels(doc, heads)
    # All labels of few mentions can be rare.
    other.check_labels(doc, heads[:3])
