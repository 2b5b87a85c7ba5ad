"""Documents in groups: side by side on a CPU's cores, one by one on a GPU."""

from dataclasses import replace
from typing import Callable, Dict, List, Sequence

import torch

from ...batching import Pieces, group_documents
from ...types import Links
from .network import CorefNetwork
from .runtime import Runtime, predict_on
from .workers import (
    MOST_TOKENS,
    choose_share,
    is_enough,
    map_ahead,
    map_side_by_side,
)

# How many full batches of the encoder are made of one group of documents: the more
# segments there are to choose from, the less padding.
ENCODER_BATCHES = 8
_OUT_OF_MEMORY = ("CUDA error: out of memory", "_STATUS_ALLOC_FAILED")


def predict_links(
    network: CorefNetwork,
    lengths: Sequence[int],
    encode: Callable[[int], Pieces],
    runtime: Runtime,
) -> List[Links]:
    """Score documents in groups.

    network (CorefNetwork): The network.
    lengths (Sequence[int]): The number of tokens of each document.
    encode (Callable[[int], Pieces]): Gives a document's pieces, when its turn comes.
    runtime (Runtime): How much to compute at once, and how far to look back.
    RETURNS (List[Links]): One answer a document, in order.
    """

    def read(group: List[int]) -> List[Pieces]:
        return [encode(i) for i in group]

    def answer(group: List[int]) -> List[Links]:
        return score_documents(network, read(group), runtime)

    def choose_budget(n_left: int) -> int:
        budget = ENCODER_BATCHES * runtime.max_tokens_in_batch
        return min(budget, choose_share(n_left, n_workers)) if is_shared else budget

    found: Dict[int, Links] = {}
    with predict_on(network.device):
        n_workers = network.n_workers
        is_shared = is_enough(sum(lengths), n_workers)
        groups = list(group_documents(lengths, choose_budget))
        # Long documents come first, and have work for all cores.
        n_alone = sum(lengths[group[0]] > MOST_TOKENS for group in groups)
        apply: Callable = map
        if network.device.type != "cpu":
            # One group after another; only what it is told comes ahead.
            n_alone, apply = len(groups), map_ahead
        alone, shared = groups[:n_alone], groups[n_alone:]
        for group, pieces in zip(alone, apply(read, alone), strict=True):
            links = score_documents(network, pieces, runtime)
            found.update(zip(group, links, strict=True))
        answers = map_side_by_side(answer, shared, n_workers)
        for group, links in zip(shared, answers, strict=True):
            found.update(zip(group, links, strict=True))
    return [found[i] for i in range(len(lengths))]


def score_documents(
    network: CorefNetwork, docs: Sequence[Pieces], runtime: Runtime
) -> List[Links]:
    """Score a batch of documents; if the device's memory is short, half a batch.

    network (CorefNetwork): The network.
    docs (Sequence[Pieces]): The documents.
    runtime (Runtime): How much to compute at once, and how far to look back.
    RETURNS (List[Links]): One answer a document, in order.
    """
    budget = runtime.max_tokens_in_batch
    try:
        return network.predict(docs, runtime)
    except RuntimeError as error:
        is_least = len(docs) == 1 and budget <= network.max_segment_len
        if is_least or not _is_out_of_memory(error):
            raise
    # Outside the handler, so that the failed batch's tensors are free.
    if len(docs) == 1:
        smaller = replace(runtime, max_tokens_in_batch=budget // 2)
        return score_documents(network, docs, smaller)
    half = len(docs) // 2
    return [
        *score_documents(network, docs[:half], runtime),
        *score_documents(network, docs[half:], runtime),
    ]


def _is_out_of_memory(error: RuntimeError) -> bool:
    """Tell it from other errors; CUDA's libraries have words alone for it."""
    return isinstance(error, torch.OutOfMemoryError) or any(
        sign in str(error) for sign in _OUT_OF_MEMORY
    )
