"""Questions about grammar, answered without a model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_fastcoref import find_anaphors, find_mentions, judge

from ..conftest import blank
from .docs import parse

# ClearNLP, as in spaCy's English pipelines.
COUPLE = (
    "Peter/PROPN/nsubj/5 and/CCONJ/cc/0 his/PRON/poss/3 wife/NOUN/conj/0 "
    "often/ADV/advmod/5 travel/VERB/ROOT/- ./PUNCT/punct/5"
)
CATAPHORA = (
    "When/SCONJ/mark/2 he/PRON/nsubj/2 came/VERB/advcl/4 Tom/PROPN/nsubj/4 "
    "slept/VERB/ROOT/- near/ADP/prep/4 his/PRON/poss/7 dog/NOUN/pobj/5"
)


def find(doc, text):
    """Find the first mention of a text."""
    return next(m for m in find_mentions(doc) if m.span.text == text)


def test_mentions_have_features(en_vocab):
    doc = parse(en_vocab, COUPLE)
    assert [(m.span.text, m.kind) for m in find_mentions(doc)] == [
        ("Peter", "name"),
        ("Peter and his wife", "coordination"),
        ("his", "pronoun"),
        ("his wife", "noun"),
    ]
    both, his, wife = (
        find(doc, text) for text in ("Peter and his wife", "his", "his wife")
    )
    assert both.heads == (0, 3) and both.coordination == "and"
    assert [member.text for member in both.members] == ["Peter", "his wife"]
    assert both.agreement == "s" and both.is_independent and not both.is_anaphor
    assert his.is_anaphor and his.is_possessive and his.person == 3
    assert not his.is_independent and not his.is_reflexive
    assert wife.is_definite and not wife.is_indefinite and wife.agreement == "f"


def test_alternatives_can_be_one_or_several(en_vocab):
    doc = parse(en_vocab, COUPLE.replace("and/", "or/"))
    both = find(doc, "Peter or his wife")
    assert both.coordination == "or" and set("mfs") <= set(both.agreement)


def test_anaphors_are_found(en_vocab):
    doc = parse(en_vocab, CATAPHORA)
    assert [span.text for span in find_anaphors(doc)] == ["he", "his"]


def test_verdicts_with_and_without_siblings():
    doc = parse(
        blank("en").vocab,
        f"{COUPLE} They/PRON/nsubj/8 sing/VERB/ROOT/-",
    )
    they = doc[7:8]
    assert judge(doc, they, doc[0:4]) == (2, [])
    verdict, reasons = judge(doc, they, doc[3:4])
    assert verdict == 0 and len(reasons) == 1


def test_cataphora_depends_on_syntax(en_vocab):
    doc = parse(en_vocab, CATAPHORA)
    assert judge(doc, doc[3:4], doc[1:2]).verdict == 2
    main = parse(
        en_vocab,
        "He/PRON/nsubj/1 said/VERB/ROOT/- Tom/PROPN/nsubj/3 slept/VERB/ccomp/1",
    )
    verdict, reasons = judge(main, main[2:3], main[0:1])
    assert verdict == 0 and "refer forwards" in reasons[0]


def test_the_order_of_the_spans_does_not_matter(en_vocab):
    doc = parse(en_vocab, CATAPHORA)
    assert judge(doc, doc[1:2], doc[3:4]) == judge(doc, doc[3:4], doc[1:2])


NOUNS = (
    "{}/DET/det/1 dog/NOUN/nsubj/2 barked/VERB/ROOT/- {}/DET/det/4 "
    "dog/NOUN/nsubj/5 slept/VERB/ROOT/-"
)


@pytest.mark.parametrize(
    ("first", "second", "verdict"), [("A", "the", 2), ("The", "the", 2), ("A", "a", 0)]
)
def test_a_definite_noun_refers_back(en_vocab, first, second, verdict):
    doc = parse(en_vocab, NOUNS.format(first, second))
    assert judge(doc, doc[3:5], doc[0:2]).verdict == verdict


@pytest.mark.parametrize("spans", [((0, 1), (0, 1)), ((0, 0), (1, 2))])
def test_only_two_spans_of_the_document_can_be_judged(en_vocab, spans):
    doc = parse(en_vocab, CATAPHORA)
    with pytest.raises(ValueError, match="FC044"):
        judge(doc, *(doc[start:end] for start, end in spans))


def test_a_span_of_another_document_is_refused(en_vocab):
    doc, other = parse(en_vocab, CATAPHORA), parse(en_vocab, COUPLE)
    with pytest.raises(ValueError, match="FC044"):
        judge(doc, doc[3:4], other[0:1])


DROPPING = {"drops_subjects": True, "features": {"Person=3": "ka"}}


def test_a_verb_can_stand_for_its_subject(en_vocab, monkeypatch):
    from spacy_fastcoref.grammar import annotation, lexicon, questions, rules

    made = lexicon.Lexicon(**DROPPING)
    monkeypatch.setattr(annotation, "get_lexicon", lambda lang: made)
    monkeypatch.setattr(questions, "find_rules", lambda lang: rules.Rules())
    fem = "Gender=Fem|Number=Sing"
    doc = parse(
        en_vocab,
        "Kasia/PROPN/nsubj/1 spi/VERB/ROOT/- Wraca/VERB/ROOT/- widzi/VERB/conj/2",
        morphs=[fem, "VerbForm=Fin", f"{fem}|VerbForm=Fin", "VerbForm=Fin|Person=1"],
    )
    assert [span.text for span in find_anaphors(doc)] == ["Wraca"]
    zero = find(doc, "Wraca")
    assert zero.kind == "zero subject" and zero.person == 3
    assert find(doc, "widzi").person == 1
    assert judge(doc, doc[2:3], doc[0:1]).verdict == 2


@pytest.mark.parametrize("lang", ["de", "en", "fr", "nl", "pl"])
@pytest.mark.parametrize("n_words", range(4))
def test_texts_can_be_shorter_than_a_pronoun(lang, n_words):
    doc = Doc(blank(lang).vocab, words=["x"] * n_words, pos=["NOUN"] * n_words)
    assert all(mention.kind == "noun" for mention in find_mentions(doc))
    assert not find_anaphors(doc)


@pytest.mark.parametrize(
    "lang,words,is_possible",
    [
        ("fr", "Marie et Paul dorment . Ils", True),
        ("fr", "Paul et Marie dorment . Elles", False),
        ("pl", "Anna i Piotr śpią . Oni", True),
    ],
)
def test_coordinations_without_a_parse(lang, words, is_possible):
    # Only the gender of the first member is known.
    doc = Doc(blank(lang).vocab, words=words.split())
    assert (judge(doc, doc[5:6], doc[0:3]).verdict > 0) == is_possible


@given(st.text(alphabet="aItheyhrsw .,'\u2019\u00ad“”-", max_size=60))
def test_any_text_can_be_asked_about(text):
    doc = blank("en")(text)
    spans = [mention.span for mention in find_mentions(doc)]
    assert spans == sorted(spans, key=lambda span: (span.start, span.end))
    assert all(span in spans for span in find_anaphors(doc))
    for later in spans[-3:]:
        for earlier in spans[:3]:
            if later.start_char != earlier.start_char:
                verdict, reasons = judge(doc, later, earlier)
                assert verdict in (0, 1, 2) and bool(reasons) == (verdict < 2)
