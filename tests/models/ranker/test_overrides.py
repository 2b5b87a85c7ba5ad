"""NeuralCoref's settings on the ranker."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref.grammar.auto import find_rules
from spacy_fastcoref.models.ranker.candidates import Limits, find_candidates
from spacy_fastcoref.models.ranker.words import ContextWords, HashWords, predict_words

from ...grammar.docs import parse

NAME = "spacy_fastcoref.Ranker.v1"
TEXT = (
    "I/PRON/nsubj/1 met/VERB/ROOT/- Ann/PROPN/dobj/1 ./PUNCT/punct/1 "
    "She/PRON/nsubj/5 saw/VERB/ROOT/- you/PRON/dobj/5 ./PUNCT/punct/5 "
    "We/PRON/nsubj/9 left/VERB/ROOT/- ./PUNCT/punct/9"
)


def make_pipe(**settings):
    nlp = spacy.blank("en")
    config = {"model": {"@architectures": NAME, "max_dist": 7}, **settings}
    return nlp.add_pipe("fastcoref", config=config)


def test_limits():
    def find(**settings):
        model = make_pipe(**settings).model
        return model.overrides.make_limits(model.settings)

    assert find() == Limits(max_dist=7)
    assert find(max_dist=3, max_dist_match=4, blacklist=True) == Limits(5, 3, 4, True)
    # The window of other models is not changed.
    assert make_pipe(max_dist=3).antecedent_window == 2048
    assert make_pipe(greedyness=0.75).threshold == pytest.approx(-np.log(3))


@pytest.mark.parametrize("blacklist, words", [(False, "I Ann She you We"), (True, 0)])
def test_blacklist(blacklist, words):
    doc = parse(spacy.blank("en").vocab, TEXT)
    found = find_candidates(find_rules("en"), doc, Limits(blacklist=blacklist))
    texts = [doc[start:end].text for start, end in found.mentions.tolist()]
    assert texts == (words or "Ann She").split()


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


def test_the_rules_of_the_ranker_know_the_words():
    model = make_pipe(conv_dict={"Quux": ["woman"]}).model
    doc = parse(spacy.blank("en").vocab, TEXT.replace("Ann", "Quux"))
    rules = model._find_rules(doc)
    assert rules.conversions.words == {"quux": ["woman"]}
    assert make_pipe().model._find_rules(doc).conversions is None
