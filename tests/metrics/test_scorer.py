import pytest
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_fastcoref import set_clusters
from spacy_fastcoref.metrics.scorer import make_coref_scorer


def make(words, clusters):
    spaces = [word != "'s" and i + 1 < len(words) for i, word in enumerate(words)]
    doc = Doc(Vocab(), words=words, spaces=spaces)
    set_clusters(doc, clusters)
    return doc


WORDS = "The old man met Ann . She saw him .".split()


def test_scores():
    key = make(WORDS, [[(0, 3), (8, 9)], [(4, 5), (6, 7)]])
    response = make(WORDS, [[(4, 5), (6, 7)]])
    scores = make_coref_scorer()([Example(response, key)])
    assert scores["coref_muc_r"] == 0.5 and scores["coref_muc_p"] == 1
    assert scores["coref_mentions_r"] == 0.5 and scores["coref_lea_p"] == 1
    expected = (2 / 3 + 2 / 3 + 2 / 3) / 3
    assert scores["coref_f"] == pytest.approx(expected)
    assert make_coref_scorer("x")([Example(response, key)])["x_f"] == scores["coref_f"]


def test_different_tokens():
    key = make(["Ann", "left", "and", "she", "ran"], [[(0, 1), (3, 4)]])
    response = Doc(
        Vocab(),
        words=["An", "n", "left", "and", "she", "ran"],
        spaces=[False, True, True, True, True, False],
    )
    set_clusters(response, [[(0, 2), (4, 5)]])
    assert make_coref_scorer()([Example(response, key)])["coref_f"] == 1


def test_heads():
    key = make(WORDS, [[(0, 3), (8, 9)]])
    response = make(WORDS, [[(1, 3), (8, 9)]])
    eg = Example(response, key)
    assert make_coref_scorer(match="exact")([eg])["coref_mentions_f"] == 0.5
    assert make_coref_scorer(match="head")([eg])["coref_mentions_f"] == 1
    with pytest.raises(ValueError, match="FC024.*'tail'"):
        make_coref_scorer(match="tail")


def test_singletons():
    key = make(WORDS, [[(0, 3)], [(4, 5), (6, 7)]])
    response = make(WORDS, [[(4, 5), (6, 7)]])
    eg = Example(response, key)
    assert make_coref_scorer()([eg])["coref_f"] == 1
    assert make_coref_scorer(singletons=True)([eg])["coref_mentions_r"] == 2 / 3
    alone = Example(response, make(WORDS, [[(0, 3)]]))
    assert make_coref_scorer()([alone])["coref_f"] is None
    assert make_coref_scorer(singletons=True)([alone])["coref_f"] == 0
    assert make_coref_scorer()([])["coref_f"] is None
