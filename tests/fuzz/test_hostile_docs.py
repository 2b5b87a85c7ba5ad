"""Any text, any parse and any groups of spans: an answer, and every view of it."""

import warnings

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref import from_docs
from spacy_fastcoref.errors import is_ours
from spacy_fastcoref.grammar.auto import AutoRules
from spacy_fastcoref.pipeline.decide import decode_doc, decode_docs

from ..conftest import load_model
from .invariants import (
    check_component,
    check_links,
    check_round_trip,
    check_views,
    read_groups,
)
from .models import make_nlp, predict
from .strategies import (
    CLUSTERS,
    LANGS,
    OTHERS,
    SAID,
    add_groups,
    fuzz,
    groups,
    limited,
    make_doc,
    parses,
    texts,
)

# Hostile parses may have labels of no scheme, which the rules say once.
pytestmark = pytest.mark.filterwarnings("ignore:.*FCW32")
NLP = {lang: make_nlp(lang) for lang in LANGS}
langs = st.sampled_from(LANGS)


@fuzz(share=1 / 2)
@given(langs, texts())
@limited
def test_texts(lang, text):
    doc = NLP[lang].make_doc(text)
    assert doc.text == text
    check_component(NLP[lang].get_pipe("fastcoref"), doc)


@fuzz(share=1 / 2)
@given(langs, parses(), st.data())
@limited
def test_what_users_say(lang, parse, data):
    """Must-links, cannot-links, speakers and candidates, and names like ours."""
    doc = make_doc(lang, parse)
    assert [token.text for token in doc] == parse["words"]
    add_groups(doc, data.draw(groups(len(doc), (*SAID, *SAID, *OTHERS))))
    check_component(NLP[lang].get_pipe("fastcoref"), doc)


@fuzz(share=1 / 2)
@given(langs, parses(), st.data())
@limited
def test_clusters_of_users(lang, parse, data):
    """Clusters that somebody wrote, who did not read how."""
    doc = make_doc(lang, parse)
    add_groups(doc, data.draw(groups(len(doc), (*CLUSTERS, *CLUSTERS, *OTHERS))))
    before = read_groups(doc)
    check_views(doc)
    check_round_trip(doc)
    assert read_groups(doc) == before
    check_component(NLP[lang].get_pipe("fastcoref"), doc)


@fuzz(share=1 / 4)
@given(langs, parses(max_words=8), st.integers(0, 7), st.integers(2, 4))
@limited
def test_merged_tokens(lang, parse, start, n_merged):
    """Clusters of words that are no more: none at all, and not other words."""
    doc = make_doc(lang, parse)
    component = NLP[lang].get_pipe("fastcoref")
    component(doc)
    before = doc._.coref_clusters
    try:
        with doc.retokenize() as retokenizer:
            if len(doc[start : start + n_merged]) > 1:
                retokenizer.merge(doc[start : start + n_merged])
    except RuntimeError as error:
        # spaCy merges no tokens whose heads go round in a circle.
        assert "E039" in str(error)
        return
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        check_views(doc)
        found = doc._.coref_clusters
    assert found == before or (found == [] and "FCW07" in str(warned[0].message))
    component(doc)
    check_views(doc)


@fuzz(share=1 / 4)
@given(langs, st.lists(st.tuples(parses(max_words=6), st.data()), max_size=3))
@limited
def test_joined_docs(lang, many):
    """As many clusters, of the same texts."""
    docs = []
    for parse, data in many:
        docs.append(make_doc(lang, parse))
        NLP[lang].get_pipe("fastcoref")(docs[-1])
        drawn = data.draw(groups(len(docs[-1]), (*SAID, *OTHERS)))
        # spaCy joins no spans of no tokens.
        for spans, _ in drawn.values():
            spans[:] = [span for span in spans if span[0][0] < span[0][1]]
        add_groups(docs[-1], drawn)
    texts = [
        [doc.text[start:end] for start, end in cluster]
        for doc in docs
        for cluster in doc._.coref_clusters
    ]
    joined = from_docs(docs)
    if joined is None:
        assert not docs
        return
    check_views(joined)
    check_round_trip(joined)
    assert texts == [
        [joined.text[start:end] for start, end in cluster]
        for cluster in joined._.coref_clusters
    ]


@pytest.fixture(scope="module")
def eager(tiny_path):
    """A transformer that links as much as it can."""
    return load_model(tiny_path, threshold=-1e6)


@fuzz(share=1 / 2)
@given(many=st.lists(texts(), max_size=4))
@limited
def test_batches(eager, many):
    """In order, none lost, and answered as each alone."""
    component = eager.get_pipe("fastcoref")
    docs = [eager.make_doc(text) for text in many]
    for doc, links in zip(docs, component.predict(docs), strict=True):
        (alone,) = component.predict([doc])
        check_links(alone, links)
    docs = list(eager.pipe(many, batch_size=3))
    assert [doc.text for doc in docs] == many
    for doc in docs:
        check_views(doc)


@fuzz(share=1 / 2)
@given(many=st.lists(st.tuples(parses(max_words=8), st.integers(0, 99)), max_size=6))
@limited
def test_streams(many):
    """Alone as in a stream, also beside documents that fail."""
    nlp = NLP["en"]
    component = nlp.get_pipe("fastcoref")
    failed = []
    component.set_error_handler(lambda name, pipe, docs, error: failed.append(error))
    try:
        docs, alone = ([make_bad_doc(*one) for one in many] for _ in range(2))
        found = list(component.pipe(docs, batch_size=4))
        assert all(a is b for a, b in zip(docs, found, strict=True))
        assert all(is_ours(error) for error in failed)
        for doc in alone:
            component(doc)
        assert list(map(read_groups, docs)) == list(map(read_groups, alone))
    finally:
        component.set_error_handler(spacy.util.raise_error)


@fuzz(share=1 / 2)
@given(langs, st.lists(st.tuples(parses(max_words=8), st.data()), max_size=6))
@limited
def test_short_docs(lang, many):
    """Decoded together as each alone, by all rules, with all that the rules read."""
    docs = []
    for parse, data in many:
        docs.append(make_doc(lang, parse))
        add_groups(docs[-1], data.draw(groups(len(docs[-1]), ("speakers", "sc"))))
    links = [predict(doc) for doc in docs]
    rules = AutoRules().find(lang)
    rules = rules and rules.copy_without(())
    alone = [decode_doc(*pair, rules, 0.0) for pair in zip(docs, links, strict=True)]
    # Twice, so that each document is decoded with another one that is as it is.
    found = decode_docs(docs * 2, links * 2, rules, 0.0)
    assert repr(found) == repr(alone * 2)


def make_bad_doc(parse, number):
    """Make a Doc; some contradict themselves."""
    doc = make_doc("en", parse)
    if len(doc) > 1 and number % 4 == 0:
        doc.spans["coref_seeds"] = doc.spans["coref_apart"] = [doc[0:1], doc[1:2]]
    return doc


@fuzz(share=1 / 100)
@given(many=st.lists(texts(), min_size=3, max_size=9))
def test_two_processes(many):
    nlp = NLP["en"]
    expected = [read_groups(doc) for doc in nlp.pipe(many)]
    docs = list(nlp.pipe(many, n_process=2, batch_size=2))
    assert [doc.text for doc in docs] == many
    assert [read_groups(doc) for doc in docs] == expected
