import pytest
import spacy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc

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


@pytest.fixture(scope="module")
def eager_nlp(tiny_path):
    """Make a pipeline that links as many mentions as possible, to check them."""
    nlp = spacy.blank("en")
    config = {"model_path": str(tiny_path), "threshold": -1e6, "device": "cpu"}
    nlp.add_pipe("fastcoref", config=config)
    return nlp


SLOW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@SLOW
@given(st.lists(st.text(max_size=60), max_size=4))
def test_any_texts(eager_nlp, texts):
    docs = list(eager_nlp.pipe(texts))
    assert [doc.text for doc in docs] == texts
    for doc in docs:
        check(doc)


@SLOW
@given(
    st.lists(
        st.text(alphabet=st.characters(codec="utf8"), min_size=1, max_size=9),
        max_size=12,
    ),
    st.data(),
)
def test_any_tokens(eager_nlp, words, data):
    n = len(words)
    spaces = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    doc = eager_nlp(Doc(eager_nlp.vocab, words=words, spaces=spaces))
    assert [token.text for token in doc] == words
    check(doc)
