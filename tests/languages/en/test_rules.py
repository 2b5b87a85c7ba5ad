import numpy as np
import pytest
from spacy.tokens import Doc

from spacy_fastcoref.grammar.auto import AutoRules, choose_rules
from spacy_fastcoref.grammar.features import (
    ANYTHING,
    FEMALE,
    GROUP,
    MALE,
    MASC_THING,
    OPEN_PERSON,
    PERSON,
    SEVERAL,
    THING,
)
from spacy_fastcoref.languages.en.rules import EnglishRules

from ...conftest import blank
from ...grammar.links import link_all

RULES = EnglishRules(disabled=())
NLP = blank("en")
# A person, by the bits that all mentions have.
ONE_PERSON = MALE | FEMALE | PERSON
# What a thing with the name of a woman can be: a ship is no "he".
HER_THING = THING & ~MASC_THING


def understand(text):
    """Read the agreement of a text that is one mention, without any annotation."""
    return read_agreement(NLP(text))


def read_agreement(doc):
    """Read the agreement of a text that is one mention, but for open gender."""
    (found,) = RULES.read(doc, np.array([[0, len(doc)]])).agreement.tolist()
    return found & ~OPEN_PERSON


@pytest.mark.parametrize(
    "text, expected",
    [
        ("he", MALE),
        ("her", FEMALE),
        ("we", SEVERAL | GROUP),
        ("one", ONE_PERSON | THING | GROUP),
        ("the enemy", ONE_PERSON | THING | GROUP),
        ("the data", THING),
        ("these data", SEVERAL),
        ("it", THING | GROUP),
        ("Mr. Walker", MALE),
        ("Queen Margrethe", FEMALE | HER_THING | GROUP),
        ("Lesley", ONE_PERSON | THING),
        ("Dr. Okafor", ONE_PERSON),
        ("Dr. Alice", ONE_PERSON),
        ("Sister Alice", FEMALE | HER_THING | GROUP),
        ("Dr. Alice Okafor", FEMALE),
        ("Senator Okafor", ONE_PERSON),
        ("Prof. Alice Okafor", FEMALE),
        ("Queen", FEMALE | HER_THING | GROUP | SEVERAL),
        ("the old woman", FEMALE),
        ("a nun", FEMALE),
        ("my uncle", MALE),
        ("the aunts", SEVERAL),
        ("the women of the village", SEVERAL),
        ("Peter and Mary", SEVERAL),
        ("Peter and his wife", SEVERAL),
        ("his friend and helper", ANYTHING & ~OPEN_PERSON),
        ("a team", GROUP | THING),
        ("the dog", ONE_PERSON | THING),
        ("the scissors", SEVERAL),
        ("the news", THING),
        ("these stones", SEVERAL),
        ("the stones", SEVERAL),
        ("the wife of the president", FEMALE),
        ("the president 's wife", FEMALE),
    ],
)
def test_agreement_of_mentions(text, expected):
    assert understand(text) == expected


def test_family_names_have_no_gender():
    """Link "Emily Grant" and "Grant", which is also a man's given name."""
    doc = NLP("Emily Grant sang . Grant bowed . James bowed .")
    facts = RULES.read(doc, np.array([[0, 2], [4, 5], [7, 8]]))
    assert facts.agreement[0] & facts.agreement[1] & FEMALE
    assert not facts.agreement[2] & FEMALE


def test_number_is_not_read_from_unreliable_tags():
    words = "Wiggins saw lamps and species and children".split()
    tags = "NOUN VERB NOUN CCONJ NOUN CCONJ NOUN".split()
    morphs = ["Number=Plur" if tag == "NOUN" else "" for tag in tags]
    doc = Doc(NLP.vocab, words=words, pos=tags, morphs=morphs)
    mentions = np.array([[0, 1], [2, 3], [4, 5], [6, 7]])
    wiggins, *others = RULES.read(doc, mentions).agreement.tolist()
    assert wiggins & MALE and wiggins & FEMALE
    assert others == [SEVERAL, THING, SEVERAL]


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        ("Patesville", ONE_PERSON | THING | GROUP),
        ("Alice", FEMALE),
        ("Alice Patesville", FEMALE),
    ],
)
def test_names_with_person_labels(text, possible):
    words = text.split()
    ents = ["B-PERSON", *["I-PERSON"] * (len(words) - 1)]
    pos = ["PROPN"] * len(words)
    doc = Doc(NLP.vocab, words=words, pos=pos, ents=ents)
    assert read_agreement(doc) == possible


