"""What leaves the device: the mentions of a document and their best antecedents."""

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
    chosen: Sequence[Mentions],
    represented: Sequence[Any],
    score_pairs: Callable[..., Tensor],
    runtime: Runtime,
) -> List[Links]:
    """Find the best antecedents of a batch's mentions.

    batch (Batch): The documents.
    chosen (Sequence[Mentions]): The mentions of each.
    represented (Sequence[Any]): The same as `score_pairs` takes them.
    score_pairs (Callable[..., Tensor]): See CorefNetwork.score_pairs.
    runtime (Runtime): How far to look back.
    RETURNS (List[Links]): One answer a document, in order.
    """
    found = [
        find_antecedents(
            partial(score_pairs, mentions.scores, sides),
            mentions.scores,
            partial(find_forms, batch, mentions),
            window=runtime.antecedent_window,
            cache_size=runtime.antecedent_cache,
        )
        for mentions, sides in zip(chosen, represented, strict=True)
    ]
    return make_links(batch, chosen, found)


def find_forms(batch: Batch, mentions: Mentions) -> Forms:
    """Tell how mentions are written.

    batch (Batch): The documents.
    mentions (Mentions): Mentions of one of them.
    RETURNS (Forms): The same number for the same word pieces; a mention is written as
        a name if its last word is.
    """
    firsts = mentions.starts.cpu().numpy()
    lasts = mentions.ends.cpu().numpy()
    hashes = hash_spans(batch.ids, batch.first[firsts], batch.last[lasts] + 1)
    return Forms(hashes, batch.is_name[lasts])


def make_links(
    batch: Batch,
    chosen: Sequence[Mentions],
    found: Sequence[Tuple[Tensor, Tensor, Tensor]],
) -> List[Links]:
    """Write down the mentions and antecedents of a batch.

    A GPU has to have done all it was given before it gives anything back, so that it is
    asked once for all documents.

    batch (Batch): The documents.
    chosen (Sequence[Mentions]): The mentions of each.
    found (Sequence[Tuple[Tensor, Tensor, Tensor]]): For each what find_antecedents
        returned.
    RETURNS (List[Links]): The model's answers, in order.
    """
    best, values, norms = (_take(parts) for parts in zip(*found, strict=True))
    starts, ends, scores = (_take(parts) for parts in zip(*chosen, strict=True))
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


def _take(parts: Sequence[Tensor]) -> List[np.ndarray]:
    """Take the same of all documents off the device."""
    flat = torch.cat([part.flatten() for part in parts]).cpu().numpy()
    split = np.split(flat, np.cumsum([part.numel() for part in parts])[:-1])
    return [array.reshape(part.shape) for array, part in zip(split, parts, strict=True)]
