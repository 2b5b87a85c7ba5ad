import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref import render, set_clusters
from spacy_fastcoref.visualizer.passage import read_passage

from ..conftest import blank
from .reading import docs, find, find_all, get_text, make_doc, parse, shown


def draw(doc, style="spans", **options):
    return parse(render(doc, style, options=options))


def draw_text(doc):
    return find(draw(doc), "div", "coref-text")


def list_marks(doc):
    return [
        (mark.get("data-cluster"), get_text(mark, numbers=False), get_text(mark))
        for mark in find_all(draw_text(doc), "mark")
    ]


def list_rows(doc, **options):
    rows = find_all(find(draw(doc, "chains", **options), "tbody"), "tr")
    return [[*map(get_text, row)] for row in rows]


def test_nested_mentions():
    doc = make_doc("The mother of his friend saw her .", [(0, 5), (6, 7)], [(3, 5)])
    assert list_marks(doc) == [
        ("1", "The mother of his friend", "The mother of his friend21"),
        ("2", "his friend", "his friend2"),
        ("1", "her", "her1"),
    ]
    outer, inner, _ = find_all(draw_text(doc), "mark")
    assert inner in list(outer)
    assert "coref-l2" in outer.get("class") and "coref-l1" in inner.get("class")
    assert (outer.get("data-start"), outer.get("data-end")) == ("0", "5")


def test_overlapping_mentions():
    # The first mention has two elements, and one number.
    assert list_marks(make_doc("a b c d e", [(0, 3)], [(2, 5)])) == [
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
    assert get_text(find(root, "div", "coref-text")) == "Ann left ."
    assert not find_all(root, "mark")
    assert get_text(find(root, "p", "coref-legend")) == "No clusters"
    assert get_text(draw_text(make_doc(""))) == ""
    assert get_text(find(draw(make_doc("a"), "chains"), "p")) == "No clusters"


def test_legend():
    doc = make_doc("She knew Ann and Ann Lee .", [(0, 1), (4, 6)], [(2, 3)])
    items = [get_text(item) for item in find_all(draw(doc), "li")]
    assert items == ["Ann Lee1 ×2", "Ann2 ×1"]
    assert not find_all(draw(doc, legend=False), "ul")
    # A long one is folded.
    doc = make_doc("a " * 50, *([(i, i + 1)] for i in range(50)))
    details = find(draw(doc), "details", "coref-legend")
    assert get_text(find(details, "summary")) == "50 clusters"
    assert "open" not in details.attrib


def test_chains():
    doc = make_doc(
        "She saw Ann Lee , and her dog saw her . They left .",
        [(0, 1), (2, 4), (6, 7), (9, 10)],
        [(11, 12)],
    )
    assert list_rows(doc) == [["Ann Lee1", "Sheher ×2", "4"], ["They2", "", "1"]]
    assert list_rows(doc, clusters=[2]) == [["They2", "", "1"]]
    ((main, _, _),) = list_rows(make_doc("<b> " * 50 + "x", [(0, 51)]))
    assert main.startswith("<b> <b>") and main.endswith("…1") and len(main) <= 61


def test_span():
    """Of a mention that is not inside it nothing is drawn, but its cluster keeps it."""
    doc = make_doc("Ann Lee saw her . She left .", [(0, 2), (3, 4), (5, 6)])
    root = draw(doc[3:7])
    assert get_text(find(root, "div", "coref-text")) == "her1 . She1 left "
    assert get_text(find(root, "li")) == "Ann Lee1 ×3"


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
    doc = blank(lang)(text)
    if len(doc):
        set_clusters(doc, [[(0, 1)]])
    root = draw(doc)
    for element in (find(root, "div", "coref-text"), *find_all(root, "ul")):
        assert element.get("dir") == expected
        assert element.get("lang") == (None if lang == "xx" else lang)


# Whatever a Doc can hold.
TEXTS = st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12
) | st.sampled_from(
    ["<script>alert(1)</script>", "</style>", "<!--", "&amp;", "a\r\nb", "\x00", '"x"']
)


@given(docs(TEXTS))
def test_text_is_shown_as_it_is(doc):
    """Parsed again, the text is the Doc's, and no element is from the text."""
    # No Doc has lone surrogates, but a file's name may.
    title = doc.user_data["title"] = f"{doc.text}\ud800"
    root = draw(doc)
    text = find(root, "div", "coref-text")
    assert get_text(text, numbers=False) == shown(doc.text)
    assert get_text(find(root, "h2")) == shown(title)
    assert {node.tag for node in text.iter()} <= {"div", "mark", "sub"}
    # The elements of a mention are all of it, and none is empty.
    parts = {}
    for mark in find_all(text, "mark"):
        assert get_text(mark, numbers=False)
        place = int(mark.get("data-start")), int(mark.get("data-end"))
        parts[place] = parts.get(place, "") + get_text(mark, numbers=False)
    assert {place: part.rstrip() for place, part in parts.items()} == {
        (m.start, m.end): shown(doc[m.start : m.end].text).rstrip()
        for m in read_passage(doc).mentions
    }
    tags = "main style figure h2 div p ul li mark sub span".split()
    assert {node.tag for node in root.iter()} <= set(tags)
