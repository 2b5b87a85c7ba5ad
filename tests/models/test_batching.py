import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spacy_fastcoref.models.batching import MAX_PADDING, Segments, group_documents

LENGTHS = st.lists(st.integers(1, 300), min_size=1, max_size=40)


@given(LENGTHS, st.integers(1, 500))
def test_every_document_is_in_one_group(lengths, budget):
    left = []
    # The fewer are left the smaller the groups.
    groups = list(
        group_documents(lengths, lambda n: left.append(n) or min(budget, n // 2))
    )
    assert sorted(i for group in groups for i in group) == list(range(len(lengths)))
    totals = [sum(lengths[i] for i in group) for group in groups]
    assert left == [sum(totals[i:]) for i in range(len(groups))]
    for group, total, n_left in zip(groups, totals, left, strict=True):
        assert len(group) == 1 or total <= min(budget, n_left // 2)


@given(LENGTHS, st.integers(3, 64), st.integers(0, 30))
def test_segments_with_context(lengths, max_length, overlap):
    ends = np.cumsum(lengths)
    segments = Segments.from_ends(ends, max_length, overlap)
    assert segments.lengths.max() <= max_length
    wanted = min(overlap, max_length // 3)
    kept = []
    for i in range(len(segments.starts)):
        positions, mask, is_kept = segments.get_positions(np.array([i]))
        kept += positions[is_kept].tolist()
        doc = np.searchsorted(ends, segments.begins[i], side="right")
        begin, end = ends[doc] - lengths[doc], ends[doc]
        # Each has its context, as far as the document goes.
        assert positions[mask].min() == max(begin, segments.begins[i] - wanted)
        assert positions[mask].max() == min(end, segments.ends[i] + wanted) - 1
    assert kept == list(range(sum(lengths)))


@given(st.integers(1, 300), st.integers(3, 64), st.integers(0, 30))
def test_every_piece_is_where_it_has_most_context(length, max_length, overlap):
    segments = Segments.from_ends(np.array([length]), max_length, overlap)
    pieces = np.arange(length)
    starts, stops = (
        segments.starts[:, None],
        (segments.starts + segments.lengths)[:, None],
    )
    # Where the text ends, there is no more context to be had.
    before = np.where(starts == 0, length, pieces - starts)
    after = np.where(stops == length, length, stops - 1 - pieces)
    context = np.where((before < 0) | (after < 0), -1, np.minimum(before, after))
    is_kept = (segments.begins[:, None] <= pieces) & (pieces < segments.ends[:, None])
    assert (is_kept.sum(0) == 1).all()
    assert (context[is_kept.argmax(0), pieces] == context.max(0)).all()


@given(LENGTHS, st.integers(1, 64), st.integers(1, 500))
def test_packing_loses_nothing_and_pads_little(lengths, max_length, budget):
    segments = Segments.from_ends(np.cumsum(lengths), max_length)
    groups = list(segments.pack(budget))
    packed = np.concatenate(groups)
    assert sorted(packed) == list(range(len(segments.lengths)))
    seen = []
    for group in groups:
        positions, mask, kept = segments.get_positions(group)
        assert (mask == kept).all()
        assert len(group) == 1 or mask.size <= budget
        assert (~mask).sum() <= MAX_PADDING * mask.size
        seen += positions[mask].tolist()
    assert sorted(seen) == list(range(sum(lengths)))


@given(LENGTHS, st.integers(1, 64), st.integers(1, 500), st.integers(1, 8))
def test_filling_loses_nothing_and_leaves_little_room(
    lengths, max_length, budget, step
):
    segments = Segments.from_ends(np.cumsum(lengths), max_length)
    sizes = -(-segments.lengths // step) * step
    groups = list(segments.fill(budget, sizes))
    assert sorted(np.concatenate(groups)) == list(range(len(segments.lengths)))
    for i, group in enumerate(groups):
        assert (np.diff(segments.lengths[group]) <= 0).all()
        found = sizes[group]
        assert len(group) == 1 or found.sum() <= budget
        # What comes later would not have fitted.
        later = [sizes[other].min() for other in groups[i + 1 :]]
        assert not later or found.sum() + min(later) > budget
