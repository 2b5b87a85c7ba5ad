"""Replaced spans: the words change, and everything else stays where it is."""

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span, SpanGroup

from spacy_fastcoref.training.augmentation.edits import Edit, edit_doc

NLP = spacy.blank("en")


def make_doc():
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
    new = edit_doc(make_doc(), [Edit(0, 3, ["Ann", "and", "Bo"], [True, True, False])])
    assert new.text == "Ann and Bo ran. They saw us."
    assert [span.text for span in new.spans["a"]] == ["Ann and Bo", "They"]
    assert [span.label_ for span in new.spans["a"]] == ["group", "group"]
    assert new.spans["a"].attrs == {"heads": [[2], [5]]}
    # What was inside the replaced phrase is gone.
    assert [span.text for span in new.spans["b"]] == [new.text, "us"]
    assert [sent.text for sent in new.sents] == ["Ann and Bo ran.", "They saw us."]
    assert new._.coref_scheme == "litbank"


@pytest.mark.parametrize("start, end", [(0, 3), (3, 4), (5, 9), (8, 9)])
@given(words=st.lists(st.sampled_from(["x", "yy"]), min_size=1, max_size=5))
def test_length_changes(start, end, words):
    doc = make_doc()
    new = edit_doc(doc, [Edit(start, end, words, [True] * len(words))])
    old = [token.text for token in doc]
    assert [token.text for token in new] == [*old[:start], *words, *old[end:]]
    assert [t.text for t in doc] == old
    for group, others in zip(doc.spans.values(), new.spans.values(), strict=True):
        for span in group:
            if span.end <= start or span.start >= end:
                assert span.text in [other.text for other in others]


def test_nothing_to_edit():
    doc = make_doc()
    new = edit_doc(doc, [])
    assert new.text == doc.text and new is not doc
    assert [s.text for s in new.spans["b"]] == [s.text for s in doc.spans["b"]]
