import math
import re
from types import SimpleNamespace

import pytest

from spacy_fastcoref import render, set_clusters
from spacy_fastcoref.types import Cluster
from spacy_fastcoref.visualizer.arcs import (
    find_arcs,
    find_links,
    place_arcs,
)
from spacy_fastcoref.visualizer.passage import Options, read_passage
from spacy_fastcoref.visualizer.svg import lay_out

from .reading import find, find_all, get_text, make_doc, parse
from .test_svg import draw


@pytest.fixture
def doc():
    doc = make_doc("Ann met Eve . She saw her .")
    links = Cluster([(0, 1), (4, 5)], [-1, 0], [0.0, 2.5], [0.9, 0.8])
    set_clusters(doc, [links, [(2, 3), (6, 7)]])
    return doc


def explain(doc, *explained):
    """A component that explains mentions as given."""

    def make(start, end, score=0.0, verdict="allowed", rules=(), is_chosen=False):
        return SimpleNamespace(
            mention=doc[start:end],
            score=score,
            verdict=verdict,
            rules=list(rules),
            reasons=[f"because of {name}" for name in rules],
            is_chosen=is_chosen,
        )

    found = [
        SimpleNamespace(
            mention=doc[slice(*mention)],
            candidates=[make(*one) for one in candidates],
            threshold=0.0,
        )
        for mention, *candidates in explained
    ]
    return SimpleNamespace(explain_all=lambda doc: found)


def test_links_that_rules_kept_from_being_made(doc):
    component = explain(
        doc,
        (
            (4, 5),
            (0, 1, 2.5, "allowed", [], True),
            (2, 3, 3.0, "forbidden", ["number"]),
        ),
        # Not preferred to the one that was made, or nobody objects, or not scored.
        (
            (6, 7),
            (2, 3, 1.0, "allowed", [], True),
            (0, 1, 0.5, "forbidden", ["gender"]),
            (4, 5, 7.0),
            (5, 6, math.nan, "forbidden", ["gender"]),
        ),
    )
    links = find_links(read_passage(doc, Options(component=component)))
    assert [(link.mention, link.antecedent, link.is_chosen) for link in links] == [
        ((4, 5), (0, 1), True),
        ((4, 5), (2, 3), False),
        ((6, 7), (2, 3), True),
    ]
    root = parse(render(doc, "links", options={"component": component}))
    rows = [[*map(get_text, row)] for row in find_all(root, "tr")]
    assert rows == [
        ["Mention", "Antecedent", "Score", "Linked", "Verdict", "Reasons"],
        ["She1", "Ann1", "2.5", "yes", "allowed", ""],
        ["She1", "Eve2", "3.0", "no", "forbidden", "because of number"],
        ["her2", "Eve2", "1.0", "yes", "allowed", ""],
    ]
    labels = [text.text for text in find_all(root, "text")]
    assert labels[-3:] == ["2.5", "3.0 ✗ number", "1.0"]
    titles = [title.text for title in find_all(root, "title")]
    assert "She ↛ Eve: 3.0; forbidden; because of number" in titles


def test_links_of_some_clusters_and_of_a_span(doc):
    component = explain(
        doc,
        ((4, 5), (0, 1, 2.5, "allowed", [], True)),
        ((6, 7), (2, 3, 1.0, "allowed", [], True)),
    )
    for given in (None, component):
        (link,) = find_links(read_passage(doc, Options([2], component=given)))
        assert link.mention == (6, 7)
        # The antecedent of "She" is outside.
        (link,) = find_links(read_passage(doc[2:8], Options(component=given)))
        assert link.mention == (6, 7)


def test_no_links():
    root = parse(render(make_doc("Ann left .", [(0, 1)]), style="links"))
    assert find(root, "p").text == "No links"
    assert not find_all(root, "svg")


def test_arcs_of_one_line_are_not_drawn_over_each_other():
    doc = make_doc("a b c d e f", [(0, 1), (5, 6)], [(1, 2), (3, 4)], [(2, 3), (4, 5)])
    passage = read_passage(doc)
    links = find_links(passage)
    layout = lay_out(passage, 80)
    arcs = find_arcs(layout, links)
    levels = place_arcs(arcs, layout.width)
    assert len(set(levels)) == 3
    # The one around the others is above them.
    assert levels[[arc.link.mention for arc in arcs].index((5, 6))] == 2


def test_an_arc_goes_on_in_another_line():
    doc = make_doc("one two three four", [(0, 1), (3, 4)])
    passage = read_passage(doc)
    arcs = find_arcs(lay_out(passage, 8), find_links(passage))
    assert [(arc.has_start, arc.has_end) for arc in arcs] == [
        (True, False),
        (False, True),
    ]
    assert arcs[0].line < arcs[1].line
    # One letter and a point of an arrow say where it goes on.
    assert [arc.label for arc in arcs] == ["a …", "… a"]
    paths = [node.get("d") for node in draw(doc, "links", width=40).iter("path")]
    assert not any("m-4 -4" in path for path in paths)
    long = make_doc("one two three four five six", [(0, 1), (5, 6)])
    paths = [node.get("d") for node in draw(long, "links", width=20).iter("path")]
    assert sum("m-4 -4l4 4l-4 4" in path for path in paths) == 2


def test_arcs_are_mirrored_from_right_to_left():
    text = "קובי אמר שהוא עייף"
    doc = make_doc(text, [(0, 1), (2, 3)], lang="xx")
    paths = find_all(draw(doc, "links"), "path")
    path = next(node for node in paths if node.get("fill") == "none")
    start = float(re.match(r"M([\d.]+)", path.get("d"))[1])
    end = float(re.search(r"H([\d.]+)", path.get("d"))[1])
    assert start > end


def test_component(shipped_nlp):
    """The reasons of the real component are in the picture."""
    doc = shipped_nlp(
        "The woman looked down and saw Lesley. She stood up and greeted him."
    )
    component = shipped_nlp.get_pipe("fastcoref")
    expected = [
        one.score
        for found in component.explain_all(doc)
        for one in found.candidates
        if one.is_chosen
    ]
    root = parse(render(doc, "links", options={"component": component}))
    rows = find_all(find(root, "tbody"), "tr")
    chosen = [row for row in rows if row[3].text == "yes"]
    assert expected
    assert [row[2].text for row in chosen] == [f"{score:.1f}" for score in expected]
