"""Work on several cores: a batch for each of them, not all of them for each product.

The steps of a forward pass are short, and some of them use one core alone. Workers that
take a batch each wait for nobody, and one multiplies while another looks up a table.
"""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Iterator, Optional, Sequence, Tuple

import torch

# With more of them, each with fewer threads, they would wait for each other's Python.
MAX_WORKERS = 8
# With fewer parts a worker, the last one is waited for too long.
_N_PARTS = 2
# The fewest and the most tokens that are given to a worker at once.
_LEAST = 512
MOST_TOKENS = 1 << 12

_HERE = threading.local()
_STARTING = threading.Lock()
_executor: Optional[ThreadPoolExecutor] = None
_made_for: Tuple[int, ...] = ()


def count_workers(device: torch.device, *, is_reentrant: bool) -> int:
    """Count the workers that may compute side by side here.

    device (torch.device): Where they compute.
    is_reentrant (bool): Whether what they run may run in several threads at once.
    RETURNS (int): As many as torch has threads, up to MAX_WORKERS; 1 on a GPU, outside
        inference mode, and in a worker.
    """
    is_worker = getattr(_HERE, "is_worker", False)
    if is_worker or not is_reentrant or device.type != "cpu":
        return 1
    if not torch.is_inference_mode_enabled():
        return 1
    return min(torch.get_num_threads(), MAX_WORKERS)


def is_enough(n_tokens: int, n_workers: int) -> bool:
    """Tell whether there is enough to be shared by workers.

    n_tokens (int): How many there are in all.
    n_workers (int): How many workers there are.
    RETURNS (bool): Whether there is; else all torch's threads do one thing.
    """
    return n_workers > 1 and n_tokens >= _LEAST * _N_PARTS * n_workers


def choose_share(n_tokens: int, n_workers: int) -> int:
    """Choose how many tokens to give the next worker at once.

    The fewer are left the less, so that all of them end at about the same time, as in
    guided self-scheduling (Polychronopoulos & Kuck 1987).

    n_tokens (int): How many are left.
    n_workers (int): How many workers there are.
    RETURNS (int): Their number.
    """
    return max(_LEAST, min(n_tokens // (_N_PARTS * n_workers), MOST_TOKENS))


def map_side_by_side(
    function: Callable[[Any], Any], items: Sequence[Any], n_workers: int
) -> Iterator[Any]:
    """Apply a function to items, by workers if there are enough for them.

    function (Callable[[Any], Any]): Runs in inference mode and with autocast as they
        are here, and with its share of torch's threads.
    items (Sequence[Any]): What it is applied to.
    n_workers (int): See count_workers.
    RETURNS (Iterator[Any]): What it returns, in order; the first of its errors is
        raised here.
    """
    if n_workers == 1 or len(items) < _N_PARTS * n_workers:
        return map(function, items)
    is_mixed = torch.is_autocast_enabled("cpu")
    dtype = torch.get_autocast_dtype("cpu")

    def run(item: Any) -> Any:
        # Both belong to a thread.
        with torch.inference_mode(), torch.autocast("cpu", dtype, enabled=is_mixed):
            return function(item)

    return _get_executor(n_workers).map(run, items)


def map_ahead(function: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
    """Apply a function to the next item while the result of one is made use of.

    function (Callable[[Any], Any]): Runs in a thread of its own.
    items (Sequence[Any]): What it is applied to, one more than was asked for.
    YIELDS (Any): What it returns, in order.
    """
    with ThreadPoolExecutor(1) as thread:
        upcoming = [thread.submit(function, item) for item in items[:1]]
        for item in items[1:]:
            upcoming.append(thread.submit(function, item))
            yield upcoming.pop(0).result()
        for last in upcoming:
            yield last.result()


def _get_executor(n_workers: int) -> ThreadPoolExecutor:
    global _executor, _made_for
    # A forked process has none of its parent's threads.
    wanted = (os.getpid(), n_workers, torch.get_num_threads())
    with _STARTING:
        if _executor is None or _made_for != wanted:
            _executor, _made_for = _start(*wanted[1:]), wanted
        return _executor


def _start(n_workers: int, n_threads: int) -> ThreadPoolExecutor:
    are_ready = threading.Barrier(n_workers + 1)

    def prepare() -> None:
        _HERE.is_worker = True
        torch.set_num_threads(n_threads // n_workers)
        # When a thread is first asked for it, it takes over what was last set in any.
        torch.get_num_threads()
        are_ready.wait()

    executor = ThreadPoolExecutor(n_workers, "spacy_fastcoref", prepare)
    for _ in range(n_workers):
        # None is idle until all are there, so each of these starts one.
        executor.submit(int)
    are_ready.wait()
    torch.set_num_threads(n_threads)
    return executor
