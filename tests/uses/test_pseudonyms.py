import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Span

from spacy_fastcoref import PseudonymOperator, pseudonymize, restore, set_clusters
from spacy_fastcoref.types import Cluster

from ..conftest import blank

NLP = {lang: blank(lang) for lang in ("en", "de", "pl", "fr")}


def make(text, lang="en", clusters=()):
    """Make a Doc with entities in brackets: "[Ann Lee]PERSON works for [Acme]ORG"."""
    plain, found = "", []
    for part in re.split(r"(\[[^\]]*\][A-Z]+)", text):
        match = re.fullmatch(r"\[(.*)\]([A-Z]+)", part)
        if match:
            found.append((len(plain), len(plain) + len(match[1]), match[2]))
            plain += match[1]
        else:
            plain += part
    doc = NLP[lang](plain)
    doc.ents = [doc.char_span(a, z, label=label) for a, z, label in found]
    set_clusters(doc, [[doc[a:z] for a, z in cluster] for cluster in clusters])
    return doc


def read(found):
    """Map the true names to the false ones."""
    return {true: false for false, true in found.key.items()}


def test_all_forms_of_a_name_get_one_false_name():
    doc = make(
        "Mr. [John Smith]PERSON met [Ann Lee]PERSON. JOHN SMITH's wife, A. Lee, knows "
        "Smith. Later ann lee said that [J. Smith]PERSON and John left. Lee stayed."
    )
    found = pseudonymize(doc)
    names = read(found)
    given, family = names["John Smith"].split()
    assert names["Smith"] == family and names["John"] == given
    assert names["JOHN SMITH"] == f"{given} {family}".upper()
    assert names["J. Smith"] == f"{given[0]}. {family}"
    ann, lee = names["Ann Lee"].split()
    assert names["ann lee"] == f"{ann} {lee}".lower()
    assert names["A. Lee"] == f"{ann[0]}. {lee}" and names["Lee"] == lee
    assert found.text.startswith(
        f"Mr. {given} {family} met {ann} {lee}. {given.upper()}"
    )
    assert f"{family.upper()}'s wife" in found.text
    assert not re.search(r"\b(john|smith|ann|lee)\b", found.text, re.I)
    assert restore(found.text, found.key) == doc.text
    start = found.text.index(family)
    assert doc.text[slice(*found.to_source(start, start + 1))] == "John Smith"


def test_the_type_of_a_cluster_outweighs_the_label_of_an_entity():
    doc = make("[Washington]GPE said he left. [Great Britain]GPE was in her glory.")
    clusters = [[(0, 1), (2, 3)], [(5, 7), (9, 10)]]
    types = [["person", "person"], ["place", ""]]
    set_clusters(
        doc, [Cluster(c, types=t) for c, t in zip(clusters, types, strict=True)]
    )
    found = pseudonymize(doc)
    assert [*found.key.values()] == ["Washington"]
    assert "Great Britain was in her glory." in found.text


@pytest.mark.parametrize(
    "lang, text, forms",
    [
        (
            "pl",
            "[Anna Kowalska]PERSON zna [Jana Nowaka]PERSON. [Jan Nowak]PERSON dał "
            "[Annie Kowalskiej]PERSON list. Szedł z Anną i z Nowakiem.",
            ["Anna Kowalska", "Annie Kowalskiej", "Anną", "Jan Nowak", "Jana Nowaka"],
        ),
        (
            "de",
            "[Peter Weber]PERSON sah [Anna]PERSON. Annas Bruder, Webers Sohn. Peters "
            "Frau ging.",
            ["Anna", "Annas", "Webers", "Peters", "Peter Weber"],
        ),
    ],
)
def test_names_are_declined(lang, text, forms):
    # Our own lists have no Polish surnames.
    pytest.importorskip("faker")
    doc = make(text, lang)
    found = pseudonymize(doc)
    names = read(found)
    assert set(forms) <= set(names)
    assert restore(found.text, found.key) == doc.text
    if lang == "de":
        assert names["Annas"] == f"{names['Anna']}s"
        assert names["Peter Weber"] == f"{names['Peters'][:-1]} {names['Webers'][:-1]}"
    else:
        one, other = names["Anna Kowalska"].split(), names["Annie Kowalskiej"].split()
        assert (
            one[0].endswith("a") and other[0] != one[0] and other[0][:2] == one[0][:2]
        )
        assert one[1].endswith("ka") and other[1] == f"{one[1][:-1]}iej"
        assert names["Anną"] == f"{one[0][:-1]}ą"


def test_gender_is_that_of_pronouns_titles_and_names():
    texts = {
        "he": make("[Alex Roe]PERSON left. He sat.", clusters=[[(0, 2), (4, 5)]]),
        "she": make("[Alex Roe]PERSON left. She sat.", clusters=[[(0, 2), (4, 5)]]),
        "title": make("Mrs. [Alex Roe]PERSON left."),
        "name": make("[Peter Roe]PERSON left."),
        "open": make("[Alex Roe]PERSON left."),
    }
    pytest.importorskip("faker")
    from faker.providers.person.en_US import Provider

    kinds = {"he": "male", "she": "female", "title": "female", "name": "male"}
    for how, doc in texts.items():
        for seed in range(5):
            false = next(iter(pseudonymize(doc, seed=seed).key)).split()[0]
            kind = kinds.get(how, "nonbinary")
            assert false in getattr(Provider, f"first_names_{kind}")


