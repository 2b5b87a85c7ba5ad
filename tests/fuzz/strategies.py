"""Hostile input: texts, parses and groups of spans that nobody should write.

FUZZ_EXAMPLES is how many examples each test tries; `make fuzz` sets it.
"""

import faulthandler
import functools
import os
import signal
import sys
from contextlib import contextmanager

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, Span, SpanGroup

from spacy_fastcoref.grammar.annotation import SCHEMES

from ..conftest import blank

N_EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", 60))
# In CI a busy machine is no failure, and what hangs is ended by who started it.
IS_LONG = "FUZZ_EXAMPLES" in os.environ and hasattr(signal, "setitimer")
LANGS = ("en", "de", "fr", "pl", "xx")


def fuzz(share=1.0):
    """Make the settings of a test that tries a share of the examples."""
    n_examples = max(1, round(N_EXAMPLES * share))
    checks = list(HealthCheck)
    return settings(
        max_examples=n_examples, deadline=None, suppress_health_check=checks
    )


@contextmanager
def hang_limit():
    """End the process, and say where it is, if one example takes too long.

    That is 10 seconds of the processor's time, which other programs do not take from
    it, or two minutes in which it waits. Python's own handlers would never run where
    compiled code hangs.
    """
    if not IS_LONG:
        yield
        return
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    # What is chained ends the process.
    faulthandler.register(signal.SIGPROF, file=sys.__stderr__, chain=True)
    signal.setitimer(signal.ITIMER_PROF, 10)
    faulthandler.dump_traceback_later(120, exit=True, file=sys.__stderr__)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()


def limited(test):
    """Give every example of a test the same limit."""

    @functools.wraps(test)
    def run(*args, **kwargs):
        with hang_limit():
            return test(*args, **kwargs)

    return run


# Lone surrogates are no text that spaCy takes.
_ANY = st.characters(exclude_categories=["Cs"])
_NAMES = "Ann Ann's Lee ANN Mr. Dr. Dr Queen Musk O'Neil de von Xyx ann's".split()
_PRONOUNS = (
    "he she it they I you we him her his hers who that this er sie elle il".split()
)
_WORDS = "and or , the a dog said says is was of to und et oder i der le que".split()
_SIGNS = tuple("\"'“”‘’«»„`()[]{}<>.,:;!?-–—…_/\\&#@%*") + ("``", "''", "...", "\n> ")
_BLANKS = (*" \t\n\u00a0\u2003\u2028\x0b", "  ", "\n\n\n", "\r\n")
_INVISIBLE = tuple(
    "\u200b\u200d\u200e\u202e\u202c\u2066\u2069\ufeff\u00ad\x00\x07\x1b\x7f"
)
# Their lower, upper or folded case is longer, or there is none.
_CASES = ("İ", "ß", "ŉ", "ﬁ", "Σς", "ǅ", "ı", "ẞ", "Ω", "K", "𝐀nn", "Ａｎｎ")
_SCRIPTS = ("قال أحمد إنه", "אמר שהוא", *"他说她 안나는 ไทย अन्ना Ζωή Анна".split())
_EMOJI = ("🙂", "👩‍👩‍👧‍👦", "👍🏽", "🇩🇪", "❤️", "𝒜", "\U0010ffff", "\ufffd", "\ufffe")
_MARKS = ("e\u0301", "a" + "\u0301" * 40, "\u0301", "\u0902", "\u20e3", "\ufe0f")
_URLS = "https://a.b/c?d=e#f ann@lee.org @ann #AnnLee C:\\a <s> [CLS]".split()
_LONG = ("x" * 300, "Ann" * 90, "-" * 200, "(" * 90, "9" * 99, "A." * 60, "'" * 64)
SNIPPETS = (_NAMES, _PRONOUNS, _WORDS, _SIGNS, _BLANKS, _INVISIBLE, _CASES, _SCRIPTS)
SNIPPETS += (_EMOJI, _MARKS, _URLS, _LONG)


def snippets():
    """Short strings of one hostile kind or another."""
    known = st.one_of(*(st.sampled_from(tuple(kind)) for kind in SNIPPETS))
    return known | st.text(_ANY, max_size=8)


def _repeat(pair):
    parts, n_times = pair
    return "".join(parts) * n_times


