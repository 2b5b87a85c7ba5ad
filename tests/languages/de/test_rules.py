"""Test German grammar on sentences with TIGER labels and STTS tags."""

import pytest
from spacy.tokens import Doc

from spacy_fastcoref import find_anaphors, judge
from spacy_fastcoref.languages.de.rules import is_person

from .docs import VOCAB, make_doc


def find(doc, text):
    """Find the span of words; the last one if they occur several times."""
    words = text.split()
    texts = [token.text for token in doc]
    starts = [i for i in range(len(doc)) if texts[i : i + len(words)] == words]
    return doc[starts[-1] : starts[-1] + len(words)]


def is_possible(doc, earlier, later):
    return judge(doc, find(doc, later), find(doc, earlier)).verdict > 0


def list_anaphors(doc):
    return [span.text for span in find_anaphors(doc)]


GIRL = (
    "Das/ART/nk/1/n Mädchen/NN/sb/2/n fand/VVFIN/ROOT/2/s seinen/PPOSAT/nk/4/m "
    "Schal/NN/oa/2/m ./$./punct/2"
)
OWNERS = (
    "Der/ART/nk/1/m Bauer/NN/sb/2/m sah/VVFIN/ROOT/2/s seine/PPOSAT/nk/4/f "
    "Kuh/NN/oa/2/f ./$./punct/2 Ihr/PPOSAT/nk/7/n Fell/NN/sb/8/n "
    "glänzte/VVFIN/ROOT/8/s ./$./punct/8"
)


def test_possessives_agree_with_the_owner():
    doc = make_doc(OWNERS)
    assert list_anaphors(doc) == ["seine", "Ihr"]
    assert is_possible(doc, "Der Bauer", "seine")
    assert is_possible(doc, "seine Kuh", "Ihr")
    assert not is_possible(doc, "Der Bauer", "Ihr")


def test_girl_is_neuter_or_feminine():
    doc = make_doc(
        GIRL + " Sie/PPER/sb/7/f trug/VVFIN/ROOT/7/s ihn/PPER/oa/7/m ./$./punct/7"
    )
    assert is_possible(doc, "Das Mädchen", "seinen")
    assert is_possible(doc, "Das Mädchen", "Sie")
    assert is_possible(doc, "seinen", "Sie")
    assert not is_possible(doc, "Das Mädchen", "ihn")


@pytest.mark.parametrize(
    "text",
    [
        "Es/PPER/sb/1/n regnet/VVFIN/ROOT/1/s ./$./punct/1",
        "Heute/ADV/mo/1 schneit/VVFIN/ROOT/1/s es/PPER/sb/1/n ./$./punct/1",
        "Es/PPER/sb/1/n gibt/VVFIN/ROOT/1/s Brot/NN/oa/1/n ./$./punct/1",
        "Hier/ADV/mo/1 hat/VAFIN/ROOT/1/s es/PPER/sb/1/n geregnet/VVPP/oc/1",
        "Es/PPER/ep/1/n geht/VVFIN/ROOT/1/s um/APPR/op/1 Geld/NN/nk/2/n ./$./punct/1",
        "Es/PPER/ph/1/n kamen/VVFIN/ROOT/1/p Leute/NN/sb/1/p ./$./punct/1",
        "Es/PPER/sb/1/n ist/VAFIN/ROOT/1/s gut/ADJD/pd/1 ,/$,/punct/1 "
        "dass/KOUS/cp/6 Tom/NE/sb/6/m singt/VVFIN/re/0/s ./$./punct/1",
        "Tom/NE/sb/1/m mag/VVFIN/ROOT/1/s es/PPER/oa/1/n ,/$,/punct/1 "
        "zu/PTKZU/pm/5 singen/VVINF/re/2 ./$./punct/1",
        "Tom/NE/sb/1/m wartet/VVFIN/ROOT/1/s darauf/PROAV/op/1 ,/$,/punct/1 "
        "dass/KOUS/cp/6 Eva/NE/sb/6/f singt/VVFIN/re/2/s ./$./punct/1",
        "Der/PDS/sb/6/m ,/$,/punct/0 der/PRELS/sb/3/m singt/VVFIN/rc/0/s "
        ",/$,/punct/0 gut/ADJD/mo/6 schläft/VVFIN/ROOT/6/s ./$./punct/6",
    ],
)
def test_words_that_refer_to_nothing_or_to_a_clause(text):
    assert list_anaphors(make_doc(text)) == []


@pytest.mark.parametrize(
    "text, anaphor",
    [
        ("Tom/NE/sb/1/m gibt/VVFIN/ROOT/1/s es/PPER/oa/1/n ihr/PPER/da/1/f", "es"),
        ("Es/PPER/sb/1/n sagte/VVFIN/ROOT/1/s nichts/PIS/oa/1/n ./$./punct/1", "Es"),
        ("Dieser/PDS/sb/1/m schlief/VVFIN/ROOT/1/s ./$./punct/1", "Dieser"),
        ("Tom/NE/sb/1/m spielt/VVFIN/ROOT/1/s damit/PROAV/mo/1 ./$./punct/1", "damit"),
        ("Tom/NE/sb/1/m wäscht/VVFIN/ROOT/1/s sich/PRF/oa/1/s ./$./punct/1", "sich"),
    ],
)
def test_anaphors(text, anaphor):
    assert anaphor in list_anaphors(make_doc(text))


def test_conjunction_with_the_form_of_an_adverb():
    doc = make_doc(
        "Tom/NE/sb/1/m ruht/VVFIN/ROOT/1/s ,/$,/punct/1 damit/KOUS/cp/5 "
        "Eva/NE/sb/5/f singt/VVFIN/mo/1/s ./$./punct/1"
    )
    assert list_anaphors(doc) == []


