from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.visualizer.passage import Mention
from spacy_fastcoref.visualizer.spans import find_edges

mentions = st.lists(
    st.tuples(st.integers(0, 12), st.integers(1, 6), st.integers(1, 4)).map(
        lambda one: Mention(one[0], one[0] + one[1], one[2], 1)
    ),
    unique=True,
).map(lambda some: sorted(some, key=lambda m: (m.start, -m.end, m.number)))


@given(mentions)
def test_any(mentions):
    """Elements are nested, none is empty, and a mention's elements are all of it."""
    stack, last = [], 0
    covered = {mention: [] for mention in mentions}
    for edge in find_edges(mentions):
        assert edge.token >= last
        last = edge.token
        if edge.is_start:
            before = covered[edge.mention]
            assert edge.is_cut == bool(before)
            assert edge.token == (before[-1][1] if before else edge.mention.start)
            stack.append(edge)
        else:
            start = stack.pop()
            assert start.mention == edge.mention and start.token < edge.token
            covered[edge.mention].append((start.token, edge.token))
            assert edge.is_cut == (edge.token < edge.mention.end)
    assert not stack
    assert all(found[-1][1] == m.end for m, found in covered.items())
