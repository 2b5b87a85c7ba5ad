"""Which words are names, with no annotation at all."""

import numpy as np
import pytest
import spacy

from spacy_fastcoref.rules.agreement import MALE
from spacy_fastcoref.rules.en import EnglishRules

RULES = EnglishRules(disabled=(), warns=False)
NLP = spacy.blank("en")


@pytest.mark.parametrize(
    ("start", "is_family"),
    [
        ("But Ann", False),
        ("It rained . Today Ann", False),
        ("“ Hi Ann", False),
        ("Knowing Ann", False),
        # What is written small elsewhere.
        ("The grocer left . Grocer Ann", False),
        ("Will Ann", True),
        ("Smith Ann", True),
        ("Tom met Dear Ann", True),
        ("Priyanka Ann", True),
    ],
)
def test_what_begins_a_sentence_is_no_given_name(start, is_family):
    """By which Ann would be a family name, of a man too, wherever she stands."""
    doc = NLP(f"{start} came in . Ann sang .")
    facts = RULES.read(doc, np.array([[len(doc) - 3, len(doc) - 2]]))
    assert bool(facts.agreement[0] & MALE) == is_family
