"""Who speaks, in a quotation and outside of them."""

import numpy as np
import spacy
from spacy.tokens import Doc

from spacy_fastcoref.rules.en import EnglishRules

from .links import link_all

RULES = EnglishRules(disabled=(), warns=False)
NLP = spacy.blank("en")


def test_who_tells_a_text_is_none_who_speaks_in_it():
    doc = NLP('I sang . " I lie , " said Tom . " I do , " I said . I saw Tom .')
    found = [t.i for t in doc if t.text in ("I", "Tom")]
    facts = RULES.describe(doc, link_all([(i, i + 1) for i in found]))
    one, tom, two, three, four = (
        np.array([i]) for i, t in enumerate(found) if doc[t].text == "I"
    )

    def is_held(later, earlier):
        return "narrator" in RULES.find_reasons(facts, later, earlier)[0]

    assert is_held(tom, one) and is_held(four, tom)
    assert not is_held(two, one) and not is_held(three, one) and not is_held(four, two)
