import re

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_fastcoref import render, set_clusters
from spacy_fastcoref.visualizer.escaping import escape
from spacy_fastcoref.visualizer.passage import read_passage

from .docs import make_doc, shown
from .reading import parse


def draw(doc, **options):
    return parse(render(doc, options=options))


def list_marks(doc):
    text = draw(doc).find("div", "coref-text")
    return [
        (mark.attrs["data-cluster"], mark.source, mark.text)
        for mark in text.find_all("mark")
    ]


def test_nested_mentions():
    doc = make_doc("The mother of his friend saw her .", [(0, 5), (6, 7)], [(3, 5)])
    assert list_marks(doc) == [
        ("1", "The mother of his friend", "The mother of his friend21"),
        ("2", "his friend", "his friend2"),
        ("1", "her", "her1"),
    ]
    outer, inner, _ = draw(doc).find("div", "coref-text").find_all("mark")
    assert inner.parent is outer
    assert "coref-l2" in outer.classes and "coref-l1" in inner.classes
    assert (outer.attrs["data-start"], outer.attrs["data-end"]) == ("0", "5")


def test_overlapping_mentions():
    doc = make_doc("a b c d e", [(0, 3)], [(2, 5)])
    # The first mention has two elements, and one number.
    assert list_marks(doc) == [
        ("1", "a b ", "a b "),
        ("2", "c d e", "c1 d e2"),
        ("1", "c", "c1"),
    ]


def test_underlines_of_nested_mentions_are_apart():
    doc = make_doc("a b c d e", [(0, 5)], [(0, 3)], [(2, 4)], [(2, 3)])
    levels = [mention.level for mention in read_passage(doc).mentions]
    assert sorted(levels) == [1, 2, 3, 4] and levels[0] == 4


def test_no_clusters_and_no_tokens():
    root = draw(make_doc("Ann left ."))
    assert root.find("div", "coref-text").text == "Ann left ."
    assert not list(root.find_all("mark"))
    assert root.find("p", "coref-legend").text == "No clusters"
    assert draw(make_doc("")).find("div", "coref-text").text == ""


def test_legend():
    doc = make_doc("She knew Ann and Ann Lee .", [(0, 1), (4, 6)], [(2, 3)])
    items = [item.text for item in draw(doc).find("ul").find_all("li")]
    assert items == ["Ann Lee1 ×2", "Ann2 ×1"]
    assert not list(draw(doc, legend=False).find_all("ul"))


def test_long_legend_is_folded():
    doc = make_doc("a " * 50, *([(i, i + 1)] for i in range(50)))
    details = draw(doc).find("details", "coref-legend")
    assert details.find("summary").text == "50 clusters"
    assert "open" not in details.attrs


def test_span():
    """Of a mention that is not inside it nothing is drawn, but its cluster keeps it."""
    doc = make_doc("Ann Lee saw her . She left .", [(0, 2), (3, 4), (5, 6)])
    root = draw(doc[3:7])
    assert root.find("div", "coref-text").text == "her1 . She1 left "
    assert root.find("li").text == "Ann Lee1 ×3"


# There is no lexicon of these languages.
@pytest.mark.filterwarnings("ignore:.*FCW31")
@pytest.mark.parametrize(
    "lang, text, expected",
    [
        ("ar", "قالت ليلى إنها تعبت", "rtl"),
        ("he", "Ann", "rtl"),
        ("xx", "קובי אמר שהוא עייף", "rtl"),
        ("en", "Ann said قالت", "ltr"),
        ("en", "", "ltr"),
    ],
)
def test_direction(lang, text, expected):
    doc = spacy.blank(lang)(text)
    if len(doc):
        set_clusters(doc, [[(0, 1)]])
    root = draw(doc)
    for element in (root.find("div", "coref-text"), *root.find_all("ul")):
        assert element.attrs["dir"] == expected
        assert element.attrs.get("lang") == (None if lang == "xx" else lang)


# Whatever a Doc can hold.
TEXTS = st.text(st.characters(), max_size=12) | st.sampled_from(
    ["<script>alert(1)</script>", "</style>", "<!--", "&amp;", "a\r\nb", "\x00", '"x"']
)


@settings(max_examples=60)
@given(st.lists(TEXTS.filter(bool), min_size=1, max_size=6), st.data())
def test_text_is_shown_as_it_is(en_vocab, words, data):
    """Parsed again, the text is the Doc's, and no element is from the text."""
    words = [word for word in words if not re.search("[\ud800-\udfff]", word)] or ["a"]
    doc = spacy.tokens.Doc(en_vocab, words=words)
    ends = st.tuples(*[st.integers(0, len(words))] * 2).map(sorted)
    spans = data.draw(
        st.lists(ends.filter(lambda m: m[0] < m[1]).map(tuple), unique=True)
    )
    set_clusters(doc, [spans[::2], spans[1::2]])
    doc.user_data["title"] = doc.text
    root = draw(doc)
    text = root.find("div", "coref-text")
    assert text.source == shown(doc.text)
    assert root.find("h2").text == shown(doc.text)
    assert {node.tag for node in text.find_all()} <= {"mark", "sub"}
    tags = {node.tag for node in root.find_all()}
    assert tags <= {
        "style",
        "figure",
        "h2",
        "div",
        "p",
        "ul",
        "li",
        "mark",
        "sub",
        "span",
    }


@given(st.text(st.characters()))
def test_escape(text):
    """Also of lone surrogates, which no Doc has but a file's name may have."""
    root = parse(f'<p title="{escape(text)}">{escape(text)}</p>')
    assert root.find("p").text == root.find("p").attrs["title"] == shown(text)
    escape(text).encode("utf8")
