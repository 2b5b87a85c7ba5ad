import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref import find_facts, set_clusters
from spacy_fastcoref.types import Cluster

NLP = spacy.blank("en")


def parse(*rows):
    """Make a Doc of rows of a word, its tag, its head and its label."""
    words, tags, heads, deps = zip(*(row.split() for row in rows), strict=True)
    heads = [*map(int, heads)]
    return Doc(NLP.vocab, [*words], pos=[*tags], heads=heads, deps=[*deps])


def ann(*more):
    """Ann founded Acme ; she did n't sell it to the man who loved Ann 's dog"""
    return parse(
        "Ann PROPN 1 nsubj",
        "founded VERB 1 ROOT",
        "Acme PROPN 1 dobj",
        "she PRON 6 nsubj",
        "did AUX 6 aux",
        "not PART 6 neg",
        "sell VERB 1 conj",
        "it PRON 6 dobj",
        "to ADP 6 prep",
        "the DET 10 det",
        "man NOUN 8 pobj",
        "who PRON 12 nsubj",
        "loved VERB 10 relcl",
        "her PRON 14 poss",
        "dog NOUN 12 dobj",
    )


def show(doc, **settings):
    return [str(fact) for fact in find_facts(doc, **settings)]


def test_entities_are_named_by_their_clusters():
    doc = ann()
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
    doc = ann()
    cluster = Cluster([(0, 1), (3, 4)], antecedents=[-1, 0], probs=[0.9, 0.3])
    set_clusters(doc, [cluster])
    assert show(doc)[1] == "she | not sell | it"
    assert show(doc, min_probability=0.2)[1] == "Ann | not sell | it"


def test_passives_predicates_and_coordinations():
    doc = parse(
        "Ann PROPN 4 nsubjpass",
        "and CCONJ 0 cc",
        "Bob PROPN 0 conj",
        "were AUX 4 auxpass",
        "seen VERB 4 ROOT",
        "by ADP 4 agent",
        "Eve PROPN 5 pobj",
        "in ADP 4 prep",
        "Rome PROPN 7 pobj",
    )
    assert show(doc) == [
        "Eve | seen | Ann",
        "Eve | seen | Bob",
        "Ann | seen in | Rome",
        "Bob | seen in | Rome",
    ]
    doc = parse(
        "Ann PROPN 1 nsubj", "is AUX 1 ROOT", "a DET 3 det", "nurse NOUN 1 attr"
    )
    assert show(doc) == ["Ann | is | a nurse"]


def test_universal_dependencies():
    doc = parse(
        "Ann PROPN 1 nsubj",
        "lives VERB 1 ROOT",
        "in ADP 3 case",
        "Rome PROPN 1 obl",
    )
    assert show(doc) == ["Ann | lives in | Rome"]


def test_a_parse_is_needed():
    with pytest.raises(ValueError, match="FC272"):
        find_facts(NLP("Ann left."))
