"""Which names can be one person's, with no annotation at all."""

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_fastcoref.decoding.decode import decode
from spacy_fastcoref.languages.en.rules import DISABLED, EnglishRules
from spacy_fastcoref.rules.agreement import ANY_NAME
from spacy_fastcoref.types import Links

NLP = spacy.blank("en")
RULES = EnglishRules(DISABLED, warns=False)


def find_names(words, *names):
    """The offsets of names, each after the one before."""
    found, after = [], 0
    for name in map(str.split, names):
        n = len(name)
        after = next(i for i in range(after, len(words)) if words[i : i + n] == name)
        found.append((after, after + n))
        after += n
    return np.array(found, dtype=np.int32)


def read_people(doc, mentions, score=-np.inf):
    """Whose name each may be, where the model links neighbours so strongly."""
    n_mentions = len(mentions)
    antecedents = np.arange(-1, n_mentions - 1, dtype=np.int32)[:, None]
    scores = np.where(antecedents >= 0, np.float32(score), -np.inf)
    nothing = np.zeros(n_mentions)
    links = Links(mentions, nothing, antecedents, scores, nothing)
    return RULES.describe(doc, links).people.tolist()


@pytest.mark.parametrize(
    ("text", "names", "are_one"),
    [
        ("Phil Wright met Paul Mueller . Wright left .", ("Mueller", "Wright"), 0),
        ("Phil Wright met Paul Mueller .", ("Phil Wright", "Paul Mueller"), 0),
        ("Mr. Verma met Marx .", ("Mr. Verma", "Marx"), 0),
        ("Phil Wright sat . Wright left .", ("Phil Wright", "Wright"), 1),
        ("Emma Woodhouse sat . Emma left . Woodhouse .", ("Emma", "Woodhouse"), 1),
        ("Winnie sat . Mrs. Verloc left .", ("Winnie", "Mrs. Verloc"), 1),
        ("Lady Catherine de Bourgh sat . Bourgh .", ("Catherine", "Bourgh"), 1),
        ("Marx spoke , and Minister left .", ("Marx", "Minister"), 1),
        ("Marx spoke , and Mother left .", ("Marx", "Mother"), 1),
        ("Davis met Hyatt . Missy Hyatt .", ("Davis", "Hyatt"), 0),
        ("Elton John ( Reg Dwight ) sang .", ("Elton John", "Reg Dwight"), 1),
        ("Ann Clemens , pen name Ann Twain , sat . Twain", ("Clemens", "Twain"), 1),
        ("Ann Mathers , known as Eminem , sat .", ("Mathers", "Eminem"), 1),
        ("Ann Mathers sang as Eminem sat .", ("Mathers", "Eminem"), 0),
        ("The Wrights met Mueller .", ("The Wrights", "Mueller"), 1),
    ],
)
def test_people(text, names, are_one):
    words = text.split()
    doc = Doc(NLP.vocab, words=words)
    left, right = read_people(doc, find_names(words, *names))
    assert bool(left & right) == are_one


def test_a_model_knows_other_names():
    words = "Marx met Mueller .".split()
    doc, mentions = Doc(NLP.vocab, words=words), find_names(words, "Marx", "Mueller")
    for score, are_one in ((1.0, True), (-1.0, False)):
        left, right = read_people(doc, mentions, score)
        assert bool(left & right) == are_one


@pytest.mark.parametrize(
    ("pronoun", "disabled", "sizes"),
    [("he", (), [2]), ("it", (), [3]), ("he", ("other_name",), [3])],
)
def test_a_person_has_names_that_something_connects(pronoun, disabled, sizes):
    """Two firms may be one by other names; two men are two."""
    words = f"Marx wrote and then {pronoun} sat . Mueller sat .".split()
    doc = Doc(NLP.vocab, words=words)
    mentions = find_names(words, "Marx", pronoun, "Mueller")
    antecedents = np.array([[-1], [0], [1]], dtype=np.int32)
    scores = np.array([[-np.inf], [5.0], [1.0]], dtype=np.float32)
    links = Links(mentions, np.ones(3), antecedents, scores, np.zeros(3))
    rules = EnglishRules((*DISABLED, *disabled), warns=False)
    clusters = decode(links, rules(doc, links), costs=rules.costs)
    assert [len(cluster.mentions) for cluster in clusters] == sizes


WORDS = st.sampled_from("Ann Lee Mr. de ( ) born Mueller the , he 's".split())


@given(st.lists(WORDS, min_size=1, max_size=20))
def test_any_words(words):
    starts = np.arange(len(words), dtype=np.int32)
    doc = Doc(NLP.vocab, words=words)
    mentions = np.stack([starts, starts + 1], axis=1)
    same = {word: set() for word in words}
    for word, person in zip(words, read_people(doc, mentions), strict=True):
        same[word].add(person)
    # One word is of one person, wherever it is told.
    assert all(len(people - {ANY_NAME}) <= 1 for people in same.values())
    assert (RULES.read(doc, mentions).initials > 0).all()
