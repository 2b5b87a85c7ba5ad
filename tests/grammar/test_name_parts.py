"""Compare the vectorised search for parts of names with two plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_fastcoref.grammar.people import find_name_parts
from spacy_fastcoref.languages.en.rules import EnglishRules
from spacy_fastcoref.types import Links

from ..conftest import blank
from .links import decode

VOCAB = blank("en").vocab


def tell(spans, scores, is_proper, is_given, is_title):
    """Find the longer name of each span, pair by pair."""
    found = {}
    for i, (a, z) in enumerate(spans):
        wholes = [
            j
            for j, (b, y) in enumerate(spans)
            if j != i
            and (b <= a and z <= y)
            and all(is_proper[b:y])
            and any(is_given[b:z])
            and scores[j] >= scores[i]
        ]
        parts = [
            j
            for j, (b, y) in enumerate(spans)
            if (a < b and y == z)
            and all(is_proper[a:z])
            and all(is_title[a:b])
            and scores[j] > scores[i]
        ]
        if wholes or parts:
            found[i] = wholes + parts
    return found


@given(st.data())
def test_same_as_plain_loops(data):
    n_tokens = data.draw(st.integers(1, 9))
    flags = st.lists(st.booleans(), min_size=n_tokens, max_size=n_tokens)
    is_proper, is_given, is_title = (data.draw(flags) for _ in range(3))
    cuts = st.tuples(st.integers(0, n_tokens - 1), st.integers(0, n_tokens - 1))
    drawn = data.draw(st.sets(cuts.map(lambda p: (min(p), max(p) + 1)), max_size=9))
    spans = sorted(drawn)
    numbers = st.integers(0, 3)
    scores = data.draw(st.lists(numbers, min_size=len(spans), max_size=len(spans)))
    starts, ends = np.array(spans, dtype=np.int64).reshape(-1, 2).T
    found = find_name_parts(
        starts,
        ends,
        np.array(scores),
        np.array(is_proper),
        np.array(is_given),
        np.array(is_title),
    )
    told = tell(spans, scores, is_proper, is_given, is_title)
    assert np.flatnonzero(found >= 0).tolist() == sorted(told)

    def find_wholes(part):
        if part not in told:
            return {part}
        best = max(scores[whole] for whole in told[part])
        likeliest = (whole for whole in told[part] if scores[whole] == best)
        return set().union(*map(find_wholes, likeliest))

    # What it is of is a part of nothing, and found by the likeliest each time.
    assert all(found[part] in find_wholes(part) for part in told)


@pytest.mark.parametrize(
    "text, whole, score, part, is_part",
    [
        ("Ann Lee was late . Ann slept .", (0, 2), 1.0, (0, 1), True),
        ("Ann Lee was late . Lee slept .", (0, 2), 1.0, (1, 2), True),
        # A title that the model leaves out
        ("Judge Ann Lee sat . Lee slept .", (1, 3), 1.0, (0, 3), True),
        ("Judge Ann Lee sat . Lee slept .", (1, 3), -1.0, (0, 3), False),
        ("Texas Ann Lee sat . Lee slept .", (1, 3), 1.0, (0, 3), False),
        # The model finds that it is none, or there is no name of a person.
        ("Ann Lee was late . Ann slept .", (0, 2), -1.0, (0, 1), False),
        ("Ohio State won . Ohio slept .", (0, 2), 1.0, (0, 1), False),
        # A place before a title is one of its own.
        ("Texas Senator Ann Lee won . Texas slept .", (0, 4), 1.0, (0, 1), False),
        ("Texas Senator Ann Lee won . Lee slept .", (0, 4), 1.0, (3, 4), True),
        ("Ann 's dog was late . Ann slept .", (0, 3), 1.0, (0, 1), False),
    ],
)
def test_links_of_name_parts_are_moved_to_the_name(text, whole, score, part, is_part):
    words = text.split()
    doc = Doc(VOCAB, words=words)
    last = words.index("slept") - 1
    mentions = sorted([whole, part, (last, last + 1)])
    links = Links(
        np.array(mentions, dtype=np.int32),
        np.array([score if m == whole else 0.0 for m in mentions], dtype=np.float32),
        np.array([[-1], [-1], [mentions.index(part)]], dtype=np.int32),
        np.array([[-np.inf], [-np.inf], [2.0]], dtype=np.float32),
        np.array([0.0, 0.0, 2.1], dtype=np.float32),
    )
    (found,) = decode(links, EnglishRules()(doc, links))
    expected = whole if is_part else part
    assert found.mentions == [tuple(expected), tuple(mentions[2])]
    assert found.scores == [0.0, 2.0]
    (found,) = decode(links, EnglishRules(["name_part"])(doc, links))
    assert found.mentions[0] == tuple(part)
