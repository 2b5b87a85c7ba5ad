import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_fastcoref import render
from spacy_fastcoref.visualizer.palette import DARK, LIGHT
from spacy_fastcoref.visualizer.passage import read_passage
from spacy_fastcoref.visualizer.svg import LETTER, lay_out

from ..conftest import blank
from .reading import docs, find, find_all, make_doc, parse, shown


def draw(doc, style="spans", **options):
    return find(parse(render(doc, style, options={"format": "svg", **options})), "svg")


def list_texts(svg):
    return [node.text for node in find_all(svg, "text")]


def test_words_and_numbers():
    doc = make_doc("His friend saw Ann .", [(0, 1)], [(0, 2), (3, 4)])
    assert list_texts(draw(doc)) == ["2", "1", "2", "His", "friend", "saw", "Ann", "."]


def test_lines():
    """A line ends where there is white space, or where the text has a line break."""
    words = ["Ann", "'s", "dog", "\n\n", "ran"]
    doc = Doc(blank("en").vocab, words=words, spaces=[False, True, True, False, False])
    layout = lay_out(read_passage(doc), 80)
    assert [(part.text, part.line) for part in layout.words] == [
        ("Ann's dog", 0),
        ("ran", 2),
    ]
    assert layout.n_lines == 3
    layout = lay_out(read_passage(doc), 5)
    assert [(part.text, part.line) for part in layout.words] == [
        ("Ann's", 0),
        ("dog", 1),
        ("ran", 3),
    ]
    assert layout.width == pytest.approx(5 * LETTER)
    assert lay_out(read_passage(doc), 1).width == pytest.approx(5 * LETTER)


# There is no lexicon of this language.
@pytest.mark.filterwarnings("ignore:.*FCW31")
def test_right_to_left():
    """The picture is mirrored, and a name of two words stays together."""
    texts = find_all(draw(make_doc("ا ب", [(0, 1)], lang="ar")), "text", "coref-word")
    first, second = (float(node.get("x")) for node in texts)
    assert first > second
    svg = draw(make_doc("קובי פגש את Ann Lee בתל אביב", [(3, 5)], lang="xx"))
    words = [node.text for node in find_all(svg, "text", "coref-word")]
    assert words == ["קובי פגש את", "Ann Lee", "בתל אביב"]
    assert svg.get("direction") == "rtl"


def test_themes():
    doc = make_doc("Ann left .", [(0, 1)])
    for theme, colors in (("light", LIGHT), ("auto", LIGHT), ("dark", DARK)):
        assert find(draw(doc, theme=theme), "rect").get("fill") == colors.page


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9)


@pytest.mark.parametrize("style", ["spans", "links"])
@given(docs(TEXTS))
def test_any_text(style, doc):
    """It is XML, everything is inside the picture, and words are in their places."""
    svg = draw(doc, style, width=20)
    found = find_all(svg, "text", "coref-word")
    expected = [shown(token.text) for token in doc if not token.is_space]
    text = "".join(node.text for node in found)
    assert re.sub(" ", "", text) == re.sub(" ", "", "".join(expected))
    width, height = float(svg.get("width")), float(svg.get("height"))
    places = [(float(node.get("y")), float(node.get("x"))) for node in found]
    assert all(0 <= x <= width and 0 <= y <= height for y, x in places)
    if read_passage(doc).direction == "ltr":
        assert places == sorted(places)
