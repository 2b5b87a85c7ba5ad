"""Coordinations of names in the place of plural phrases."""

import random

import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import registry

from spacy_fastcoref import set_clusters
from spacy_fastcoref.training.augmentation.coordinations import (
    find_edits,
    find_plural_phrases,
    make_name_coordinator,
)

NLP = spacy.blank("en")
WORDS = "The two guards met Ann . They knew her and gave her their keys .".split()
GUARDS, ANN = [(0, 3), (6, 7), (12, 13)], [(4, 5), (8, 9), (11, 12)]


def make_example(clusters=(GUARDS, ANN), lang="en"):
    nlp = spacy.blank(lang)
    reference = Doc(nlp.vocab, words=WORDS)
    set_clusters(reference, clusters)
    return Example(Doc(nlp.vocab, words=WORDS), reference)


def coordinate(eg, **settings):
    (new,) = make_name_coordinator(**{"level": 1.0, **settings})(NLP, eg)
    return new


def test_pronouns_continue_the_coordination():
    new = coordinate(make_example()).reference
    group = new.spans["coref_clusters_1"]
    assert [span.text for span in group][1:] == ["They", "their"]
    words = [token.text for token in group[0]]
    assert "and" in words and words[0].istitle() and not set(words) & set(WORDS[:3])
    # The members are in no cluster, and other clusters stay.
    mentions = [span for key in new.spans for span in new.spans[key]]
    assert len(mentions) == 6
    assert [s.text for s in new.spans["coref_clusters_2"]] == ["Ann", "her", "her"]


def test_both_docs_have_the_same_words():
    new = coordinate(make_example())
    assert [t.text for t in new.predicted] == [t.text for t in new.reference]
    assert not new.predicted.spans


def test_names_differ_and_are_new():
    augment = make_name_coordinator(level=1.0)
    texts = set()
    for _ in range(8):
        (new,) = augment(NLP, make_example())
        names = [t.text for t in new.reference.spans["coref_clusters_1"][0]]
        names = [name for name in names if name not in ("and", ",")]
        assert len(set(names)) == len(names) > 1 and "Ann" not in names
        texts.add(new.reference.text)
    assert len(texts) == 8
    again = make_name_coordinator(level=1.0, seed=0)
    assert {next(again(NLP, make_example())).reference.text for _ in range(8)} == texts


@pytest.mark.parametrize(
    "clusters",
    [
        # A person, a pronoun alone, a phrase with another mention inside.
        [ANN],
        [GUARDS[1:]],
        [GUARDS, [(2, 3), (13, 14)]],
        # Another phrase of the cluster would not fit the names.
        [[*GUARDS, (13, 14)]],
    ],
)
def test_what_stays(clusters):
    eg = make_example(clusters)
    assert find_plural_phrases(eg.reference) == []
    assert coordinate(eg) is eg


def test_examples_that_stay_whole():
    partial = make_example()
    partial.reference.spans["coref_annotated"] = [Span(partial.reference, 0, 3)]
    parsed = make_example()
    for token in parsed.reference:
        token.tag_ = "X"
    other = make_example()
    other = Example(Doc(NLP.vocab, words=[*WORDS, "!"]), other.reference)
    for eg in (partial, parsed, other, make_example(lang="xx")):
        assert coordinate(eg) is eg


def test_level():
    assert find_edits(make_example(), 0.0, random.Random(0)) == []
    assert len(find_edits(make_example(), 1.0, random.Random(0))) == 1
    with pytest.raises(ValueError, match=r"FC076.*level"):
        make_name_coordinator(level=2)


def test_registered():
    make = registry.augmenters.get("spacy_fastcoref.coordinate_names.v1")
    assert make is make_name_coordinator
