"""Documents in groups: as many at once as the device has cores, or memory, for."""

from dataclasses import replace
from typing import Callable, Dict, List, Sequence

import torch

from ..batching import Batch, Pieces, group_documents
from ..decoding.links import Links
from .network import CorefNetwork
from .runtime import Runtime
from .workers import MOST_TOKENS, choose_share, map_side_by_side

# How many full batches of the encoder are made of one group of documents: the more
# segments there are to choose from, the less padding.
ENCODER_BATCHES = 8


def predict_links(
    network: CorefNetwork,
    lengths: Sequence[int],
    encode: Callable[[int], Pieces],
    runtime: Runtime,
) -> List[Links]:
    """Score documents, short ones group by group on a CPU's cores.

    network (CorefNetwork): The network.
    lengths (Sequence[int]): The number of tokens of each document.
    encode (Callable[[int], Pieces]): Gives a document's pieces, when its turn comes.
    runtime (Runtime): How much to compute at once, and how far to look back.
    RETURNS (List[Links]): One answer a document, in order.
    """

    def answer(group: List[int]) -> Dict[int, Links]:
        pieces = [encode(i) for i in group]
        return dict(zip(group, score_documents(network, pieces, runtime), strict=True))

    found: Dict[int, Links] = {}
    with torch.inference_mode():
        n_workers = network.n_workers
        budget = ENCODER_BATCHES * runtime.max_tokens_in_batch
        if n_workers > 1:
            budget = min(budget, choose_share(sum(lengths), n_workers))
        groups = list(group_documents(lengths, budget))
        # These come first. Each has work for all cores.
        n_long = sum(lengths[group[0]] > MOST_TOKENS for group in groups)
        for group in groups[:n_long]:
            found.update(answer(group))
        for answers in map_side_by_side(answer, groups[n_long:], n_workers):
            found.update(answers)
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
        return network(Batch.from_pieces(docs), runtime)
    except torch.OutOfMemoryError:
        if len(docs) == 1 and budget <= network.max_segment_len:
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
