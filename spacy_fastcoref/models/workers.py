"""Threads that predict on a CPU, each with its own part of the work.

Most operations of a forward pass are short. If torch computes them with several
threads, each thread waits for the others after each operation, by spinning. On a
machine that is busy with something else, one of them is always late, and a short text
takes ten times as long as with one thread. A worker for each batch, with one thread of
torch, waits for nobody.
"""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, Callable, Iterator, Sequence, Tuple

import torch

# More workers would wait for each other, because of Python's global interpreter lock.
MAX_WORKERS = 8
# The minimum and maximum number of tokens that a worker gets at once.
MIN_SHARE = 512
MAX_SHARE = 1 << 12

_THREAD = threading.local()
_LOCK = threading.Lock()


def count_workers(device: torch.device) -> int:
    """Count the workers that may compute in parallel.

    There is one on a GPU, outside inference mode, and within a worker.
    """
    if device.type != "cpu" or not torch.is_inference_mode_enabled():
        return 1
    known = getattr(_THREAD, "n_workers", None)
    return min(torch.get_num_threads(), MAX_WORKERS) if known is None else known


def predict_on(device: torch.device, function: Callable[[], Any]) -> Any:
    """Call a function that predicts on a device, with one thread on a CPU, without
    gradients, and without autocast, which a caller uses for others."""
    with torch.inference_mode(), torch.autocast(device.type, enabled=False):
        return run_with_one_thread(function) if device.type == "cpu" else function()


def run_with_one_thread(function: Callable[[], Any]) -> Any:
    """Call a function where torch has one thread, and which may use the workers.

    It is called in another thread, because the number of torch's threads can't be set
    for this one alone: threads that start in the meantime would keep the new number.
    """
    n_workers = min(torch.get_num_threads(), MAX_WORKERS)
    if n_workers == 1 or hasattr(_THREAD, "n_workers"):
        return function()
    return _get_pools(n_workers)[0].submit(_keep_modes(function)).result()


def map_side_by_side(
    function: Callable[[Any], Any], items: Sequence[Any], n_workers: int
) -> Iterator[Any]:
    """Apply a function to items, in parallel if there are several.

    Each worker has its part of torch's threads. Results are in order, and so is the
    first exception.
    """
    if n_workers == 1 or len(items) < 2:
        return map(function, items)
    workers = getattr(_THREAD, "workers", None) or _get_pools(n_workers)[1]
    return workers.map(_keep_modes(function), items)


def _keep_modes(function: Callable) -> Callable:
    """Let a function run with the inference mode and autocast of this thread."""
    use_autocast = torch.is_autocast_enabled("cpu")
    dtype = torch.get_autocast_dtype("cpu")
    is_inference = torch.is_inference_mode_enabled()

    def run(*items: Any) -> Any:
        autocast = torch.autocast("cpu", dtype, enabled=use_autocast)
        with torch.inference_mode(is_inference), autocast:
            return function(*items)

    return run


def map_ahead(function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
    """Apply a function to items in a thread, one item ahead of the consumer."""
    with ThreadPoolExecutor(1) as thread:
        upcoming = [thread.submit(function, item) for item in items[:1]]
        for item in items[1:]:
            upcoming.append(thread.submit(function, item))
            yield upcoming.pop(0).result()
        for last in upcoming:
            yield last.result()


def _get_pools(n_workers: int) -> Tuple[ThreadPoolExecutor, ...]:
    with _LOCK:
        # A forked process does not have its parent's threads.
        return _start_pools(os.getpid(), n_workers, torch.get_num_threads())


@lru_cache(maxsize=1)
def _start_pools(
    process: int, n_workers: int, n_threads: int
) -> Tuple[ThreadPoolExecutor, ...]:
    """Start leaders, which each run a whole prediction with one thread of torch, and
    workers, which compute a share of it."""

    def start(n_each: int, **attributes: Any) -> ThreadPoolExecutor:
        barrier = threading.Barrier(n_workers + 1)

        def prepare() -> None:
            vars(_THREAD).update(attributes)
            torch.set_num_threads(n_each)
            # Reading the number fixes it for this thread. Otherwise the thread would
            # take over the number that another thread sets later.
            torch.get_num_threads()
            barrier.wait()

        executor = ThreadPoolExecutor(n_workers, "spacy_fastcoref", prepare)
        for _ in range(n_workers):
            # Each submission starts a thread: none is idle before the barrier.
            executor.submit(int)
        barrier.wait()
        return executor

    workers = start(n_threads // n_workers, n_workers=1)
    leaders = start(1, n_workers=n_workers, workers=workers)
    torch.set_num_threads(n_threads)
    return leaders, workers
