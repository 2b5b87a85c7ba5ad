import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Span

from spacy_fastcoref.training.names import find_person_names

from ..conftest import blank

NLP = blank("en")


def read_names(doc):
    return [[doc[a:z].text for a, z in places] for places in find_person_names(doc)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Alice met Tom. Alice left.", [["Alice", "Alice"], ["Tom"]]),
        # A family name is a person's where there is a title, or a given name with it.
        ("Then Mr. Darcy came. Darcy sat.", [["Mr. Darcy"]]),
        ("I saw Miss Pross, and Miss Pross saw me.", [["Miss Pross", "Miss Pross"]]),
        ("We went to Zutphen and Zutphen was nice.", []),
        # Of names that may be of one person, the one that is there most often.
        ("Tom Baker ran. Then Tom, and Tom, sat.", [["Tom", "Tom"]]),
        ("Mr. Bennet and Mrs. Bennet and Mrs. Bennet", [["Mrs. Bennet"] * 2]),
        # First words of sentences.
        ("Yesterday Alice left.", [["Alice"]]),
        ("Will it rain? It will. Rose saw a rose.", []),
        ("ALICE saw the King. The King saw her.", []),
        ("", []),
    ],
)
def test_names_by_lists(text, expected):
    assert read_names(NLP(text)) == expected


def test_names_by_entities():
    doc = NLP("Mr. Vole met Qwx's dog in Paris. Vole's Qwx.")
    doc.ents = [
        Span(doc, 1, 2, label="PERSON"),
        Span(doc, 3, 5, label="PERSON"),
        Span(doc, 7, 8, label="GPE"),
        Span(doc, 11, 12, label="PERSON"),
    ]
    # With the title, without the possessive; and not what lists would find.
    assert [doc[3:5].text, doc[11].text] == ["Qwx's", "Qwx"]
    assert read_names(doc) == [["Mr. Vole"], ["Qwx", "Qwx"]]
    doc.ents = []
    assert read_names(NLP("Alice ran.")) and not read_names(doc)


@given(st.lists(st.sampled_from("Alice Tom Baker Mr. will Will said , . (".split())))
def test_names_do_not_overlap(words):
    doc = NLP(" ".join(words))
    names = find_person_names(doc)
    spans = sorted(span for places in names for span in places)
    assert all(0 <= a < z <= len(doc) for a, z in spans)
    assert all(one[1] <= two[0] for one, two in zip(spans, spans[1:], strict=False))
    texts = [{doc[a:z].text.lower() for a, z in places} for places in names]
    assert all(len(forms) == 1 for forms in texts)
