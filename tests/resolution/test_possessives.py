"""Test whether an ambiguous form ("her") is an object or a possessive."""

import pytest
from spacy.tokens import Doc

from spacy_fastcoref.resolution.forms import is_possessive, precedes_noun

from ..conftest import blank
from ..languages.read import read_table

NLP = {lang: blank(lang) for lang in ("en", "de")}


def find_form(text, lang, form):
    (found,) = [token for token in NLP[lang](text) if token.lower_ == form]
    return found


@pytest.mark.parametrize(
    "row", read_table("../resolution/possessives.tsv"), ids=lambda row: row["text"]
)
def test_without_annotation(row):
    text = row["text"].replace("\\n", "\n")
    token = find_form(text, row["language"], row["form"])
    expected = row["before a noun"] == "yes"
    assert precedes_noun(token) == expected
    assert is_possessive(token.doc[token.i : token.i + 1]) == expected


@pytest.mark.parametrize(
    "annotation, expected",
    [
        ({"tags": ["PRP", "VBD", "PRP$", "NN"]}, True),
        ({"tags": ["PRP", "VBD", "PRP", "NN"]}, False),
        ({"morphs": ["", "", "Poss=Yes|PronType=Prs", ""]}, True),
        ({"morphs": ["", "", "Case=Acc|PronType=Prs", ""]}, False),
        ({"heads": [1, 1, 3, 1], "deps": ["nsubj", "ROOT", "poss", "dobj"]}, True),
        ({"heads": [1, 1, 3, 1], "deps": ["nsubj", "ROOT", "nmod:poss", "obj"]}, True),
        ({"heads": [3, 3, 3, 1], "deps": ["nsubj", "ROOT", "nsubj", "ccomp"]}, False),
        ({"pos": ["PRON", "VERB", "DET", "NOUN"]}, True),
    ],
)
def test_the_annotation_decides(annotation, expected):
    doc = Doc(NLP["en"].vocab, words=["He", "saw", "her", "duck"], **annotation)
    assert is_possessive(doc[2:3]) is expected


@pytest.mark.filterwarnings("ignore:.*FCW31")
def test_language_without_lists():
    vocab = blank("es").vocab
    words = ["su", "hermana"]
    assert is_possessive(Doc(vocab, words=words)[:1]) is None
    for pos, morph, expected in (
        ("DET", "Poss=Yes", True),
        ("PRON", "Case=Nom", False),
    ):
        doc = Doc(vocab, words=words, pos=[pos, "NOUN"], morphs=[morph, ""])
        assert is_possessive(doc[:1]) is expected
