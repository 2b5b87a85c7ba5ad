"""Test rules that need no parse, each on pairs to which it objects or does not."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_fastcoref.languages.en.rules import EnglishRules

from .links import link_all

NLP = spacy.blank("en")
RULES = EnglishRules(disabled=())


def find(text, mentions, pair, likely=(), turns=()):
    doc = Doc(NLP.vocab, words=text.split())
    if turns:
        doc.spans["speakers"] = [Span(doc, a, z, label=who) for a, z, who in turns]
    links = link_all(mentions)
    links.mention_scores[:] = [2.0 if m in likely else 1.0 for m in mentions]
    facts = RULES.describe(doc, links)
    later, earlier = np.array([pair[1]]), np.array([pair[0]])
    return set(RULES.find_reasons(facts, later, earlier)[0])


PAIR = (0, 1)
CASES = [
    ("name_part", True, "Ann Lee sang", [(0, 1), (0, 2)], PAIR, {}),
    ("name_part", False, "Ann sang . Ann left", [(0, 1), (3, 4)], PAIR, {}),
    (
        "crossing",
        True,
        "Ann told Ben of Eve . She",
        [(0, 3), (2, 5), (6, 7)],
        (1, 2),
        {"likely": [(0, 3)]},
    ),
    (
        "crossing",
        False,
        "Ann told Ben of Eve . She",
        [(0, 3), (2, 5), (6, 7)],
        (0, 2),
        {"likely": [(0, 3)]},
    ),
    ("person", True, "I know he left", [(0, 1), (2, 3)], PAIR, {}),
    ("person", False, "I know I left", [(0, 1), (2, 3)], PAIR, {}),
    (
        "speaker",
        True,
        "I go I stay",
        [(0, 1), (2, 3)],
        PAIR,
        {"turns": [(0, 2, "Ann"), (2, 4, "Ben")]},
    ),
    (
        "speaker",
        False,
        "I go I stay",
        [(0, 1), (2, 3)],
        PAIR,
        {"turns": [(0, 2, "Ann"), (2, 4, "Ann")]},
    ),
    ("lifeless", True, "The lamp fell . She left", [(0, 2), (4, 5)], PAIR, {}),
    ("lifeless", False, "The lamp fell . It broke", [(0, 2), (4, 5)], PAIR, {}),
    ("lifeless", False, "The nun fell . She left", [(0, 2), (4, 5)], PAIR, {}),
    ("indefinite", True, "The dog slept . A dog barked", [(0, 2), (4, 6)], PAIR, {}),
    ("indefinite", False, "A dog slept . The dog barked", [(0, 2), (4, 6)], PAIR, {}),
    ("given_name", True, "Alice sang . Mary left", [(0, 1), (3, 4)], PAIR, {}),
    ("given_name", False, "Alice sang . Alice left", [(0, 1), (3, 4)], PAIR, {}),
    ("given_name", False, "William sang . Bill left", [(0, 1), (3, 4)], PAIR, {}),
    ("gender", True, "The nun fell . He left", [(0, 2), (4, 5)], PAIR, {}),
    ("gender", False, "The nun fell . She left", [(0, 2), (4, 5)], PAIR, {}),
    ("number", True, "The nuns fell . She left", [(0, 2), (4, 5)], PAIR, {}),
    ("number", False, "The nuns fell . They left", [(0, 2), (4, 5)], PAIR, {}),
    ("coordination", True, "Ann and Ruth sang", [(0, 1), (2, 3)], PAIR, {}),
    ("coordination", False, "Ann sang and she left", [(0, 1), (3, 4)], PAIR, {}),
    ("binding", True, "Ann has seen her", [(0, 1), (3, 4)], PAIR, {}),
    ("binding", False, "Ann has seen her dog", [(0, 1), (3, 4)], PAIR, {}),
    ("pleonastic", True, "The dog slept . It rained", [(0, 2), (4, 5)], PAIR, {}),
    ("pleonastic", False, "The dog slept . It snored", [(0, 2), (4, 5)], PAIR, {}),
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}-{c[1]}-{c[2]}")
def test_rule(case):
    rule, holds, text, mentions, pair, more = case
    assert (rule in find(text, mentions, pair, **more)) == holds


@pytest.mark.parametrize(("last", "named"), [("Musk", [-1, 0]), ("Lee", [-1, -1])])
def test_namesake(last, named):
    doc = Doc(NLP.vocab, words=f"Elon Musk sang . Mr. {last} left .".split())
    links = link_all([(0, 2), (4, 6)])
    # A model that links them decides itself.
    links.scores[links.scores > 0] = -1.0
    assert RULES(doc, links).must_links.tolist() == named
    off = EnglishRules(disabled=["namesake"])
    assert off(doc, links).must_links.tolist() == [-1, -1]


@pytest.mark.parametrize(("linked", "are_one"), [(False, False), (True, True)])
def test_other_name(linked, are_one):
    """Keep people of different names apart, unless the model links the names."""
    doc = Doc(NLP.vocab, words="Mr. Smith sang . Mr. Walker left .".split())
    links = link_all([(0, 2), (4, 6)])
    links.scores[links.scores > 0] = 1.0 if linked else -1.0
    agreement = EnglishRules(())(doc, links).agreement
    assert bool((agreement[0] & agreement[1]).all()) == are_one
    off = EnglishRules(["other_name"])(doc, links).agreement
    assert (off[0] & off[1]).all()