def texts(max_times=12, max_length=200):
    """Texts: snippets side by side, some of them many times over."""
    joined = st.tuples(
        st.sampled_from(["", " ", " ", " ", "\n"]), st.lists(snippets(), max_size=14)
    ).map(lambda pair: pair[0].join(pair[1]))
    repeated = st.tuples(
        st.lists(snippets() | st.just(" "), min_size=1, max_size=4),
        st.integers(2, max_times),
    ).map(_repeat)
    several = st.lists(joined | repeated, max_size=4).map("".join)
    found = st.one_of(joined, joined, repeated, several)
    return found.map(lambda text: text[:max_length])


def words():
    """The words of a Doc: any but the empty one."""
    return snippets().filter(bool)


def _list_labels(scheme):
    return sorted(label for label, roles in scheme.roles.items() if roles)


_LABELS = sorted(
    {label for scheme in SCHEMES.values() for label in _list_labels(scheme)}
)
_POS = (*"NOUN PROPN PRON VERB AUX ADP DET ADJ PART X".split(), "", "")
_TAGS = ("PRP$", "NNP", "NN", "VBZ", "PPOSAT", "PDS", "", "?")
_MORPHS = (
    "",
    "Gender=Masc|Number=Sing",
    "Gender=Fem,Masc|Number=Plur",
    "Person=1|PronType=Prs",
    "Case=Acc|Reflex=Yes",
    "Poss=Yes|Number[psor]=Sing",
    "PronType=Rel",
    "Number=?",
    "A=B",
)
_ENTS = ("B-PERSON", "I-PERSON", "B-ORG", "I-PER", "B-?", "O", "")


@st.composite
def parses(draw, max_words=16):
    """What Doc() takes: any heads, with or without a tree, and any labels."""
    n_words = draw(st.integers(0, max_words))

    def many(strategy):
        return draw(st.lists(strategy, min_size=n_words, max_size=n_words))

    given = {"words": many(words()), "spaces": many(st.booleans())}
    if draw(st.booleans()):
        given["heads"] = many(st.integers(0, max(0, n_words - 1)))
        # Of one scheme, of all of them, or of none.
        scheme = draw(st.sampled_from([*SCHEMES.values()]))
        own = _list_labels(scheme)
        labels = draw(st.sampled_from([own, own, _LABELS, ["", "ROOT", "dep", "?"]]))
        labels = draw(st.sampled_from([labels, ["conj", "cj", "cc", "cd"]]))
        given["deps"] = many(st.sampled_from(labels))
    elif draw(st.booleans()):
        given["sent_starts"] = many(st.sampled_from([True, False, None]))
    for name, values in (
        ("pos", _POS),
        ("tags", _TAGS),
        ("morphs", _MORPHS),
        ("ents", _ENTS),
    ):
        if draw(st.booleans()):
            given[name] = many(st.sampled_from(values))
    return given


def make_doc(lang, parse):
    return Doc(get_vocab(lang), **parse)


@functools.lru_cache(maxsize=None)
def get_vocab(lang):
    return blank(lang).vocab


CLUSTERS = tuple(f"coref_clusters_{i}" for i in ("1", "2", "3", "10"))
# Groups that say who is who, and names that are like ours and are the user's own.
SAID = (
    "coref_seeds coref_seeds_1 coref_seeds_x coref_apart coref_apart_1 speakers "
    "coref_mentions"
).split()
OTHERS = ("coref_clusters_007", "coref_clusters", "coref_clusters_x", "sc", "")
_JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 99)
    | st.floats()
    | st.sampled_from(["", "x", "heads"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "heads"]), inner, max_size=2)
    ),
    max_leaves=8,
)
_NUMBERS = st.lists(st.integers(-3, 20) | st.floats(), max_size=5)
_BROKEN = st.dictionaries(
    st.sampled_from(["heads", "antecedents", "scores", "probs", "candidates", "x"]),
    st.one_of(_JUNK, _NUMBERS, st.lists(_NUMBERS, max_size=5)),
    max_size=4,
)


@st.composite
def groups(draw, n_words, names):
    """Groups of spans: overlapping, nested, identical, empty, with broken attrs."""
    spans = st.tuples(st.integers(0, n_words), st.integers(0, n_words)).map(
        lambda pair: (min(pair), max(pair))
    )
    labels = st.sampled_from(["", "", "Ann", "none", "anaphor"])
    some = st.lists(st.tuples(spans, labels), max_size=5)
    found = {}
    for name in draw(st.lists(st.sampled_from(names), unique=True, max_size=4)):
        found[name] = draw(some), draw(st.just({}) | _BROKEN)
    return found


def add_groups(doc, found):
    for name, (spans, attrs) in found.items():
        made = [Span(doc, start, end, label=label) for (start, end), label in spans]
        doc.spans[name] = SpanGroup(doc, name=name, attrs=dict(attrs), spans=made)
