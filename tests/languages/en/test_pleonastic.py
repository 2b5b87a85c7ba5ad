import pytest
import spacy

from spacy_fastcoref.languages.en.pleonastic import find_empty_it
from spacy_fastcoref.languages.word_index import WordIndex

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
        "It is surprising he should have lost.",
        "It is possible for a friend of the old king to say so.",
        "It was very hard to see him.",
        "It's a pity that you can't come.",
        "She found it difficult to sleep.",
        "It was nearly midnight.",
        "It was Susan who called.",
        "It was to Susan that he spoke.",
        "It took three hours to get there.",
        "It took him a day to reach the town.",
        "It is likely to rain.",
        "It is likely that she won.",
        "It is said that he won.",
        "It is safe for children to play here.",
        "It is important for her to win.",
        "It is hard to say.",
        "It is hard to",
        "It is hard to clean the house.",
        "It was impossible to sleep in winter.",
        "It was good to be back.",
        "It was clear to me that he knew.",
        "It was late afternoon.",
        "It was last night that she called.",
        "It was on Monday that she called.",
        "It was the next morning.",
        "It was Monday.",
        "It follows that he lied.",
        "It seems as if he lied.",
        "It turned out he lied.",
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
        "It took him to the hospital.",
        "It took us to Boston.",
        "It costs ten pounds.",
        "It is likely to pass.",
        "It is said to be by Rembrandt.",
        "It is believed to be old.",
        "They thought it likely to fail.",
        "It is safe for children.",
        "It is useful for cutting bread.",
        "It is important to us.",
        "It seemed good to me.",
        "It is hard to clean.",
        "It is hard to clean properly.",
        "It is hard to clean because the rooms are high.",
        "It is nice to live in.",
        "It is easy to look at and cheap.",
        "It is closed on Monday.",
        "It was stolen last night.",
        "It was published in spring.",
        "It was released Monday.",
        "It was on Monday.",
        "It follows you everywhere.",
        "It turned as he pushed.",
        "I found it interesting because of its age.",
        "It is nice there.",
    ],
)
def test_something(text):
    assert not is_empty(text)
