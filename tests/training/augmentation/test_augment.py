import pytest
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import registry

from spacy_fastcoref import set_clusters
from spacy_fastcoref.training.augmentation.augment import (
    make_combined_augmenter,
    make_gender_swapper,
)
from spacy_fastcoref.training.readers.around import make_mixed_corpus

from ...conftest import blank

NLP = blank("en")
WORDS = "Ann told Ben that she left .".split()


@pytest.fixture
def eg():
    reference = Doc(NLP.vocab, words=WORDS, sent_starts=[True, *[False] * 6])
    set_clusters(reference, [[(0, 1), (4, 5)]])
    reference.spans["speakers"] = [Span(reference, 0, 7, label="A")]
    predicted = Doc(NLP.vocab, words=WORDS, spaces=[*[True] * 5, False, False])
    predicted._.coref_scheme = "litbank"
    return Example(predicted, reference)


def list_tokens(doc):
    return [token.text for token in doc]


def describe(doc):
    return {
        key: ([(s.start, s.end, s.label_) for s in group], dict(group.attrs))
        for key, group in doc.spans.items()
    }


def test_clusters_are_kept(eg):
    (new,) = make_gender_swapper(1.0)(NLP, eg)
    assert list_tokens(new.reference)[4] == "he"
    assert list_tokens(new.reference) == list_tokens(new.predicted)
    assert describe(new.reference) == describe(eg.reference)
    assert new.reference.spans["coref_clusters_1"][1].text == "he"
    assert [t.is_sent_start for t in new.reference] == [True, *[False] * 6]
    # The model is told what it was told before, and no more.
    assert not new.predicted.spans and new.predicted._.coref_scheme == "litbank"
    assert new.predicted.text.endswith(" left.")
    assert list_tokens(eg.reference) == WORDS


def test_other_annotation_is_kept(eg):
    heads = [1, 1, 1, 5, 5, 1, 1]
    tags = ["NNP", "VBD", "NNP", "IN", "PRP", "VBD", "."]
    deps = ["nsubj", "ROOT", "dobj", "mark", "nsubj", "ccomp", "punct"]
    ents = ["B-PERSON", "O", "B-PERSON", "O", "O", "O", "O"]
    reference = Doc(
        NLP.vocab, words=WORDS, heads=heads, tags=tags, deps=deps, ents=ents
    )
    (new,) = make_gender_swapper(1.0)(NLP, Example(eg.predicted, reference))
    doc = new.reference
    assert [t.head.i for t in doc] == heads
    assert [t.tag_ for t in doc] == tags and [t.dep_ for t in doc] == deps
    assert [e.start for e in doc.ents] == [0, 2] and len(list(doc.sents)) == 1


def test_mixture(eg):
    def make(**settings):
        block = {"@augmenters": "spacy_fastcoref.swap_genders.v1", **settings}
        augmenter = registry.resolve({"augmenter": block})["augmenter"]
        corpora = {"a": lambda nlp: [eg, eg], "b": lambda nlp: [eg]}
        return make_mixed_corpus(corpora, {"b": 2}, augmenter=augmenter)

    def read(corpus):
        return [list_tokens(eg.reference) for eg in corpus(NLP)]

    corpus = make(level=1.0)
    epochs = read(corpus), read(corpus)
    assert [len(epoch) for epoch in epochs] == [4, 4] and epochs[0] != epochs[1]
    assert all(words[0] != "Ann" and words[4] == "he" for words in epochs[0])
    # The same seed makes the same names, or a killed run could not go on.
    assert read(make(level=1.0)) == epochs[0] != read(make(level=1.0, seed=1))


def test_augmenters_are_applied_in_turn(eg):
    def double(nlp, one):
        yield one
        yield one

    swap = make_gender_swapper(1.0)
    found = list(make_combined_augmenter({"a": double, "b": swap})(NLP, eg))
    assert [list_tokens(new.reference)[4] for new in found] == ["he", "he"]
    assert list(make_combined_augmenter({})(NLP, eg)) == [eg]
