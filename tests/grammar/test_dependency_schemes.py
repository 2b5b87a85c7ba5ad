"""Test how the dependency scheme of a parse is found, and labels of no scheme."""

import warnings

import pytest
from spacy.tokens import Doc

from spacy_fastcoref import find_mentions, judge
from spacy_fastcoref.grammar import annotation as schemes
from spacy_fastcoref.grammar.annotation import Annotation, find_scheme

from ..conftest import blank

# The analytical layer of Prague, whose labels schemes.json doesn't have; "Sb" is also a
# label of TIGER, and "Obj" of Universal Dependencies.
PRAGUE = ["Sb", "Pred", "Obj", "AuxK"]
PLAIN = ["", "", "", ""]
WORDS = {"en": ["Ann", "saw", "her", "."], "pl": ["Ona", "widzi", "ją", "."]}


@pytest.fixture(autouse=True)
def nothing_named(monkeypatch):
    monkeypatch.setattr(schemes, "_named", set())


def make_doc(lang, deps):
    return Doc(
        blank(lang).vocab,
        words=WORDS[lang],
        pos=["PRON", "VERB", "PRON", "PUNCT"],
        morphs=["", "VerbForm=Fin|Person=3", "", ""],
        heads=[1, 1, 1, 1] if any(deps) else None,
        deps=deps,
    )


@pytest.mark.parametrize(
    "name, labels",
    [
        ("clearnlp", "nsubj ROOT prep pobj punct"),
        ("ud", "nsubj root obl:tmod case"),
        ("ud", "ROOT advmod"),
        ("ud", ""),
        ("tiger", "sb ROOT mo uc"),
        ("unknown", "Sb Pred Obj AuxK"),
        ("unknown", "SBJ ROOT VC TMP P"),
    ],
)
def test_scheme_of_labels(name, labels):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert find_scheme(labels.split()).name == name


def test_another_scheme_is_said_once():
    with pytest.warns(UserWarning, match=r"\[FCW32\].*auxk.*pred"):
        find_scheme(PRAGUE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert find_scheme(["ROOT", "Pred", "Atr"]) is schemes.UNKNOWN
    with pytest.warns(UserWarning, match=r"\[FCW32\].*sbj"):
        find_scheme(["SBJ", "VC", "ROOT"])


@pytest.mark.parametrize("lang", sorted(WORDS))
@pytest.mark.filterwarnings("ignore:.*FCW32")
def test_roles_of_another_scheme_stay_open(lang):
    strange, plain = make_doc(lang, PRAGUE), make_doc(lang, PLAIN)
    annotation = Annotation(strange)
    assert not annotation.has_role("subject").any()
    assert annotation.annotation == {"pos"}
    assert annotation.heads.tolist() == [0, 1, 2, 3]
    found = [
        [(str(mention.span), mention.kind) for mention in find_mentions(doc)]
        for doc in (strange, plain)
    ]
    assert found[0] == found[1]
    verdicts = {judge(doc, doc[2:3], doc[0:1]).verdict for doc in (strange, plain)}
    assert len(verdicts) == 1