def test_adverbs_refer_to_things_that_are_no_other_argument():
    doc = make_doc(
        "Der/ART/nk/1/m Junge/NN/sb/2/m fand/VVFIN/ROOT/2/s einen/ART/nk/4/m "
        "Stock/NN/oa/2/m und/KON/cd/2 schlug/VVFIN/cj/5/s damit/PROAV/mo/6 "
        "auf/APPR/mo/6 den/ART/nk/10/m Ast/NN/nk/8/m ./$./punct/2"
    )
    assert is_possible(doc, "einen Stock", "damit")
    assert not is_possible(doc, "Der Junge", "damit")
    assert not is_possible(doc, "damit", "den Ast")


@pytest.mark.parametrize("pronoun, possible", [("ihm/PPER", False), ("sich/PRF", True)])
def test_preposition_binds_within_the_clause(pronoun, possible):
    doc = make_doc(
        "Der/ART/nk/1/m Mann/NN/sb/2/m sah/VVFIN/ROOT/2/s eine/ART/nk/4/f "
        f"Maus/NN/oa/2/f neben/APPR/mo/2 {pronoun}/nk/5 ./$./punct/2"
    )
    assert is_possible(doc, "Der Mann", pronoun.partition("/")[0]) == possible


def test_only_people_speak():
    text = (
        "Der/ART/nk/1/m {}/NN/sb/2/m fiel/VVFIN/ROOT/2/s ./$./punct/2 Er/PPER/sb/5/m "
    )
    for noun, verdict in (("Baum", 1), ("Lehrer", 2)):
        doc = make_doc(text.format(noun) + "sagte/VVFIN/ROOT/5/s nichts/PIS/oa/5/n")
        assert judge(doc, find(doc, "Er"), find(doc, f"Der {noun}")).verdict == verdict


def test_possessive_of_a_genitive():
    doc = make_doc(
        "Der/ART/nk/1/m Bruder/NN/sb/4/m seines/PPOSAT/nk/3/m Chefs/NN/ag/1/m "
        "singt/VVFIN/ROOT/4/s ./$./punct/4"
    )
    assert not is_possible(doc, "Der Bruder", "seines")


def test_reflexive_in_a_clause_without_its_verb():
    doc = make_doc(
        "Eva/NE/sb/1/f kaufte/VVFIN/ROOT/1/s der/ART/nk/3/f Enkelin/NN/da/1/f "
        "ein/ART/nk/5/n Rad/NN/oa/1/n und/KON/cd/1 sich/PRF/da/9/s einen/ART/nk/9/m "
        "Hut/NN/cj/6/m ./$./punct/1"
    )
    assert is_possible(doc, "Eva", "sich")
    assert not is_possible(doc, "der Enkelin", "sich")


def test_verb_tells_the_number_of_sie():
    text = (
        "Die/ART/nk/1/p Hunde/NN/sb/2/p jagten/VVFIN/ROOT/2/p die/ART/nk/4/f "
        "Katze/NN/oa/2/f ./$./punct/2 Sie/PPER/sb/7 {} ./$./punct/7"
    )
    one = make_doc(text.format("sprang/VVFIN/ROOT/7/s"))
    several = make_doc(text.format("sprangen/VVFIN/ROOT/7/p"))
    assert is_possible(one, "die Katze", "Sie")
    assert not is_possible(one, "Die Hunde", "Sie")
    assert is_possible(several, "Die Hunde", "Sie")
    assert not is_possible(several, "die Katze", "Sie")


def test_formal_address_is_nobody_else():
    doc = make_doc(
        "Die/ART/nk/1/f Kundin/NN/sb/2/f rief/VVFIN/ROOT/2/s ./$./punct/2 "
        "Gern/ADV/mo/5 waschen/VVFIN/ROOT/5/p Sie/PPER/sb/5/p sich/PRF/oa/5/p "
        "./$./punct/5"
    )
    assert not is_possible(doc, "Die Kundin", "Sie")
    assert is_possible(doc, "Sie", "sich")
    assert "Sie" not in list_anaphors(doc)


@pytest.mark.parametrize(
    "marks", [("„", "“"), ("»", "«"), ("«", "»"), ("‹", "›"), ('"', '"')]
)
def test_speaker_of_a_quotation_says_ich(marks):
    doc = make_doc(
        f"Der/ART/nk/1/m Koch/NN/sb/2/m rief/VVFIN/ROOT/2/s :/$./punct/2 "
        f"{marks[0]}/$(/punct/2 Ich/PIS/sb/6/s sehe/VVFIN/oc/2 ihn/PPER/oa/6/m "
        f"{marks[1]}/$(/punct/2 ./$./punct/2 Die/ART/nk/11/f Frau/NN/sb/12/f "
        "lachte/VVFIN/ROOT/12/s ./$./punct/12"
    )
    assert is_possible(doc, "Der Koch", "Ich")
    assert not is_possible(doc, "Der Koch", "ihn")
    assert not is_possible(doc, "Ich", "Die Frau")


@pytest.mark.parametrize(
    "noun", ["Lehrerin", "Konzernchefin", "Ärztinnen", "Söhne", "Kunden", "Pianist"]
)
def test_nouns_for_people(noun):
    assert is_person(noun.lower())


@pytest.mark.parametrize(
    "noun", ["Computer", "Angebote", "Gewerbe", "Frühling", "Ei", "Liste"]
)
def test_nouns_for_things(noun):
    assert not is_person(noun.lower())


def test_invisible_characters_are_ignored():
    doc = Doc(VOCAB, words=["Er", "sieht", "si\u00adch"])
    assert len(find_anaphors(doc)) == 2
