"""English cases without any annotation, under the rules that are on by default."""

import numpy as np
import pytest
from spacy.tokens import Doc

from spacy_fastcoref.languages.en.rules import DISABLED, EnglishRules

from .cases.read import read_cases

RULES = EnglishRules(DISABLED, warns=False)


@pytest.mark.parametrize("case", read_cases("plain"), ids=lambda case: case.text)
def test_without_annotation(en_vocab, case):
    doc = Doc(en_vocab, words=list(case.words))
    facts = RULES.read(doc, np.array(case.mentions))
    (later,) = np.flatnonzero(facts.starts == max(facts.starts))
    pair = np.array([later]), np.array([1 - later])
    (reasons,) = RULES.find_reasons(facts, *pair)
    assert int(RULES.judge(facts, *pair)[0]) == case.verdict, reasons
    assert (case.reason == "-") != (case.reason in reasons)
