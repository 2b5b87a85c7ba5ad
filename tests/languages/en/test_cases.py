"""Test English cases with predicted parses, corrected parses and no parse."""

import copy
import json
from pathlib import Path

import numpy as np
import pytest
from spacy.tokens import Doc

from spacy_fastcoref.languages.en.rules import EnglishRules

from ...grammar.links import link_all
from ..read import read_cases

CASES = read_cases("cases")
FOLDER = Path(__file__).parent / "cases"


def read_parses():
    """Read the predicted and the corrected parse of each text."""
    parsed = json.loads((FOLDER / "parses.json").read_text("utf8"))
    mended = copy.deepcopy(parsed)
    corrections = json.loads((FOLDER / "corrections.json").read_text("utf8"))
    for text, columns in corrections.items():
        for name, changes in columns.items():
            for i, value in changes.items():
                mended[text][name][int(i)] = value
    return {"parsed": parsed, "mended": mended, "plain": {}}


PARSES = read_parses()
RULES = EnglishRules(disabled=())


def make_doc(vocab, case, parse):
    columns = PARSES[parse].get(" ".join(case.words), {})
    return Doc(vocab, words=list(case.words), **columns)


def judge(doc, case, rules=RULES):
    """Judge the pair of a case, with all other words that could be mentions."""
    nominal = ("PRON", "PROPN", "NOUN")
    others = [(token.i, token.i + 1) for token in doc if token.pos_ in nominal]
    mentions = sorted({*case.mentions, *others})
    facts = rules.describe(doc, link_all(mentions))
    earlier, later = (np.array([mentions.index(m)]) for m in case.mentions)
    verdict = int(rules.judge(facts, later, earlier)[0])
    return verdict, rules.find_reasons(facts, later, earlier)[0]


def find_verdicts(vocab, cases, parse):
    """Pair the verdict of each case with the expected one."""
    for case in cases:
        yield judge(make_doc(vocab, case, parse), case)[0], case.verdict


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parse", "least"), [("parsed", 70), ("mended", 71), ("plain", 62)]
)
def test_shares_of_right_verdicts(en_vocab, parse, least):
    """Check the percentage on the sentences from which the rules were developed."""
    n_right = sum(a == b for a, b in find_verdicts(en_vocab, CASES, parse))
    assert 100 * n_right / len(CASES) >= least


def test_correct_links_are_allowed_without_a_parse(en_vocab):
    for case in CASES:
        if case.verdict == 2:
            verdict, reasons = judge(make_doc(en_vocab, case, "plain"), case)
            assert verdict, (case.text, reasons)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parse", "least"), [("parsed", 78), ("mended", 80), ("plain", 75)]
)
def test_held_out_cases(en_vocab, parse, least):
    """Check the percentage of what is correctly forbidden or not in held-out cases."""
    cases = read_cases("heldout")
    pairs = find_verdicts(en_vocab, cases, parse)
    n_right = sum((found == 0) == (expected == 0) for found, expected in pairs)
    assert 100 * n_right / len(cases) >= least
