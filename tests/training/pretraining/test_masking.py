import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.pipeline.gold import align_gold
from spacy_fastcoref.training.pretraining.masking import (
    MASK,
    mask_names,
    mask_pronouns,
    mask_spans,
)

from ...conftest import blank

NLP = blank("en")
DOC = NLP("Ann Lee met Bob. Then Ann Lee left and he saw her.")
NAMES = [[(0, 2), (6, 8)], [(3, 4)]]


def test_shares_of_masked_replaced_and_kept_spans():
    rng = random.Random(0)
    shown = Counter()
    for _ in range(3000):
        text = mask_spans(DOC, [(0, 2)], rng)
        word = text.words[0]
        kind = "mask" if word == MASK else "same" if word == "Ann" else "other"
        shown[kind] += 1
        assert (kind == "mask") == (text.masked == [0])
        assert word in {MASK, "Ann", "met", "left", "and", "he", "saw", "her"}
    for kind, share in (("mask", 0.8), ("other", 0.1), ("same", 0.1)):
        assert shown[kind] / 3000 == pytest.approx(share, abs=0.02)


SPANS = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 3)), max_size=4)


@given(SPANS, st.integers(0, 99))
def test_other_words_are_kept(pairs, seed):
    spans, end = [], 0
    for start, length in sorted(pairs):
        if start >= end and start + length <= len(DOC):
            end = start + length
            spans.append((start, end))
    text = mask_spans(DOC, spans, random.Random(seed))
    doc = text.make_example(NLP.vocab, []).predicted
    inside = {i for start, end in spans for i in range(start, end)}
    for token in DOC:
        if token.i not in inside:
            a, z = text.move((token.i, token.i + 1))
            assert doc[a:z].text == token.text
            assert doc[a].whitespace_ == token.whitespace_
    for start, end in spans:
        a, z = text.move((start, end))
        assert z - a == 1 or doc[a:z].text == DOC[start:end].text
        assert doc[z - 1].whitespace_ == DOC[end - 1].whitespace_
    assert all(doc[i].text == MASK for i in text.masked)


def test_names():
    rng = random.Random(1)
    eg = mask_names(NLP.vocab, DOC, rng, names=NAMES, share=1.0)
    assert eg.predicted.text == eg.reference.text
    assert MASK in eg.predicted.text and "he saw her" in eg.predicted.text
    (first, second) = eg.reference.spans["coref_clusters_1"]
    assert second.start > 3 and first.start == 0
    gold = align_gold(eg)
    # All names are labelled, and for each it is known what it continues.
    assert len(gold.annotated) == 3 and not gold.unsure and not gold.pronouns
    assert len(gold.clusters) == 1
    candidates = eg.predicted.spans["coref_mentions"]
    assert [(span.start, span.end) for span in candidates] == gold.annotated
    masked = [span.start for span in eg.predicted.spans["coref_masked"]]
    assert [i for i, token in enumerate(eg.predicted) if token.text == MASK] == masked


@pytest.mark.parametrize("names", [[], [[(0, 2), (6, 8)]], [[(0, 2)], [(3, 4)]]])
def test_texts_without_enough_names(names):
    assert mask_names(NLP.vocab, DOC, random.Random(0), names=names, share=1.0) is None


def test_pronouns():
    shares = {"he": 1.0, "her": 1.0, "she": 1.0}
    eg = mask_pronouns(NLP.vocab, DOC, random.Random(3), pronouns=shares)
    gold = align_gold(eg)
    assert gold.pronouns == {(10, 11): "he", (12, 13): "her"}
    # Whom they refer to is not known.
    assert not gold.clusters and gold.unsure == gold.annotated == [*gold.pronouns]
    assert eg.predicted[0:2].text == "Ann Lee"
    assert mask_pronouns(NLP.vocab, DOC, random.Random(0), pronouns={}) is None
    rng = random.Random(0)
    found = Counter()
    for _ in range(400):
        eg = mask_pronouns(NLP.vocab, DOC, rng, pronouns={"he": 0.4, "her": 1.0})
        found.update(align_gold(eg).pronouns.values())
    assert found["her"] == 400 and found["he"] / 400 == pytest.approx(0.4, abs=0.07)
