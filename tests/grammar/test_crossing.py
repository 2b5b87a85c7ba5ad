"""Compare the vectorised search for crossing mentions with the loop of the paper."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_fastcoref.grammar.nesting import find_crossed, find_running_on
from spacy_fastcoref.grammar.rules import Rules
from spacy_fastcoref.languages.en.rules import EnglishRules
from spacy_fastcoref.types import Links

from ..conftest import blank
from .links import decode

WORDS = "Ann told Ben of Eve . She slept .".split()


def prune(spans, scores):
    """Accept spans in the order of their scores, as in Lee et al. (2017)."""
    kept = []
    for i in sorted(range(len(spans)), key=lambda i: -scores[i]):
        a, z = spans[i]
        crossed = [(b, y) for b, y in kept if a < b < z < y or b < a < y < z]
        if not crossed:
            kept.append((a, z))
    return [span not in kept for span in spans]


@given(st.data())
def test_same_as_pruning_in_the_paper(data):
    cuts = st.tuples(st.integers(0, 12), st.integers(0, 12))
    spans = data.draw(st.sets(cuts.map(lambda p: (min(p), max(p) + 1)), max_size=14))
    scores = data.draw(st.permutations(range(len(spans))))
    starts, ends = np.array(sorted(spans), dtype=np.int64).reshape(-1, 2).T
    found = find_crossed(starts, ends, np.array(scores, dtype=np.float32))
    assert found.tolist() == prune(sorted(spans), scores)


def test_mentions_of_equal_scores_are_kept():
    starts, ends = np.array([0, 2]), np.array([3, 5])
    assert not find_crossed(starts, ends, np.ones(2)).any()


@pytest.mark.parametrize("likely, other", [((0, 3), (2, 5)), ((2, 5), (0, 3))])
def test_crossed_mentions_have_no_links(likely, other):
    doc = Doc(blank("en").vocab, words=WORDS)
    mentions = sorted([likely, other, (6, 7)])
    links = Links(
        np.array(mentions, dtype=np.int32),
        np.array([2.0 if m == likely else 1.0 for m in mentions], dtype=np.float32),
        np.array([[-1, -1], [-1, -1], [mentions.index(other), mentions.index(likely)]]),
        np.array([[-np.inf] * 2, [-np.inf] * 2, [3.0, 1.0]], dtype=np.float32),
        np.array([0.0, 0.0, 3.2], dtype=np.float32),
    )

    def find(disabled):
        rule_output = EnglishRules(disabled)(doc, links)
        (cluster,) = decode(links, rule_output)
        return [tuple(mention) for mention in cluster.mentions]

    assert find(["crossing", "agreement"]) == [other, (6, 7)]
    assert find(["agreement"]) == [likely, (6, 7)]


@pytest.mark.parametrize(
    ("lang", "text", "runs_on"),
    [
        ("en", "Ann . Miss Lee", True),
        ("en", "you ? To give", True),
        ("en", "Ann slept .", False),
        ("en", "Sgt . Lee", False),
        ("en", "Sgt . Lee . Ann", True),
        ("en", "J . R . Lee", False),
        ("de", "Nr . 5", False),
        ("de", "Anna . Herr Lee", True),
        # Of a language without lists, too.
        ("xx", "Anna . Nr", True),
    ],
)
def test_mentions_across_sentences(lang, text, runs_on):
    words = text.split()
    doc = Doc(blank(lang).vocab, words=words)
    facts = Rules().read(doc, np.array([[0, len(words)], [0, 1]]))
    found = find_running_on(facts)
    assert found.tolist() == [runs_on, False]
