import re
from xml.etree import ElementTree

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_fastcoref import render, set_clusters
from spacy_fastcoref.visualizer.layout import LETTER, lay_out
from spacy_fastcoref.visualizer.palette import DARK, LIGHT
from spacy_fastcoref.visualizer.passage import read_passage

from .docs import make_doc, shown

SVG = "{http://www.w3.org/2000/svg}"


def draw(doc, style="spans", **options):
    return ElementTree.fromstring(
        render(doc, style=style, options={"format": "svg", **options})
    )


def list_texts(svg):
    return [node.text for node in svg.iter(f"{SVG}text")]


def test_words_and_numbers():
    doc = make_doc("His friend saw Ann .", [(0, 1)], [(0, 2), (3, 4)])
    assert list_texts(draw(doc)) == ["2", "1", "2", "His", "friend", "saw", "Ann", "."]


def test_lines():
    """A line ends where there is white space, or where the text has a line break."""
    words, spaces = (
        ["Ann", "'s", "dog", "\n\n", "ran"],
        [False, True, True, False, False],
    )
    doc = Doc(spacy.blank("en").vocab, words=words, spaces=spaces)
    layout = lay_out(read_passage(doc), 80)
    assert [word.line for word in layout.words] == [0, 0, 0, 2]
    assert layout.n_lines == 3
    layout = lay_out(read_passage(doc), 5)
    assert [word.line for word in layout.words] == [0, 0, 1, 3]
    assert layout.width == pytest.approx(5 * LETTER)
    assert lay_out(read_passage(doc), 1).width == pytest.approx(5 * LETTER)


# There is no lexicon of this language.
@pytest.mark.filterwarnings("ignore:.*FCW31")
def test_right_to_left_is_mirrored():
    doc = make_doc("ا ب", [(0, 1)], lang="ar")
    first, second = (
        float(node.get("x"))
        for node in draw(doc).iter(f"{SVG}text")
        if "coref-word" in node.get("class")
    )
    assert first > second


def test_themes():
    doc = make_doc("Ann left .", [(0, 1)])
    for theme, colors in (("light", LIGHT), ("auto", LIGHT), ("dark", DARK)):
        assert draw(doc, theme=theme).find(f"{SVG}rect").get("fill") == colors.page


@pytest.mark.parametrize("style", ["spans", "links"])
@settings(max_examples=40)
@given(st.lists(st.text(min_size=1, max_size=9), min_size=1, max_size=9), st.data())
def test_any_text(style, en_vocab, words, data):
    """It is XML, everything is inside the picture, and words are in their places."""
    words = [re.sub("[\ud800-\udfff]", "x", word) for word in words]
    doc = Doc(en_vocab, words=words)
    ends = st.tuples(*[st.integers(0, len(words))] * 2).map(sorted)
    spans = data.draw(
        st.lists(ends.filter(lambda m: m[0] < m[1]).map(tuple), unique=True)
    )
    set_clusters(doc, [spans[::2], spans[1::2]])
    svg = draw(doc, style, width=20)
    found = [
        node for node in svg.iter(f"{SVG}text") if "coref-word" in node.get("class")
    ]
    expected = [shown(token.text) for token in doc if not token.is_space]
    assert [node.text for node in found] == expected
    width, height = float(svg.get("width")), float(svg.get("height"))
    for node in found:
        assert 0 <= float(node.get("x")) <= width
        assert 0 <= float(node.get("y")) <= height
    places = [(float(node.get("y")), float(node.get("x"))) for node in found]
    if not read_passage(doc).is_right_to_left:
        assert places == sorted(places)
