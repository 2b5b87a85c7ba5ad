"""Worker threads that each compute a batch of their own on a CPU.

The operations of a forward pass are short, and some of them use only one core.
A worker for each batch keeps all cores busy, where one batch on all cores would
leave most of them idle between the matrix products.
"""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterator, Optional, Sequence, Tuple

import torch

# More workers would wait for each other, because of Python's global interpreter lock.
MAX_WORKERS = 8
# The minimum number of items for each worker. With fewer, most workers would be idle
# while the last item is computed.
_ITEMS_PER_WORKER = 2
# The minimum and maximum number of tokens that a worker gets at once.
_MIN_SHARE = 512
MAX_SHARE = 1 << 12

_THREAD = threading.local()
_LOCK = threading.Lock()
_executor: Optional[ThreadPoolExecutor] = None
# The process, workers and threads that the executor was started for.
_executor_key: Tuple[int, ...] = ()


def count_workers(device: torch.device, *, is_reentrant: bool) -> int:
    """Count the workers that may compute in parallel.

    device (torch.device): The device that they compute on.
    is_reentrant (bool): Whether their function may run in several threads at once.
    RETURNS (int): The number of torch's threads, up to MAX_WORKERS; 1 on a GPU,
        outside inference mode, and within a worker.
    """
    is_worker = getattr(_THREAD, "is_worker", False)
    if is_worker or not is_reentrant or device.type != "cpu":
        return 1
    if not torch.is_inference_mode_enabled():
        return 1
    return min(torch.get_num_threads(), MAX_WORKERS)


def is_enough(n_tokens: int, n_workers: int) -> bool:
    """Tell whether there are enough tokens to use workers.

    If there are not, all of torch's threads should work on one batch.

    n_tokens (int): The number of tokens of all documents.
    n_workers (int): The number of workers.
    RETURNS (bool): Whether there are enough.
    """
    return n_workers > 1 and n_tokens >= _MIN_SHARE * _ITEMS_PER_WORKER * n_workers


def choose_share(n_tokens: int, n_workers: int) -> int:
    """Choose how many tokens the next worker gets.

    The share becomes smaller towards the end, so that all workers finish at about
    the same time, as in guided self-scheduling (Polychronopoulos & Kuck 1987).

    n_tokens (int): The number of tokens that are left.
    n_workers (int): The number of workers.
    RETURNS (int): The number of tokens.
    """
    return max(_MIN_SHARE, min(n_tokens // (_ITEMS_PER_WORKER * n_workers), MAX_SHARE))


def map_side_by_side(
    function: Callable[[Any], Any], items: Sequence[Any], n_workers: int
) -> Iterator[Any]:
    """Apply a function to items, in parallel if there are enough of them.

    function (Callable[[Any], Any]): The function. It runs with the inference mode
        and autocast of the caller, and with one worker's part of torch's threads.
    items (Sequence[Any]): The items.
    n_workers (int): See `count_workers`.
    RETURNS (Iterator[Any]): The results, in order. The first exception of the
        function is raised from the iterator.
    """
    if n_workers == 1 or len(items) < _ITEMS_PER_WORKER * n_workers:
        return map(function, items)
    use_autocast = torch.is_autocast_enabled("cpu")
    dtype = torch.get_autocast_dtype("cpu")

    def run(item: Any) -> Any:
        # Both are settings of a thread.
        with torch.inference_mode(), torch.autocast("cpu", dtype, enabled=use_autocast):
            return function(item)

    return _get_executor(n_workers).map(run, items)


def map_ahead(function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
    """Apply a function to items, one item ahead of the consumer.

    function (Callable[[Any], Any]): The function. It runs in a thread of its own.
    items (Sequence[Any]): The items.
    YIELDS (Any): The results, in order.
    """
    with ThreadPoolExecutor(1) as thread:
        upcoming = [thread.submit(function, item) for item in items[:1]]
        for item in items[1:]:
            upcoming.append(thread.submit(function, item))
            yield upcoming.pop(0).result()
        for last in upcoming:
            yield last.result()


def _get_executor(n_workers: int) -> ThreadPoolExecutor:
    global _executor, _executor_key
    # A forked process does not have its parent's threads.
    key = (os.getpid(), n_workers, torch.get_num_threads())
    with _LOCK:
        if _executor is None or _executor_key != key:
            _executor, _executor_key = _start(*key[1:]), key
        return _executor


def _start(n_workers: int, n_threads: int) -> ThreadPoolExecutor:
    barrier = threading.Barrier(n_workers + 1)

    def prepare() -> None:
        _THREAD.is_worker = True
        torch.set_num_threads(n_threads // n_workers)
        # Reading the number fixes it for this thread. Otherwise the thread would take
        # over the number that another thread sets later.
        torch.get_num_threads()
        barrier.wait()

    executor = ThreadPoolExecutor(n_workers, "spacy_fastcoref", prepare)
    for _ in range(n_workers):
        # Each submission starts a thread, because no thread is idle before the barrier.
        executor.submit(int)
    barrier.wait()
    torch.set_num_threads(n_threads)
    return executor