def test_names_are_those_of_the_lists_without_faker(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "faker.config", None)
    doc = make("[Ann Lee]PERSON saw [Bob Roe]PERSON at [Acme]ORG.")
    found = pseudonymize(doc)
    assert len(found.key) == 2 and restore(found.text, found.key) == doc.text
    for wrong in ({"kinds": ["firm"]}, {"locale": "de_DE"}):
        with pytest.raises(ValueError, match="FC200.*faker"):
            pseudonymize(doc, **wrong)


def test_firms_places_addresses_and_numbers_on_request():
    pytest.importorskip("faker")
    doc = make(
        "[Ann Lee]PERSON runs [Acme Corp]ORG in [Rome]GPE. Write to ann.lee@acme.org "
        "or call +39 06 698 123. [Acme]ORG grew. Rome did not. See www.annlee.org."
    )
    found = pseudonymize(doc, kinds=["person", "firm", "place", "mail", "phone"])
    names = read(found)
    assert names["Acme Corp"].startswith(names["Acme"])
    assert found.text.count(names["Rome"]) == 2
    assert names["ann.lee@acme.org"].endswith("@example.org")
    assert re.fullmatch(r"\+\d\d \d\d \d{3} \d{3}", names["+39 06 698 123"])
    assert restore(found.text, found.key) == doc.text
    assert [one.text for one in found.uncovered] == ["www.annlee.org"]
    left = {u.text: u.reason for u in pseudonymize(doc).uncovered}
    assert {"Acme Corp", "Rome", "ann.lee@acme.org", "+39 06 698 123"} <= set(left)
    assert left["Rome"] == "place (GPE), left" and "phone" in left["+39 06 698 123"]


def test_what_is_left_is_reported():
    doc = make("[Rose Park]PERSON likes a rose. Then she met Zyx at the Plaza.")
    found = pseudonymize(doc, keep=["Park"])
    assert {u.text: u.reason for u in found.uncovered} == {
        "Park": "to be kept",
        "rose": "a word of a name that was found, but not written like one",
        "Zyx": "written like a name",
        "Plaza": "written like a name",
    }
    assert "Park" in found.text and "Rose" not in found.text


def test_a_key_is_used_again_and_not_changed():
    first = pseudonymize(make("[Ann Lee]PERSON left."))
    key = dict(first.key)
    doc = make("[Bob Lee]PERSON saw [Ann]PERSON.")
    second = pseudonymize(doc, key=first.key)
    assert first.key == key and key.items() <= second.key.items()
    (false,) = key
    bob, ann = read(second)["Bob Lee"], read(second)["Ann"]
    assert f"{ann} {bob.split()[1]}" == false
    assert restore(second.text, second.key) == doc.text


def test_seeds_and_arguments():
    doc = make("[Ann Lee]PERSON left.")
    assert pseudonymize(doc, seed=3).text == pseudonymize(doc, seed=3).text
    assert len({pseudonymize(doc, seed=seed).text for seed in range(9)}) > 3
    with pytest.raises(ValueError, match="FC024.*pet.*Available: person"):
        pseudonymize(doc, kinds=["pet"])
    pytest.importorskip("faker")
    with pytest.raises(ValueError, match="FC024.*xx_YY"):
        pseudonymize(doc, locale="xx_YY")


WORDS = "Ann ANN Anns Lee lee J. Mr. von - , ’s and Bob Fox May may \n Lee-Fox I".split(
    " "
)


@given(
    st.lists(st.sampled_from(WORDS), max_size=12),
    st.sampled_from(sorted(NLP)),
    st.lists(st.integers(0, 11), max_size=3),
)
def test_no_false_name_is_in_the_text_and_all_are_restored(words, lang, starts):
    doc = NLP[lang](" ".join(words))
    ents = [Span(doc, i, i + 1, label="PERSON") for i in {*starts} if i < len(doc)]
    doc.ents = [ent for ent in ents if ent.text.strip()]
    found = pseudonymize(doc)
    if not any("restored as" in one.reason for one in found.uncovered):
        assert restore(found.text, found.key) == doc.text
    in_text = {token.lower_ for token in doc}
    for false, true in found.key.items():
        new = {*re.findall(r"\w{2,}", false.lower())}
        assert not (new - {*re.findall(r"\w+", true.lower())}) & in_text


def test_presidio_operator():
    key = dict(pseudonymize(make("[Ann Lee]PERSON left.")).key)
    (false,) = key
    operator = PseudonymOperator()
    params = {"key": key, "entity_type": "PERSON"}
    assert operator.operate("Ann Lee", params) == false
    assert operator.operate("Lee", params) == false.split()[1]
    bob = operator.operate("Bob Roe", params)
    assert operator.operate("Bob Roe", params) == bob and key[bob] == "Bob Roe"
    mail = operator.operate("a@b.org", {"key": key, "entity_type": "EMAIL_ADDRESS"})
    assert mail.endswith("@example.org") and operator.operator_name() == "pseudonym"
    with pytest.raises(ValueError, match="FC076"):
        operator.validate({})


def test_presidio_runs_the_operator():
    engine = pytest.importorskip("presidio_anonymizer").AnonymizerEngine()
    from presidio_anonymizer.entities import OperatorConfig, RecognizerResult

    engine.add_anonymizer(PseudonymOperator)
    key = {}
    done = engine.anonymize(
        text="Ann Lee left.",
        analyzer_results=[RecognizerResult("PERSON", 0, 7, 0.9)],
        operators={"PERSON": OperatorConfig("pseudonym", {"key": key})},
    )
    (false,) = key
    assert done.text == f"{false} left." and key[false] == "Ann Lee"
