"""Coordinations of names in the place of plural phrases."""

import pytest
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from spacy_fastcoref import set_clusters
from spacy_fastcoref.training.augmentation.coordinations import (
    find_plural_phrases,
    make_name_coordinator,
)
from spacy_fastcoref.training.edits import edit_doc

from ...conftest import blank

NLP = blank("en")
WORDS = "The two guards met Ann . They knew her and gave her their keys .".split()
GUARDS, ANN = [(0, 3), (6, 7), (12, 13)], [(4, 5), (8, 9), (11, 12)]


def make_example(clusters=(GUARDS, ANN), lang="en"):
    nlp = blank(lang)
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


def make_edited():
    words = "The two guards ran . They saw us .".split()
    spaces = [True, True, True, False, True, True, True, False, False]
    starts = [i in (0, 5) for i in range(len(words))]
    doc = Doc(NLP.vocab, words=words, spaces=spaces, sent_starts=starts)
    spans = [Span(doc, 0, 3, label="group"), Span(doc, 5, 6, label="group")]
    doc.spans["a"] = SpanGroup(doc, name="a", attrs={"heads": [[2], [5]]}, spans=spans)
    doc.spans["b"] = [Span(doc, 1, 2), Span(doc, 0, 9), Span(doc, 7, 8)]
    doc._.coref_scheme = "litbank"
    return doc


def test_edit():
    new = edit_doc(make_edited(), {(0, 3): ["Ann", "and", "Bo"]})
    assert new.text == "Ann and Bo ran. They saw us."
    assert [span.text for span in new.spans["a"]] == ["Ann and Bo", "They"]
    assert [span.label_ for span in new.spans["a"]] == ["group", "group"]
    assert new.spans["a"].attrs == {"heads": [[2], [5]]}
    # What was inside the replaced phrase is gone.
    assert [span.text for span in new.spans["b"]] == [new.text, "us"]
    assert [sent.text for sent in new.sents] == ["Ann and Bo ran.", "They saw us."]
    assert new._.coref_scheme == "litbank"
