import threading

import pytest
import torch

from spacy_fastcoref.models.workers import (
    count_workers,
    map_ahead,
    map_side_by_side,
    run_with_one_thread,
)

CPU = torch.device("cpu")


def record(item):
    return item, torch.get_num_threads(), threading.current_thread()


def test_results_in_order_from_worker_threads(two_threads):
    with torch.inference_mode():
        seen = list(map_side_by_side(record, range(50), 2))
    assert [item for item, _, _ in seen] == list(range(50))
    assert {n_threads for _, n_threads, _ in seen} == {1}
    assert threading.current_thread() not in {thread for _, _, thread in seen}
    # The number is unchanged in other threads, including new ones.
    assert torch.get_num_threads() == 2
    found = []
    thread = threading.Thread(target=lambda: found.append(torch.get_num_threads()))
    thread.start()
    thread.join()
    assert found == [2]


def test_one_thread_may_use_workers(two_threads):
    """The prediction runs in another thread; the caller keeps its number of threads."""

    def count():
        return count_workers(CPU)

    def predict_all():
        inner = run_with_one_thread(lambda: record("inner"), count())
        shares = list(map_side_by_side(record, range(9), count()))
        return count(), record("outer"), inner, shares

    with torch.inference_mode():
        n_workers, outer, inner, shares = run_with_one_thread(predict_all, count())
    assert n_workers == 2
    assert outer[1] == inner[1] == 1 and outer[2] == inner[2]
    # The workers are other threads.
    threads = {thread for _, _, thread in shares}
    assert {n for _, n, _ in shares} == {1}
    assert not threads & {outer[2], threading.current_thread()}
    assert torch.get_num_threads() == 2


@pytest.mark.parametrize("enabled", [False, True])
def test_workers_use_modes_of_caller(two_threads, enabled):
    def record_modes(item):
        product = torch.ones(2, 2) @ torch.ones(2, 2)
        return torch.is_inference_mode_enabled(), product.dtype

    dtype = torch.bfloat16 if enabled else torch.float32
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=enabled):
        assert set(map_side_by_side(record_modes, range(8), 2)) == {(True, dtype)}
        assert run_with_one_thread(lambda: record_modes(0), 2) == (True, dtype)


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
