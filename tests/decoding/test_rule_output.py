import numpy as np
import pytest

from spacy_fastcoref.decoding.decode import complete_output
from spacy_fastcoref.pipeline.decide import decide_doc
from spacy_fastcoref.types import ALLOWED, ANYTHING, RuleOutput

from ..conftest import blank
from .test_decode import make_links

LINKS = make_links([{}, {0: 1.0}, {0: 2.0, 1: 1.0}])
VERDICTS = np.full(LINKS.scores.shape, ALLOWED)


class OddRules:
    """Rules that return what they are given."""

    def __init__(self, answer):
        self.answer = answer

    def __call__(self, doc, links):
        return self.answer


def ask(answer):
    doc = blank("en")("Ann saw Eve")
    return decide_doc(doc, LINKS, OddRules(answer), 0.0)


def make_verdicts(value):
    return [[2, 2], [2, 2], [2, value]]


@pytest.mark.parametrize(
    "field, value",
    [
        *(("verdicts", make_verdicts(x)) for x in (np.nan, np.inf, -1, 3, 0.5)),
        ("agreement", [1.0, np.nan, 1.0]),
        ("agreement", [1.5, 1, 1]),
        ("agreement", ["a", "b", "c"]),
        ("is_anaphor", [np.nan, 0, 1]),
        ("is_anaphor", [2, 0, 1]),
        ("conflicts", [[0, 3]]),
        ("conflicts", [[-1, 0]]),
        ("must_links", [-1, -1, 3]),
        ("must_links", [-2, -1, -1]),
        ("duplicate_of", [-1, np.nan, -1]),
        ("duplicate_of", [-1, 7, -1]),
    ],
)
def test_values_without_a_meaning(field, value):
    with pytest.raises(ValueError, match=f"FC045.*OddRules.*{field}"):
        ask(RuleOutput(**{"verdicts": VERDICTS, field: np.array(value)}))


@pytest.mark.parametrize("answer", ["fine", 2, [[2], [2, 2], [2, 2]], {"a": 1}])
def test_what_is_no_array(answer):
    with pytest.raises(ValueError, match="FC045.*OddRules.*verdicts"):
        ask(answer)

    def judge(doc, links):
        return np.full(links.scores.shape, np.nan)

    # A function is named, too.
    with pytest.raises(ValueError, match=r"FC045.*<locals>\.judge.*nan"):
        decide_doc(blank("en")("Ann saw Eve"), LINKS, judge, 0.0)


def test_what_is_missing():
    for answer in (None, VERDICTS, VERDICTS.tolist(), VERDICTS.astype(float)):
        found = complete_output(answer, LINKS)
        assert (found.verdicts == ALLOWED).all()
        assert (found.agreement == ANYTHING).all() and found.agreement.ndim == 2
        assert not found.is_anaphor.any() and not len(found.conflicts)
        assert (found.must_links == -1).all() and (found.duplicate_of == -1).all()
    found = complete_output(RuleOutput(VERDICTS, agreement=np.array([1, 2, 3])), LINKS)
    assert found.agreement.tolist() == [[1], [2], [3]]


def test_links_of_duplicates_are_moved():
    """Whether the rules move them or not."""
    duplicate_of = np.array([-1, 2, -1])
    moved = LINKS.merge_duplicates(duplicate_of)
    for links in (None, moved):
        decision = ask(RuleOutput(VERDICTS, duplicate_of=duplicate_of, links=links))
        assert np.array_equal(decision.rules.links.scores, moved.scores)
    assert not np.array_equal(moved.scores, LINKS.scores)
