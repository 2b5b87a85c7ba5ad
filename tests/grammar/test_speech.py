import pytest

from spacy_fastcoref.grammar.lexicon import get_lexicon
from spacy_fastcoref.grammar.speech import find_attributions, get_marks
from spacy_fastcoref.grammar.speech import find_quotes as find_quotes_between

MARKS = get_marks(get_lexicon("en"))


def find_quotes(words, is_spaced):
    return find_quotes_between(words, is_spaced, MARKS)


def test_quotes():
    words = 'He said : " Go ! " and “ stay ” .'.split()
    found = find_quotes(words, [True] * len(words)).tolist()
    assert found == [*[0] * 4, 1, 1, 0, 0, 0, 2, 0, 0]


def test_inches_are_not_quotation_marks():
    words = 'a 55 " TV , said " No . "'.split()
    spaces = [True] * len(words)
    assert find_quotes(words, spaces).tolist() == [0, 0, 0, 1, 1, 1, 0, 0, 0, 0]
    spaces[1] = False
    assert find_quotes(words, spaces).tolist() == [0, 0, 0, 0, 0, 0, 0, 1, 1, 0]
    # What is open is closed.
    words = 'He said : " I am 55 "'.split()
    assert find_quotes(words, [False] * 8).tolist() == [0, 0, 0, 0, 1, 1, 1, 0]


def test_paragraphs_end_quotations():
    words = ["“", "Go", "!", "\n\n", "He", "left", "."]
    assert find_quotes(words, [True] * len(words)).tolist() == [0, 1, 1, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("text", "begins", "ends"),
    [
        ('" Go , " said Tom Sawyer .', ["Tom"], [None]),
        ('" Go , " she softly said .', ["she"], [None]),
        ('" Go " , said Tom .', ["Tom"], [None]),
        ('My old uncle said : " Go "', [None], ["said"]),
        ('" Go , " said Tom . " So ? "', ["Tom", None], [None, None]),
        ('" Go , " said Tom , " now . "', ["Tom", "Tom"], [None, None]),
        ('" Go , " Tom said , " now . "', ["Tom", None], [None, "said"]),
        ('" She is in love . " He said yes .', [None], [None]),
        ('" Now ? " I said that I would .', [None], [None]),
        ('" Now ? " Tom said .', ["Tom"], [None]),
        ('" Now ? " thought Tom .', ["Tom"], [None]),
        ('" Now , " Tom thought .', ["Tom"], [None]),
        ('" " said', [], []),
        ('He says "', [], []),
    ],
)
def test_attributions(text, begins, ends):
    words = text.split()
    saying, openers = frozenset(["said", "thought"]), frozenset(["that"])
    quotes = find_quotes(words, [True] * len(words))
    found = find_attributions(words, quotes, saying, openers)
    for tokens, expected in zip(found, (begins, ends), strict=True):
        assert tokens[0] == -1
        read = [None if i < 0 else words[i] for i in tokens[1:].tolist()]
        assert read[: len(expected)] == expected


@pytest.mark.parametrize(
    ("words", "begins", "ends"),
    [
        (['"', "Go", ",", '"', "\n", "said", " ", "Tom", "."], 7, -1),
        (["\n", "Tom", "\n", "said", ",", "\n", '"', "\n", "Go", '"'], -1, 2),
        (['"', "Go", ",", '"', "\n\n", "said", "Tom", "."], -1, -1),
        (['"', "Go", ",", '"', "said", "\n"], 6, -1),
        (["Tom", "said", ",", '"', "\n", '"'], -1, -1),
    ],
)
def test_attributions_across_line_breaks(words, begins, ends):
    found = find_attributions(
        words, find_quotes(words, [True] * len(words)), frozenset(["said"])
    )
    assert [tokens[1:].tolist() for tokens in found] == [[begins], [ends]]


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("de", "Er sagte : „ Ja “ und ging ."),
        ("de", "Er sagte : » Ja « und ging ."),
        ("fr", "Elle dit : « Oui » et part ."),
        ("nl", "Anna zei : „ Ja ” en ging ."),
        ("pl", "Ona rzekła : „ Tak ” i wyszła"),
    ],
)
def test_quotation_marks_of_shipped_lexicons(lang, text):
    words = text.split()
    spaces = [True] * len(words)
    found = find_quotes_between(words, spaces, get_marks(get_lexicon(lang)))
    quoted = [
        word for word, number in zip(words, found.tolist(), strict=True) if number
    ]
    assert quoted == [words[4]]
