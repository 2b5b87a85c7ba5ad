import pytest

ODD = [
    "",
    " ",
    "\n\n\t",
    "!!! ???",
    "🙂🙂 she 🙂",
    "e\u0301a\u0300 Zoë\u200b said she\u00a0knew",
    "x" * 20_000,
    "she " * 3_000,
    "قال أحمد إنه متعب",
    "<s> </s> [CLS] [SEP] [PAD] [MASK]",
    "A\x00B he \x07\x1b she",
    "\u202ehe said\u202c she",
    "\ufeffhe",
]


def check(doc):
    """Check that clusters are valid spans of the Doc and don't share mentions."""
    seen = []
    for key, group in doc.spans.items():
        mentions = [(span.start, span.end) for span in group]
        assert len(mentions) >= 2 and mentions == sorted(set(mentions)), key
        seen += mentions
        for start, end in mentions:
            assert 0 <= start < end <= len(doc)
            assert doc[start].text.strip() and doc[end - 1].text.strip()
    assert len(seen) == len(set(seen))
    for cluster in doc._.coref_clusters:
        for start, end in cluster:
            span = doc.char_span(start, end)
            assert span is not None and span.text == doc.text[start:end]
    assert isinstance(doc._.resolved_text, str)


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_unusual_texts(shipped_nlp, text):
    doc = shipped_nlp(text)
    assert doc.text == text
    check(doc)


def test_unusual_texts_in_one_batch(shipped_nlp):
    docs = list(shipped_nlp.pipe(ODD))
    assert [doc.text for doc in docs] == ODD
    for doc in docs:
        check(doc)
