"""Prediction for many documents: in parallel on a CPU, group by group on a GPU."""

from dataclasses import replace
from itertools import chain
from typing import Any, Callable, Dict, List, Sequence

import torch

from ...types import Links
from .. import workers
from ..batching import group_documents
from ..runtime import Runtime
from ..workers import count_workers, map_ahead, map_side_by_side, predict_on
from .network import CorefNetwork

# The size of a group of documents, in batches of the encoder. The more segments a group
# has, the less padding its batches need.
ENCODER_BATCHES = 8
# The number of shares of the tokens that are left for each worker. With only one, most
# workers would be idle while the last one computes. With more, all finish at about the
# same time, as in guided self-scheduling (Polychronopoulos & Kuck 1987).
_SHARES = 2
_OUT_OF_MEMORY = ("CUDA error: out of memory", "_STATUS_ALLOC_FAILED")


def predict_links(
    network: CorefNetwork,
    lengths: Sequence[int],
    read: Callable[[List[int]], Sequence[Any]],
    runtime: Runtime,
) -> List[Links]:
    """Predict the links of documents, in groups of similar length.

    read (Callable[[List[int]], Sequence[Any]]): Converts the documents with these
        indexes to what the network reads, when their group is next.
    """

    def predict(group: List[int]) -> List[Links]:
        return score_documents(network, read(group), runtime)

    def predict_all() -> Dict[int, Links]:
        found: List[Links] = []
        n_workers = count_workers(network.device)
        is_shared = n_workers > 1 and sum(lengths) >= _SHARES * workers.MIN_SHARE

        def choose_budget(n_left: int) -> int:
            budget = ENCODER_BATCHES * runtime.max_tokens_in_batch
            share = min(n_left // (_SHARES * n_workers), workers.MAX_SHARE)
            share = max(workers.MIN_SHARE, share)
            return min(budget, share) if is_shared else budget

        groups = list(group_documents(lengths, choose_budget))
        # Long documents come first. Each of them can use all workers on its own.
        n_alone = sum(lengths[group[0]] > workers.MAX_SHARE for group in groups)
        apply: Callable = map
        if network.device.type != "cpu":
            # One group after another, but the next one is tokenized in the meantime.
            n_alone, apply = len(groups), map_ahead
        alone, shared = groups[:n_alone], groups[n_alone:]
        for pieces in apply(read, alone):
            found += score_documents(network, pieces, runtime)
        for links in map_side_by_side(predict, shared, n_workers):
            found += links
        return dict(zip(chain(*groups), found, strict=True))

    found = predict_on(network.device, predict_all)
    return [found[i] for i in range(len(lengths))]


def score_documents(
    network: CorefNetwork, docs: Sequence[Any], runtime: Runtime
) -> List[Links]:
    """Predict the links of documents, in smaller batches if memory runs out."""
    budget = runtime.max_tokens_in_batch
    try:
        return network.predict(docs, runtime)
    except RuntimeError as error:
        is_smallest = len(docs) == 1 and budget <= network.max_segment_len
        if is_smallest or not _is_out_of_memory(error):
            raise
    # Outside the except clause, so that the tensors of the failed batch are freed.
    if len(docs) == 1:
        smaller = replace(runtime, max_tokens_in_batch=budget // 2)
        return score_documents(network, docs, smaller)
    half = len(docs) // 2
    return [
        *score_documents(network, docs[:half], runtime),
        *score_documents(network, docs[half:], runtime),
    ]


def _is_out_of_memory(error: RuntimeError) -> bool:
    # CUDA's libraries have no exception class for it, only a message.
    return isinstance(error, torch.OutOfMemoryError) or any(
        message in str(error) for message in _OUT_OF_MEMORY
    )
