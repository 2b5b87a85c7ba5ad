"""Test rules on the arguments of a verb in three dependency schemes."""

import csv
from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref.languages.en.rules import EnglishRules

from .links import link_all

NLP = spacy.blank("en")
RULES = EnglishRules(disabled=())
TAGS = {
    "P": "PRON",
    "N": "NOUN",
    "E": "PROPN",
    "V": "VERB",
    "A": "AUX",
    "D": "DET",
    "C": "CCONJ",
    "I": "ADP",
    "S": "SCONJ",
    "T": "PART",
    "J": "ADJ",
    "U": "PUNCT",
}


def reasons(text, heads, deps, tags, pair):
    doc = Doc(
        NLP.vocab,
        words=text.split(),
        heads=heads,
        deps=deps.split(),
        pos=[TAGS[t] for t in tags],
    )
    nominal = [(t.i, t.i + 1) for t in doc if t.pos_ in ("PRON", "PROPN", "NOUN")]
    mentions = sorted({*pair, *nominal})
    facts = RULES.describe(doc, link_all(mentions))
    earlier, later = (np.array([mentions.index(m)]) for m in sorted(pair))
    return set(RULES.find_reasons(facts, later, earlier)[0])


with (Path(__file__).parent / "schemes.tsv").open(encoding="utf8", newline="") as _file:
    CASES = list(csv.DictReader(_file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("case", CASES, ids=lambda c: "-".join(list(c.values())[:5]))
def test_rule(case):
    heads = list(map(int, case["heads"].split()))
    pair = [tuple(map(int, case[name].split())) for name in ("earlier", "later")]
    found = reasons(case["text"], heads, case["labels"], case["tags"], pair)
    assert (case["rule"] in found) == (case["holds"] == "yes")
