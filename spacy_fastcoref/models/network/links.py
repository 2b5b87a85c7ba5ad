"""The step from scores on the device to Links on the CPU."""

from functools import partial
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor

from ...types import Links
from ..batching import Batch, hash_spans
from ..runtime import Runtime
from ..scorers.mention_vectors import DocumentMentions
from ..scorers.spans import Mentions
from .antecedents import Forms, find_antecedents

# The number of mentions of short documents that are scored at once. More would compute
# too many pairs of different documents, which are dropped.
MAX_MENTIONS = 128


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
    found: List[Tuple[Tensor, ...]] = []
    for group in _group_by_size([len(one.scores) for one in mentions], runtime):
        members = mentions[group]
        scores = torch.stack([one.scores for one in members])
        score = partial(score_pairs, scores.flatten(), _join(represented[group]))
        parts = find_antecedents(
            partial(_score_within, score, len(members)),
            scores,
            partial(find_forms, batch, members[0]),
            window=runtime.antecedent_window,
            cache_size=runtime.antecedent_cache,
        )
        found.extend(zip(*parts, strict=True))
    return make_links(batch, mentions, found)


def _group_by_size(sizes: Sequence[int], runtime: Runtime) -> Iterator[slice]:
    """Group adjacent documents with the same number of mentions.

    The mentions of a group are scored at once, since calls of torch take longer than
    the products of a short text.

    sizes (Sequence[int]): The number of mentions of each document.
    runtime (Runtime): The window of antecedents.
    YIELDS (slice): The documents of each group, in order.
    """
    begin = 0
    while begin < len(sizes):
        size = max(sizes[begin], 1)
        n_docs = MAX_MENTIONS // size if size <= runtime.antecedent_window else 1
        end = begin + 1
        limit = min(begin + n_docs, len(sizes))
        while end < limit and sizes[end] == sizes[begin]:
            end += 1
        yield slice(begin, end)
        begin = end


def _join(represented: Sequence[Any]) -> Any:
    """Join the mentions of adjacent documents, each in the form of one or of several
    networks."""
    first, last = represented[0], represented[-1]
    if isinstance(first, DocumentMentions):
        return first.join(last)
    return [one.join(other) for one, other in zip(first, last, strict=True)]


def _score_within(
    score_pairs: Callable[..., Tensor],
    n_docs: int,
    begin: int,
    end: int,
    columns: Optional[Tensor],
) -> Tensor:
    """Score the mentions of each document of a group with those of the same document.

    score_pairs (Callable[..., Tensor]): Scores the mentions of the group as if they
        were those of one document.
    n_docs (int): The number of documents, all with the same number of mentions.
    begin, end, columns: See CorefNetwork.score_pairs; with several documents, all
        mentions of a document.
    RETURNS (Tensor): Shape (n_docs, end - begin, n_antecedents).
    """
    size = end - begin
    pairs = score_pairs(begin, begin + n_docs * size, columns)
    blocks = pairs.view(n_docs, size, n_docs, -1).diagonal(dim1=0, dim2=2)
    return blocks.permute(2, 0, 1).contiguous()


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
    found: Sequence[Tuple[Tensor, ...]],
) -> List[Links]:
    """Copy the mentions and antecedents of a batch to the CPU.

    They are copied for all documents at once, because each copy has to wait until
    the GPU is idle.

    batch (Batch): The documents.
    mentions (Sequence[Mentions]): The mentions of each document.
    found (Sequence[Tuple[Tensor, ...]]): What `find_antecedents` returns
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
