"""Blocks have each row once, whatever was written before."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.scale.schedule import cut_rows, plan_blocks


def make_entry(start, stop):
    return {"start": start, "stop": stop}


@st.composite
def draw_entries(draw):
    """Draw blocks of earlier runs, with gaps between some of them."""
    cuts = draw(st.lists(st.integers(0, 60), unique=True, max_size=12).map(sorted))
    pairs = list(itertools.pairwise(cuts))
    kept = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return [make_entry(*pair) for pair, keep in zip(pairs, kept, strict=True) if keep]


@given(draw_entries(), st.integers(1, 15), st.lists(st.integers(1, 9), max_size=20))
def test_rows_are_cut_where_earlier_runs_have_cut_them(entries, size, lengths):
    rows = list(range(sum(lengths)))
    ends = list(itertools.accumulate(lengths))
    batches = [rows[end - n : end] for n, end in zip(lengths, ends, strict=True)]
    cut = list(cut_rows(batches, plan_blocks(entries, size)))
    found = [(block, [row for part in parts for row in part]) for block, parts in cut]
    assert [row for _, part in found for row in part] == rows
    for block, part in found:
        assert part == list(range(block.start, block.stop))
        if block.entry is None:
            assert len(part) <= size
            assert not any(
                e["start"] < block.stop and block.start < e["stop"] for e in entries
            )
    known = [block.entry for block, _ in found if block.entry]
    assert known == [entry for entry in entries if entry["start"] < len(rows)]
