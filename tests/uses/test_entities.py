import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span

from spacy_fastcoref import set_clusters
from spacy_fastcoref.types import Cluster

from ..conftest import blank

TEXT = "Ann Lee works for Acme. She likes Acme and it likes Lee."


def make(nlp, probs=(0.9, 0.9, 0.8), labels=("PERSON", "PERSON"), ids=("Q1", "NIL")):
    doc = nlp.make_doc(TEXT)
    doc.ents = [
        Span(doc, 0, 2, label=labels[0], kb_id=ids[0]),
        Span(doc, 4, 5, label="ORG", kb_id="Q2"),
        Span(doc, 12, 13, label=labels[1], kb_id=ids[1]),
    ]
    person = [(0, 2), (6, 7), (12, 13)]
    firm = [(4, 5), (8, 9), (10, 11)]
    set_clusters(
        doc,
        [Cluster(person, antecedents=[-1, 0, 1], probs=list(probs)), Cluster(firm)],
    )
    return doc


@pytest.fixture
def nlp():
    nlp = blank("en")
    nlp.add_pipe("entity_coref")
    return nlp


def read(doc):
    mentions = [(6, 7), (10, 11), (12, 13)]
    spans = [doc[a:z] for a, z in mentions]
    return [(s._.coref_ent_type, s._.coref_kb_id) for s in spans]


FOUND = [("PERSON", "Q1"), ("ORG", "Q2"), ("PERSON", "Q1")]


def test_mentions_have_what_their_cluster_has(nlp):
    doc = nlp(make(nlp))
    assert read(doc) == FOUND
    assert doc[0:1]._.coref_ent_type == "" and doc[1:3]._.coref_kb_id == ""
    assert len(doc.ents) == 3


@pytest.mark.parametrize(
    "settings, expected",
    [
        # A conflict of equal votes stays open.
        ({"labels": ("PERSON", "ORG")}, ["", "ORG", ""]),
        # The vote of an improbable mention does not count for much, and it gets none.
        (
            {"labels": ("PERSON", "ORG"), "probs": (0.9, 0.9, 0.1)},
            ["PERSON", "ORG", ""],
        ),
        ({"probs": (0.9, 0.2, 0.9)}, ["", "ORG", ""]),
    ],
)
def test_votes_have_the_weight_of_probabilities(nlp, settings, expected):
    doc = nlp(make(nlp, **settings))
    assert [label for label, _ in read(doc)] == expected


def test_entities_are_extended_on_request():
    nlp = blank("en")
    nlp.add_pipe("entity_coref", config={"extend_ents": True})
    doc = nlp(make(nlp))
    assert [(e.text, e.label_, e.kb_id_) for e in doc.ents] == [
        ("Ann Lee", "PERSON", "Q1"),
        ("Acme", "ORG", "Q2"),
        ("She", "PERSON", "Q1"),
        ("Acme", "ORG", "Q2"),
        ("it", "ORG", "Q2"),
        ("Lee", "PERSON", "NIL"),
    ]


def test_what_was_found_is_kept(nlp, tmp_path):
    doc = nlp(make(nlp))
    data = DocBin(docs=[doc]).to_bytes()
    (again,) = DocBin().from_bytes(data).get_docs(nlp.vocab)
    assert read(again) == FOUND
    assert read(Doc(nlp.vocab).from_bytes(doc.to_bytes())) == FOUND
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert read(loaded(make(loaded))) == FOUND
    docs = [make(loaded) for _ in range(3)]
    assert [read(d) for d in loaded.pipe(docs, n_process=2)] == [FOUND] * 3


def test_without_clusters_or_entities_nothing_happens(nlp):
    doc = nlp(TEXT)
    assert not doc.ents and not doc.spans
    doc = nlp.make_doc(TEXT)
    set_clusters(doc, [[(0, 2), (6, 7)]])
    assert read(nlp(doc))[0] == ("", "")


@pytest.mark.parametrize("name, value", [("min_share", 0.3), ("min_probability", 2)])
def test_settings_are_checked(name, value):
    with pytest.raises(ValueError, match=f"FC076.*entity_coref.{name}"):
        blank("en").add_pipe("entity_coref", config={name: value})
