import pytest

from spacy_fastcoref import find_facts, set_clusters
from spacy_fastcoref.types import Cluster

from ..conftest import blank
from ..grammar.docs import parse

NLP = blank("en")


ANN = (
    "Ann/PROPN/nsubj/1 founded/VERB/ROOT/1 Acme/PROPN/dobj/1 "
    "she/PRON/nsubj/6 did/AUX/aux/6 not/PART/neg/6 sell/VERB/conj/1 "
    "it/PRON/dobj/6 to/ADP/prep/6 the/DET/det/10 man/NOUN/pobj/8 "
    "who/PRON/nsubj/12 loved/VERB/relcl/10 her/PRON/poss/14 "
    "dog/NOUN/dobj/12"
)


def show(doc, **settings):
    return [str(fact) for fact in find_facts(doc, **settings)]


def test_entities_are_named_by_their_clusters():
    doc = parse(NLP.vocab, ANN)
    set_clusters(doc, [[(0, 1), (3, 4)], [(2, 3), (7, 8)]])
    facts = find_facts(doc)
    assert [*map(str, facts)] == [
        "Ann | founded | Acme",
        "Ann | not sell | Acme",
        "Ann | not sell to | the man",
        "the man | loved | her dog",
    ]
    assert [m.text for m in facts[1].mentions] == ["she", "it"]
    assert facts[1].verb.i == 6 and all(fact.is_named for fact in facts)
    plain = find_facts(doc, min_probability=2)
    assert str(plain[1]) == "she | not sell | it" and not plain[1].is_named


def test_improbable_links_name_nobody():
    doc = parse(NLP.vocab, ANN)
    cluster = Cluster([(0, 1), (3, 4)], antecedents=[-1, 0], probs=[0.9, 0.3])
    set_clusters(doc, [cluster])
    assert show(doc)[1] == "she | not sell | it"
    assert show(doc, min_probability=0.2)[1] == "Ann | not sell | it"


@pytest.mark.parametrize(
    "annotated, expected",
    [
        # A passive and coordinations.
        (
            "Ann/PROPN/nsubjpass/4 and/CCONJ/cc/0 Bob/PROPN/conj/0 "
            "were/AUX/auxpass/4 seen/VERB/ROOT/4 by/ADP/agent/4 "
            "Eve/PROPN/pobj/5 in/ADP/prep/4 Rome/PROPN/pobj/7",
            "Eve | seen | Ann, Eve | seen | Bob, Ann | seen in | Rome, "
            "Bob | seen in | Rome",
        ),
        (
            "Ann/PROPN/nsubj/1 is/AUX/ROOT/1 a/DET/det/3 nurse/NOUN/attr/1",
            "Ann | is | a nurse",
        ),
        # Universal Dependencies.
        (
            "Ann/PROPN/nsubj/1 lives/VERB/ROOT/1 in/ADP/case/3 Rome/PROPN/obl/1",
            "Ann | lives in | Rome",
        ),
    ],
)
def test_schemes(annotated, expected):
    assert ", ".join(show(parse(NLP.vocab, annotated))) == expected


def test_a_parse_is_needed():
    with pytest.raises(ValueError, match="FC272"):
        find_facts(NLP("Ann left."))
