from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.rules.speech import find_quoted, find_quotes


def test_quotes():
    words = 'He said : " Go ! " and “ stay ” .'.split()
    assert find_quotes(words).tolist() == [0, 0, 0, 0, 1, 1, 0, 0, 0, 2, 0, 0]


def test_a_paragraph_ends_what_nothing_closes():
    words = ["“", "Go", "!", "\n\n", "He", "left", "."]
    assert find_quotes(words).tolist() == [0, 1, 1, 0, 0, 0, 0]


def test_who_speaks():
    words = '" Go , " said Tom Sawyer . " I will , " she said . " So ? "'.split()
    speakers = find_quoted(words, find_quotes(words), frozenset(["said"]))
    assert speakers[1] == words.index("Sawyer")
    assert speakers[9] == words.index("she")
    assert speakers[words.index("So")] == -1
    assert speakers[4] == -1


@given(st.lists(st.sampled_from(['"', "“", "”", "said", "Tom", "he", "\n\n"])))
def test_any_order_of_signs(words):
    quotes = find_quotes(words)
    speakers = find_quoted(words, quotes, frozenset(["said"]))
    assert len(quotes) == len(speakers) == len(words)
    assert ((speakers >= -1) & (speakers < len(words))).all()
    assert (speakers[quotes == 0] == -1).all()
