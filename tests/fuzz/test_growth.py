"""Ten times as much input takes about ten times the work and the memory.

Work is the number of functions that are called, which no busy machine changes; `make
fuzz` measures the time of the processor, too.
"""

import functools
import gc
import sys
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span

from .models import make_nlp
from .strategies import (
    IS_LONG,
    LANGS,
    SNIPPETS,
    fuzz,
    get_vocab,
    limited,
    parses,
    texts,
)

FEW, MANY = 5, 50
# Of ten times as much.
FACTOR = 15
# Hostile parses may have labels of no scheme, which the rules say once.
pytestmark = pytest.mark.filterwarnings("ignore:.*FCW32")
NLP = {lang: make_nlp(lang) for lang in LANGS}


def repeat_parse(parse, n_times):
    """Put a parse beside itself, as often as that."""
    n_words = len(parse["words"])
    found = {name: values * n_times for name, values in parse.items()}
    if "heads" in parse:
        found["heads"] = [
            head + i * n_words for i in range(n_times) for head in parse["heads"]
        ]
    return found


def add_spans(doc, spans, n_times, is_nested):
    """Give each copy of the text the same spans, or spans around those of the next."""
    n_words = len(doc) // n_times
    for name, offsets in spans.items():
        places = []
        for i in range(n_times):
            for start, end in offsets:
                last = end + (n_times - 1 - i if is_nested else i) * n_words
                span = sorted((start + i * n_words, last))
                places.append(tuple(span))
        if name == "coref_clusters":
            # Each mention with a token that may be in another one.
            for i, (start, end) in enumerate(sorted(set(places)), start=1):
                other = i % len(doc)
                made = [Span(doc, start, end), Span(doc, other, other + 1)]
                doc.spans[f"{name}_{i}"] = made
        else:
            doc.spans[name] = [Span(doc, start, end) for start, end in places]


def ask(component, make_doc, has_tokens):
    """Make an answer and read all of it."""
    doc = make_doc()
    read(doc, has_tokens)
    component(doc)
    read(doc, has_tokens)
    component.explain_all(doc)


def read(doc, has_tokens):
    for name in ("coref_clusters", "resolved_text", "coref_scores", "has_coref"):
        getattr(doc._, name)
    chains = doc._.coref_chains
    # A token in nested mentions has as many clusters as there are around it.
    names = ["in_coref", "coref_clusters", "coref_chains"][: 3 if has_tokens else 1]
    for token in doc:
        for name in names:
            getattr(token._, name)
        if has_tokens:
            chains.resolve(token)


def count_calls(function):
    n_calls = 0

    def count(frame, event, arg):
        nonlocal n_calls
        n_calls += event == "call"

    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return n_calls


def find_peak(function):
    gc.collect()
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def find_time(function):
    start = time.process_time()
    function()
    return time.process_time() - start


def check_growth(make_ask):
    few, many = make_ask(FEW), make_ask(MANY)
    # What is made once, such as the memory of word lists, belongs to neither.
    few(), many()
    measures = [(count_calls, 20_000), (find_peak, 2**20)]
    if IS_LONG:
        measures.append((find_time, 0.5))
    for measure, slack in measures:
        less, more = measure(few), measure(many)
        assert more <= FACTOR * less + slack, (measure.__name__, less, more)


@fuzz(share=1 / 50)
@given(st.sampled_from(LANGS), texts(max_length=16))
@limited
def test_texts(lang, text):
    nlp = NLP[lang]
    component = nlp.get_pipe("fastcoref")
    check_growth(lambda n: lambda: ask(component, lambda: nlp.make_doc(text * n), True))


N_CHARS = 1000
REPEATED = [*(one for kind in SNIPPETS for one in kind), "Ann and ", "Ann said she "]


# It takes minutes: make fuzz.
@pytest.mark.parametrize("i", range(len(REPEATED)) if IS_LONG else ())
def test_time_a_character(i, record_property):
    """It grows by less than 1.3 for each time that a hostile text is doubled."""
    nlp = NLP[LANGS[i % len(LANGS)]]
    text = f"{REPEATED[i]} " * (N_CHARS // (len(REPEATED[i]) + 1) + 1)
    component = nlp.get_pipe("fastcoref")

    def find_best(n):
        make_doc = functools.partial(nlp.make_doc, text * n)
        return min(find_time(lambda: ask(component, make_doc, True)) for _ in range(2))

    # Others use the processor, too, and what is short is not measured well.
    quadruple = min((find_best(4) + 0.01) / (4 * find_best(1) + 0.01) for _ in range(3))
    growth = quadruple**0.5
    record_property("growth", growth)
    assert growth < 1.3


SPANS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda p: p[0] < p[1]),
    min_size=1,
    max_size=2,
)
NAMES = ["coref_seeds", "coref_apart", "speakers", "coref_mentions", "coref_clusters"]


@fuzz(share=1 / 50)
@given(
    st.sampled_from(LANGS),
    parses(max_words=6),
    st.dictionaries(st.sampled_from(NAMES), SPANS, max_size=2),
    st.booleans(),
)
@limited
def test_docs(lang, parse, spans, is_nested):
    n_words = len(parse["words"])
    spans = {
        name: kept
        for name, found in spans.items()
        if (kept := [(start, end) for start, end in found if end <= n_words])
    }
    component = NLP[lang].get_pipe("fastcoref")
    # Seeds that are apart contradict themselves.
    component.set_error_handler(lambda *args: None)

    def make_doc(n_times):
        doc = Doc(get_vocab(lang), **repeat_parse(parse, n_times))
        add_spans(doc, spans, n_times, is_nested)
        return doc

    check_growth(
        lambda n: lambda: ask_safely(component, lambda: make_doc(n), not is_nested)
    )


def ask_safely(component, make_doc, has_tokens):
    try:
        ask(component, make_doc, has_tokens)
    except ValueError as error:
        # explain says that seeds contradict themselves.
        assert "FC041" in str(error)
