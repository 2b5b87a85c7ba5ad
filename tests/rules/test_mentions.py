"""Heads of mentions, and what joins several."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_fastcoref.languages.parse import Parse
from spacy_fastcoref.languages.word_index import WordIndex
from spacy_fastcoref.rules.mentions import find_mention_heads

NLP = spacy.blank("en")


@pytest.mark.parametrize(
    ("text", "is_joined"),
    [
        ("Ann/PROPN ,/PUNCT Ben/PROPN and/CCONJ Eve/PROPN", True),
        ("Ann/PROPN ,/PUNCT Ben/PROPN ,/PUNCT &/CCONJ Eve/PROPN", True),
        ("Ann/PROPN ,/PUNCT the/DET Ben/PROPN", False),
        ("Ann/PROPN and/CCONJ Ben/PROPN", False),
        ("Ann/PROPN ,/PUNCT actress/NOUN and/CCONJ singer/NOUN", False),
    ],
)
def test_a_list_of_names_that_the_parser_takes_for_an_apposition(text, is_joined):
    words, pos = zip(*(word.rsplit("/", 1) for word in text.split()), strict=True)
    n = len(words)
    deps = ["ROOT", *["appos"] * (n - 1)]
    doc = Doc(NLP.vocab, words=list(words), pos=list(pos), heads=[0] * n, deps=deps)
    index = WordIndex(doc)
    heads, found = find_mention_heads(
        np.array([[0, n]]), Parse(doc, index), index, "en"
    )
    assert (heads.tolist(), found.tolist()) == ([0], [is_joined])
