"""The step from scores on the device to Links on the CPU."""

from functools import partial
from typing import Any, Callable, List, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor

from ...batching import Batch, hash_spans
from ...types import Links
from ..scorers.spans import Mentions
from .antecedents import Forms, find_antecedents
from .runtime import Runtime


def find_links(
    batch: Batch,
    mentions: Sequence[Mentions],
    represented: Sequence[Any],
    score_pairs: Callable[..., Tensor],
    runtime: Runtime,
) -> List[Links]:
    """Find the best antecedents of the mentions of a batch.

    batch (Batch): The documents.
    mentions (Sequence[Mentions]): The mentions of each document.
    represented (Sequence[Any]): The mentions of each document in the form that
        `score_pairs` takes.
    score_pairs (Callable[..., Tensor]): See CorefNetwork.score_pairs.
    runtime (Runtime): The window of antecedents.
    RETURNS (List[Links]): The links of each document, in order.
    """
    found = [
        find_antecedents(
            partial(score_pairs, doc_mentions.scores, vectors),
            doc_mentions.scores,
            partial(find_forms, batch, doc_mentions),
            window=runtime.antecedent_window,
            cache_size=runtime.antecedent_cache,
        )
        for doc_mentions, vectors in zip(mentions, represented, strict=True)
    ]
    return make_links(batch, mentions, found)


def find_forms(batch: Batch, mentions: Mentions) -> Forms:
    """Find how the mentions of a document are written.

    batch (Batch): The documents.
    mentions (Mentions): The mentions of one of them.
    RETURNS (Forms): Mentions of the same word pieces have the same number. A
        mention is written like a name if its last word is.
    """
    firsts = mentions.starts.cpu().numpy()
    lasts = mentions.ends.cpu().numpy()
    hashes = hash_spans(batch.ids, batch.first[firsts], batch.last[lasts] + 1)
    return Forms(hashes, batch.is_name[lasts])


def make_links(
    batch: Batch,
    mentions: Sequence[Mentions],
    found: Sequence[Tuple[Tensor, Tensor, Tensor]],
) -> List[Links]:
    """Copy the mentions and antecedents of a batch to the CPU.

    They are copied for all documents at once, because each copy has to wait until
    the GPU is idle.

    batch (Batch): The documents.
    mentions (Sequence[Mentions]): The mentions of each document.
    found (Sequence[Tuple[Tensor, Tensor, Tensor]]): What `find_antecedents` returns
        for each document.
    RETURNS (List[Links]): The links of each document, in order.
    """
    best, values, norms = (_to_arrays(parts) for parts in zip(*found, strict=True))
    starts, ends, scores = (_to_arrays(parts) for parts in zip(*mentions, strict=True))
    return [
        Links(
            np.stack([batch.tokens[start], batch.tokens[end] + 1], 1).astype(np.int32),
            score,
            np.where(np.isfinite(value), antecedents, -1).astype(np.int32),
            value,
            norm,
        )
        for start, end, score, antecedents, value, norm in zip(
            starts, ends, scores, best, values, norms, strict=True
        )
    ]


def _to_arrays(parts: Sequence[Tensor]) -> List[np.ndarray]:
    """Copy one tensor of each document to the CPU, all in one transfer."""
    flat = torch.cat([part.flatten() for part in parts]).cpu().numpy()
    split = np.split(flat, np.cumsum([part.numel() for part in parts])[:-1])
    return [array.reshape(part.shape) for array, part in zip(split, parts, strict=True)]
