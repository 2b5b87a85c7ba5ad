import pytest

from spacy_fastcoref.grammar.lexicon import get_lexicon
from spacy_fastcoref.grammar.speech import find_quotes, get_marks


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
