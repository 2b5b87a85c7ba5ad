"""Test which Polish verbs stand for their subject."""

import pytest

from spacy_fastcoref import find_anaphors, find_mentions

from .docs import make_doc

CASES = {
    "future": ("będzie X aux 1 sg,3,fin\nuczyć V ROOT 1 inf", [0]),
    "copula": ("Była X cop 1 f,sg,fin\nzmęczona A ROOT 1 f,sg,nom", [0]),
    "subject": ("Ewa E nsubj 1 f,sg,nom\nwróciła V ROOT 1 f,sg,fin", []),
    "first person": ("Wróciła V ROOT 0 f,sg,fin\nm X aux:clitic 0 sg,1", []),
    "subjunctive": ("żebym S mark 1\nwróciła V ROOT 1 f,sg,fin", []),
    "no and to": ("Zbudowano V ROOT 0 imps\nmost N obj 0 m3,sg,acc", []),
    "trzeba": (
        "Trzeba V ROOT 0 quasi\nbyło X aux 0 n,sg,fin\niść V xcomp 0 inf",
        [],
    ),
    "weather": ("Padało V ROOT 0 n,sg,fin", []),
    "adverb": ("Było X cop 1 n,sg,fin\nzimno R ROOT 1", []),
    "się and an object": (
        "włosy N obj 1 m3,pl,acc\npoddaje V ROOT 1 sg,3,fin\nsię P expl:pv 1 prs,refl",
        [],
    ),
    "reflexive verb": (
        "Uśmiechnął V ROOT 0 m1,sg,fin\nsię P expl:pv 0 prs,refl",
        [0],
    ),
    "existence": (
        "Nie T advmod:neg 1\nbyło V ROOT 1 n,sg,fin\nmleka N iobj 1 n,sg,gen",
        [],
    ),
    "clause": (
        "należy V ROOT 0 sg,3,fin\nzrobić V xcomp 0 inf\nwięcej R advmod 1",
        [],
    ),
    "należy do": (
        "należy V ROOT 0 sg,3,fin\ndo I case 2\nbrata N obl:arg 0 m1,sg,gen",
        [0],
    ),
    "nominative object": ("wrócił V ROOT 0 m1,sg,fin\nJan E obj 0 m1,sg,nom", []),
    "shared": (
        "Jan E nsubj 1 m1,sg,nom\nwszedł V ROOT 1 m1,sg,fin\n"
        "i C cc 3\nusiadł V conj 1 m1,sg,fin",
        [],
    ),
    "not shared": (
        "Jan E nsubj 1 m1,sg,nom\nwszedł V ROOT 1 m1,sg,fin\n"
        "i C cc 3\nusiedli V conj 1 m1,pl,fin",
        [3],
    ),
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_anaphors(case):
    table, wanted = CASES[case]
    assert [span.start for span in find_anaphors(make_doc(table))] == wanted


@pytest.mark.parametrize(
    "table, agreement",
    [
        ("Była X cop 1 f,sg,fin\nmiła A ROOT 1 f,sg,nom", "ft"),
        ("jest X cop 1 sg,3,fin\nmiła A ROOT 1 f,sg,nom", "ft"),
        ("wrócił V ROOT 0 m1,sg,fin", "mt"),
        ("wrócili V ROOT 0 m1,pl,fin", "gs"),
        ("wraca V ROOT 0 sg,3,fin", "mfptg"),
    ],
)
def test_agreement(table, agreement):
    (mention,) = find_mentions(make_doc(table))
    assert (mention.kind, mention.agreement) == ("zero subject", agreement)


def test_without_a_parse_no_verb_is_an_anaphor():
    doc = make_doc(
        "Wróciła V ROOT 0 f,sg,fin\ndo I case 2\nniej P obl 0 f,sg,gen,3,prs"
    )
    for token in doc:
        token.dep_ = ""
    assert [span.text for span in find_anaphors(doc)] == ["niej"]


def test_without_annotation():
    doc = make_doc("Jan E nsubj 1\nwidzi V ROOT 1\nją P obj 1")
    for token in doc:
        token.dep_ = token.pos_ = ""
    assert [span.text for span in find_anaphors(doc)] == ["ją"]
