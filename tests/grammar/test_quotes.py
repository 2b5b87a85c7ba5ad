import pytest

from spacy_fastcoref.grammar.lexicon import Lexicon, get_lexicon
from spacy_fastcoref.grammar.speech import find_quotes, get_marks


@pytest.mark.parametrize(
    ("quotes", "text", "quoted"),
    [
        ({"open": "„ »", "close": "“ «"}, "Er sagte : „ Ja “ und »Nein«", "Ja"),
        ({"open": "„ »", "close": "“ «"}, "Er sagte : » Ja « und ging", "Ja"),
        ({"open": "«", "close": "»"}, "Il dit : « Oui » et part", "Oui"),
        ({"both": "'"}, "He said ' Yes ' and left", "Yes"),
        ({}, "He said “ Yes ” and left", "Yes"),
    ],
)
def test_quotation_marks(quotes, text, quoted):
    words = text.split()
    found = find_quotes(words, [True] * len(words), get_marks(Lexicon(quotes=quotes)))
    inside = [w for w, number in zip(words, found.tolist(), strict=True) if number]
    assert quoted in inside and words[0] not in inside and words[-1] not in inside


def test_inches_are_not_quotation_marks():
    words = 'a 55 " TV'.split()
    marks = get_marks(get_lexicon("en"))
    assert not find_quotes(words, [True, False, True, True], marks).any()


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("de", "Er sagte : „ Ja “ und ging ."),
        ("de", "Er sagte : » Ja « und ging ."),
        ("fr", "Elle dit : « Oui » et part ."),
        ("pl", "Ona rzekła : „ Tak ” i wyszła"),
    ],
)
def test_quotation_marks_of_shipped_lexicons(lang, text):
    words = text.split()
    found = find_quotes(words, [True] * len(words), get_marks(get_lexicon(lang)))
    quoted = [
        word for word, number in zip(words, found.tolist(), strict=True) if number
    ]
    assert quoted == [words[4]]
