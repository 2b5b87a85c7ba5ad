"""Whether "her" stands before a noun, where no tag tells it."""

import pytest
import spacy

from spacy_fastcoref.resolution.possessives import precedes_noun, surely_precedes_noun

NLP = spacy.blank("en")


def find_her(text):
    return [token for token in NLP(text) if token.lower_ == "her"][-1]


@pytest.mark.parametrize(
    "text",
    [
        # Compounds that begin with a small word
        "She met her in-laws.",
        "Her on-screen husband left.",
        "She sold her one-bedroom flat.",
        "She met her soon-to-be husband.",
        "She fled her would-be killer.",
        "She loves her after-school job.",
        "She hid her up-and-down moods.",
        "She ran her all-time best.",
        # Names in capitals
        "She lost her US passport.",
        "She cancelled her first US tour.",
        "She runs her IT company.",
        # What counts, and what stands before a noun
        "She has her one regret.",
        "He watched her every move.",
        "She locked her back door.",
        "The patient reported her back pain had improved.",
        # Verbs whose object is owned
        "She gave her all.",
        "She gave her all to the team.",
        "She spent her last day in Rome.",
        "She began her next year there.",
        "It was in her last year.",
        "She renovated her home.",
        "She hurt her back badly.",
        "She did her best.",
    ],
)
def test_sure(text):
    assert surely_precedes_noun(find_her(text))


@pytest.mark.parametrize(
    "text",
    [
        "She entered her not guilty plea.",
        "She marked her more than 20-year career.",
        "She won her next match.",
        "He gave her in-depth advice.",
        "He saw her duck.",
    ],
)
def test_likely(text):
    assert precedes_noun(find_her(text))
    assert not surely_precedes_noun(find_her(text))


@pytest.mark.parametrize(
    "text",
    [
        "It caught her off-guard.",
        "It caught her off-guard yesterday.",
        "He saw her in-person.",
        "He gave her IT.",
        "He told her all about it.",
        "He gave her all the money.",
        "He gave her all of it.",
        "He gave her one.",
        "He gave her one chance.",
        "He told her every detail.",
        "He called her one day.",
        "He met her one rainy night.",
        "He called her every day.",
        "He visits her every two weeks.",
        "He saw her back home.",
        "He called her back.",
        "The chair gave her back pain.",
        "He told her not to go.",
        "He found her not breathing.",
        "He met her not long ago.",
        "He loved her more than 20 years.",
        "He saw her last week.",
        "He left her last night.",
        "He loved her best.",
    ],
)
def test_object(text):
    assert not precedes_noun(find_her(text))
