"""Entity types and singletons, with a model that predicts types."""

import numpy as np
import pytest
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example

from spacy_fastcoref.grammar.rules import Rules
from spacy_fastcoref.pipeline.decide import decode_doc
from spacy_fastcoref.pipeline.gold import align_gold
from spacy_fastcoref.types import Links

from ..conftest import blank

NLP = blank("en")
WORDS = "Ann met a guard in Rome . She knew him by the way .".split()
MENTIONS = [(0, 1), (2, 4), (5, 6), (7, 8), (9, 10), (11, 13)]
TYPES = ["person", "person", "place", "person", "person", ""]


def make_links(links=((3, 0, 2.0), (4, 1, 1.0))):
    antecedents = np.full((6, 1), -1, dtype=np.int32)
    scores = np.full((6, 1), -np.inf, dtype=np.float32)
    for later, earlier, score in links:
        antecedents[later], scores[later] = earlier, score
    norms = np.logaddexp(0, scores[:, 0])
    mentions = np.array(MENTIONS, dtype=np.int32)
    return Links(mentions, np.ones(6, "f"), antecedents, scores, norms, np.array(TYPES))


def make_doc():
    return Doc(NLP.vocab, words=WORDS)


def test_types_are_stored():
    nlp = blank("en")
    pipe = nlp.add_pipe("fastcoref", config={"rules": None})
    doc = make_doc()
    pipe.set_annotations([doc], [make_links()])
    groups = [doc.spans[f"coref_clusters_{i}"] for i in (1, 2)]
    assert [group.attrs["types"] for group in groups] == [["person"] * 2] * 2
    again = next(DocBin(docs=[doc], store_user_data=True).get_docs(nlp.vocab))
    assert again.spans["coref_clusters_1"].attrs["types"] == ["person"] * 2
    # Of a model without types there are none.
    links = make_links()
    links.types = None
    pipe.set_annotations([doc], [links])
    assert "types" not in doc.spans["coref_clusters_1"].attrs


@pytest.mark.parametrize("rules", [None, Rules()])
def test_singletons(rules):
    doc = make_doc()
    clusters = decode_doc(doc, make_links(), rules, 0.0, singletons=True)
    # In the order of first mentions; a span that is no mention is none.
    assert [cluster.mentions for cluster in clusters] == [
        [(0, 1), (7, 8)],
        [(2, 4), (9, 10)],
        [(5, 6)],
    ]
    assert clusters[2].types == ["place"] and clusters[2].antecedents == [-1]
    plain = decode_doc(doc, make_links(), rules, 0.0)
    assert [cluster.mentions for cluster in plain] == [
        cluster.mentions for cluster in clusters[:2]
    ]
    # A model without types has no singletons to tell.
    links = make_links()
    links.types = None
    found = decode_doc(doc, links, rules, 0.0, singletons=True)
    assert [len(cluster.mentions) for cluster in found] == [2, 2]


def test_singletons_are_a_setting():
    nlp = blank("en")
    pipe = nlp.add_pipe("fastcoref", config={"singletons": True, "rules": None})
    doc = make_doc()
    pipe.set_annotations([doc], [make_links()])
    assert len(doc.spans["coref_clusters_3"]) == 1
    pipe.singletons = False
    pipe.set_annotations([doc], [make_links()])
    assert "coref_clusters_3" not in doc.spans
    with pytest.raises(ValueError, match=r"FC076.*singletons"):
        pipe.singletons = 2


def test_users_mentions_have_no_type():
    doc = make_doc()
    doc.spans["coref_seeds_1"] = [Span(doc, 2, 3), Span(doc, 9, 10)]
    clusters = decode_doc(doc, make_links(()), None, 0.0)
    assert [cluster.types for cluster in clusters] == [["", "person"]]


def test_types_are_animacy_to_rules():
    doc = make_doc()
    links = make_links(((4, 2, 2.0),))
    rules = Rules()
    # A man is no place; of what the types tell nothing, grammar knows nothing.
    assert rules(doc, links).verdicts[4, 0] == 0
    links.types = np.array([*TYPES[:2], "organization", *TYPES[3:]])
    assert rules(doc, links).verdicts[4, 0] == 2
    links.types = None
    assert rules(doc, links).verdicts[4, 0] == 2
    untyped = Rules(disabled=["type"])
    assert untyped(doc, make_links(((4, 2, 2.0),))).verdicts[4, 0] == 2


def test_gold_types_are_aligned():
    reference = Doc(NLP.vocab, words="Ann lives in New York".split())
    reference.spans["coref_types"] = [
        Span(reference, 0, 1, label="person"),
        Span(reference, 3, 5, label="place"),
        Span(reference, 3, 4, label="place"),
    ]
    predicted = Doc(NLP.vocab, words=["Ann", "lives", "in", "New York"])
    gold = align_gold(Example(predicted, reference))
    # "New" is no token of the predicted Doc.
    assert gold.types == {(0, 1): "person", (3, 4): "place"}