@pytest.mark.parametrize(
    ("word", "possible"),
    [
        ("job", THING),
        ("Job", MALE | FEMALE | ONE_PERSON | THING),
        ("Copt", ONE_PERSON),
        ("Copts", SEVERAL),
        ("Balance", MALE | FEMALE | ONE_PERSON | THING),
        ("balance", THING),
        ("Nurse", ONE_PERSON),
    ],
)
def test_nouns_that_are_always_capitalised(word, possible):
    doc = Doc(NLP.vocab, words=["The", word], pos=["DET", "NOUN"])
    assert read_agreement(doc) == possible


def judge(text, later, earlier, rules=RULES, doc=None):
    doc = NLP(text) if doc is None else doc
    facts = rules.describe(doc, link_all(sorted([earlier, later])))
    return int(rules.judge(facts, np.array([1]), np.array([0]))[0])


def test_first_person_in_quotations():
    doc = NLP('" I lie , " said Tom Sawyer of Ann . " We do , " he said .')
    mentions = [(1, 2), (6, 7), (6, 8), (9, 10), (12, 13), (16, 17)]
    links = link_all(np.array(mentions))
    links.mention_scores[2] = 1.0
    assert RULES(doc, links).must_links.tolist() == [2, -1, -1, -1, -1, -1]
    doc = NLP('Tom : " I lie . Do I ? " I do . " I do not . "')
    links = link_all(np.array([(0, 1), (3, 4), (7, 8), (10, 11), (14, 15)]))
    assert RULES(doc, links).must_links.tolist() == [-1, -1, 1, -1, -1]
    off = EnglishRules(disabled=["narrator"])
    assert off(doc, links).must_links.tolist() == [-1, -1, -1, -1, -1]


@pytest.mark.parametrize(
    ("text", "must_links"),
    [
        ('I sang . " I lie , " said Tom . I saw my dog .', [-1, 2, -1, 0, 0]),
        # The I of a number, which is no mention.
        ('I sang . Chapter I . " No , " said Tom . I left .', [-1, -1, -1, 0]),
        # Others may speak, in whatever way that is marked.
        ("I sang . ‘ I slept . ’ I left .", [-1, -1, -1]),
        ('Ann: I said " no " .\nBen: I sang .\nAnn: I left .', [-1, -1, -1]),
        ('I said " no " .\nThen I sang : I was glad .', [-1, 0, 0]),
    ],
)
def test_first_person_outside_of_quotations(text, must_links):
    doc = NLP(text)
    found = [t.i for t in doc if t.text in ("I", "my", "Tom", "he")]
    links = link_all(np.array([(i, i + 1) for i in found]))
    for row, i in enumerate(found):
        links.mention_scores[row] = -1.0 if doc[i - 1].text == "Chapter" else 1.0
    assert RULES(doc, links).must_links.tolist() == must_links


def test_disabled_rule():
    off = EnglishRules(disabled=["agreement"])
    assert judge("The woman left . He saw it .", (4, 5), (0, 2)) == 0
    assert judge("The woman left . He saw it .", (4, 5), (0, 2), off) == 2
    with pytest.raises(ValueError, match="FC024.*grammar"):
        EnglishRules(disabled=["grammar"])


def test_auto_chooses_by_language(recwarn):
    auto = AutoRules()
    links = link_all(np.array([[0, 2], [3, 4]]))
    judged = auto(NLP("The woman saw him ."), links)
    assert judged.verdicts[1, 0] == 0
    other = blank("xx")("The woman saw him .")
    assert auto(other, links) is None and choose_rules(auto, other) is None
    # Other packages' objects from earlier tests may be closed late.
    others = ResourceWarning, DeprecationWarning
    assert not [one for one in recwarn if not issubclass(one.category, others)]
    assert choose_rules(RULES, other) is RULES
