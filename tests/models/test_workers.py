import pytest
import torch

from spacy_fastcoref.models.workers import map_ahead, map_side_by_side


def test_error_is_raised_and_workers_continue(two_threads):
    def fail(item):
        if item in (3, 6):
            raise ValueError(f"item {item}")
        return item

    with torch.inference_mode():
        results = map_side_by_side(fail, range(9), 2)
        assert [next(results) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(ValueError, match="item 3"):
            next(results)
        assert list(map_side_by_side(fail, [0] * 9, 2)) == [0] * 9


def test_map_ahead_by_one_item():
    made, seen = [], []
    for item in map_ahead(lambda item: made.append(item) or item, range(5)):
        seen.append(item)
        assert len(made) <= len(seen) + 1
    assert seen == made == [0, 1, 2, 3, 4]
    assert list(map_ahead(str, [])) == []
    assert list(map_ahead(str, [7])) == ["7"]
