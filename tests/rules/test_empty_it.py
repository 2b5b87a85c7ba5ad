import pytest
import spacy

from spacy_fastcoref.rules.empty_it import find_empty_it
from spacy_fastcoref.rules.words import WordIndex

NLP = spacy.blank("en")


def is_empty(text):
    doc = NLP(text)
    (found,) = [
        is_so
        for token, is_so in zip(doc, find_empty_it(doc, WordIndex(doc)), strict=True)
        if token.lower_ == "it"
    ]
    return bool(found)


@pytest.mark.parametrize(
    "text",
    [
        "It rains.",
        "Soon it will be raining again.",
        "It has not snowed since May.",
        "It seems that nobody came.",
        "It turned out that he was right.",
        "It seemed to me that they knew.",
        "It is clear that we lost.",
        "It was very hard to see him.",
        "It's a pity that you can't come.",
        "She found it difficult to sleep.",
        "It was nearly midnight.",
        "It was Susan who called.",
        "It took three hours to get there.",
    ],
)
def test_nothing(text):
    assert is_empty(text)


@pytest.mark.parametrize(
    "text",
    [
        "It barked.",
        "It is a dog.",
        "It seems ripe.",
        "It is clear and cold.",
        "It was hard.",
        "She found it under the bed.",
        "He took it to the kitchen.",
        "It.",
        "I saw it",
    ],
)
def test_something(text):
    assert not is_empty(text)
