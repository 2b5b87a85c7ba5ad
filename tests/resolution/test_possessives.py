"""Test whether an ambiguous form ("her") is an object or a possessive."""

import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref.resolution.forms import is_possessive, precedes_noun

NLP = {lang: spacy.blank(lang) for lang in ("en", "de")}


def find_form(text, lang, form):
    (found,) = [token for token in NLP[lang](text) if token.lower_ == form]
    return found


@pytest.mark.parametrize(
    "lang, form, text",
    [
        ("en", "her", "She lost her hat."),
        ("en", "her", "She lost her\nhat."),
        ("en", "her", "She lost her US passport."),
        ("en", "her", "She lost her two sons."),
        # What can be adverb and adjective does not tell.
        ("en", "her", "She lost her only son."),
        ("en", "her", "She sold her very old car."),
        ("de", "ihr", "Sie las ihr Buch."),
    ],
)
def test_before_a_noun(lang, form, text):
    token = find_form(text, lang, form)
    assert precedes_noun(token)
    assert is_possessive(token.doc[token.i : token.i + 1])


@pytest.mark.parametrize(
    "lang, form, text",
    [
        ("en", "her", "He saw her"),
        ("en", "her", "He saw her."),
        ("en", "her", 'He told her: "Go".'),
        ("en", "her", "He saw her\n\nTom left."),
        ("en", "her", "He saw her in Rome."),
        ("en", "her", "He saw her and left."),
        ("en", "her", "He saw her because he waited."),
        ("en", "her", "He gave her the hat."),
        ("en", "her", "He gave her his hat."),
        ("en", "her", "He knows her is wrong."),
        ("en", "her", "He saw her yesterday."),
        ("en", "her", "He loved her best."),
        ("en", "her", "He told her not to go."),
        ("de", "ihr", "Er gab ihr das Buch."),
        ("de", "ihr", "Er war gestern bei ihr."),
    ],
)
def test_not_before_a_noun(lang, form, text):
    token = find_form(text, lang, form)
    assert not precedes_noun(token)
    assert not is_possessive(token.doc[token.i : token.i + 1])


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
    vocab = spacy.blank("es").vocab
    words = ["su", "hermana"]
    assert is_possessive(Doc(vocab, words=words)[:1]) is None
    for pos, morph, expected in (
        ("DET", "Poss=Yes", True),
        ("PRON", "Case=Nom", False),
    ):
        doc = Doc(vocab, words=words, pos=[pos, "NOUN"], morphs=[morph, ""])
        assert is_possessive(doc[:1]) is expected
