from spacy_fastcoref import render

from .docs import make_doc
from .reading import parse


def list_rows(doc, **options):
    table = parse(render(doc, style="chains", options=options)).find("table")
    return [
        [cell.text for cell in row.children]
        for row in table.find("tbody").find_all("tr")
    ]


def test_main_mention_is_first():
    doc = make_doc(
        "She saw Ann Lee , and her dog saw her . They left .",
        [(0, 1), (2, 4), (6, 7), (9, 10)],
        [(11, 12)],
    )
    assert list_rows(doc) == [["Ann Lee1", "Sheher ×2", "4"], ["They2", "", "1"]]
    assert list_rows(doc, clusters=[2]) == [["They2", "", "1"]]


def test_no_clusters():
    root = parse(render(make_doc("Ann left ."), style="chains"))
    assert not list(root.find_all("table"))
    assert root.find("p").text == "No clusters"


def test_long_mentions_are_cut():
    doc = make_doc("<b> " * 50 + "x", [(0, 51)])
    ((main, _, _),) = list_rows(doc)
    assert main.startswith("<b> <b>") and main.endswith("…1") and len(main) <= 61
