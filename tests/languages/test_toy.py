"""Test that a language needs only a folder with a lexicon."""

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import registry as spacy_registry

from spacy_fastcoref.grammar.auto import AutoRules
from spacy_fastcoref.registry import registry

from ..grammar.links import link_all
from . import toy


class Toy(Language):
    """Define the language; no module of the package names its code."""

    lang = "tq"


@pytest.fixture(scope="module", autouse=True)
def language():
    """Register the language, like an entry point."""
    registry.coref_languages.register("tq", func=toy)
    spacy_registry.languages.register("tq", func=Toy)


@pytest.fixture(scope="module")
def rules():
    return AutoRules().find("tq")


def make_doc(words, **annotation):
    return Doc(spacy.blank("tq").vocab, words=words.split(), **annotation)


def judge(rules, doc, later, earlier):
    """Judge two mentions of one word; return the names of the rules that object."""
    mentions = np.array([[earlier, earlier + 1], [later, later + 1]])
    facts = rules.describe(doc, link_all(mentions))
    return set(rules.find_reasons(facts, np.array([1]), np.array([0]))[0])


def test_agreement(rules):
    morphs = ["Gender=Fem|Number=Sing", "", "", "Gender=Fem|Number=Sing"]
    doc = make_doc("kata dorma . ka dorma", morphs=[*morphs[:3], "", ""])
    assert judge(rules, doc, 3, 0) == {"gender"}
    doc = make_doc("kata dorma . ki dorma", morphs=[*morphs[:3], "", ""])
    assert not judge(rules, doc, 3, 0)
    doc = make_doc("kata dorma . ku dorma", morphs=[*morphs[:3], "", ""])
    assert judge(rules, doc, 3, 0) == {"number"}


def test_binding_and_reflexives(rules):
    """Use the labels of Universal Dependencies."""
    tree = {
        "heads": [1, 1, 1],
        "deps": ["nsubj", "ROOT", "obj"],
        "pos": ["PROPN", "VERB", "PRON"],
    }
    assert judge(rules, make_doc("Ana vida kin", **tree), 2, 0) == {"binding"}
    assert not judge(rules, make_doc("Ana vida sa", **tree), 2, 0)
    tree = {
        "heads": [1, 1, 4, 4, 1, 4],
        "deps": ["nsubj", "ROOT", "mark", "nsubj", "ccomp", "obj"],
        "pos": ["PROPN", "VERB", "SCONJ", "PROPN", "VERB", "PRON"],
    }
    doc = make_doc("Ana dira ke Rut vida sa", **tree)
    mentions = np.array([[0, 1], [3, 4], [5, 6]])
    facts = rules.describe(doc, link_all(mentions))
    later, earlier = np.array([2, 2]), np.array([0, 1])
    assert rules.judge(facts, later, earlier).tolist() == [0, 2]
    assert "reflexive" in rules.find_reasons(facts, later, earlier)[0]


@pytest.mark.parametrize("is_parsed", [False, True])
def test_coordination(rules, is_parsed):
    tree = {
        "heads": [3, 2, 0, 3],
        "deps": ["nsubj", "cc", "conj", "ROOT"],
        "pos": ["PROPN", "CCONJ", "PROPN", "VERB"],
    }
    doc = make_doc("Ana te Rut dorma", **(tree if is_parsed else {}))
    assert "coordination" in judge(rules, doc, 2, 0)
    facts = rules.read(doc, np.array([[0, 3]]))
    assert facts.is_joined.all()


def test_component(tiny_path, rules):
    """Find the rules by the language of the component's pipeline."""
    nlp = spacy.blank("tq")
    coref = nlp.add_pipe("fastcoref", config={"model_path": str(tiny_path)})
    doc = nlp("Ana te Rut dorma . ki vida kin .")
    assert coref.explain(doc, doc[2:3], doc[0:1]).candidates[0].verdict == "forbidden"
