"""The step from scores on the device to Links on the CPU."""

from functools import partial
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor

from ...types import Links
from ..batching import Batch
from ..runtime import Runtime
from ..scorers.spans import Mentions
from .antecedents import Forms, find_antecedents

# The number of mentions of short documents that are scored at once. More would compute
# too many pairs of different documents, which are dropped.
MAX_MENTIONS = 128


def find_links(
    batch: Batch,
    mentions: Sequence[Mentions],
    vectors: Any,
    score_pairs: Callable[..., Tensor],
    runtime: Runtime,
) -> List[Links]:
    """Find the best antecedents of the mentions of a batch; see
    CorefNetwork.score_pairs."""
    found: List[Tuple[Tensor, ...]] = []
    first = 0
    for group in _group_by_size([len(one.scores) for one in mentions], runtime):
        members = mentions[group]
        scores = torch.stack([one.scores for one in members])
        score = partial(score_pairs, scores.flatten(), vectors, first)
        first += scores.numel()
        parts = find_antecedents(
            partial(_score_documents, score, len(members)),
            scores,
            partial(_find_forms, batch, members[0]),
            window=runtime.antecedent_window,
            cache_size=runtime.antecedent_cache,
        )
        found.extend(zip(*parts, strict=True))
    return _make_links(batch, mentions, found)


def _group_by_size(sizes: Sequence[int], runtime: Runtime) -> Iterator[slice]:
    """Group adjacent documents with the same number of mentions, which are scored at
    once: calls of torch take longer than the products of a short text."""
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


def _score_documents(
    score_pairs: Callable[..., Tensor],
    n_docs: int,
    begin: int,
    end: int,
    columns: Optional[Tensor],
) -> Tensor:
    """Score the mentions of each document of a group with those of the same document,
    by scoring the group as if it were one."""
    size = end - begin
    pairs = score_pairs(begin, begin + n_docs * size, columns)
    blocks = pairs.view(n_docs, size, n_docs, -1).diagonal(dim1=0, dim2=2)
    return blocks.permute(2, 0, 1).contiguous()


def _find_forms(batch: Batch, mentions: Mentions) -> Forms:
    """Number the word pieces of mentions; names are those whose last word is one."""
    firsts = mentions.starts.cpu().numpy()
    lasts = mentions.ends.cpu().numpy()
    places = zip(batch.first[firsts].tolist(), batch.last[lasts].tolist(), strict=True)
    numbers: Dict[bytes, int] = {}
    forms = (batch.ids[begin : end + 1].tobytes() for begin, end in places)
    names = [numbers.setdefault(form, len(numbers)) for form in forms]
    return np.array(names, dtype=np.int64), batch.is_name[lasts]


def _make_links(
    batch: Batch,
    mentions: Sequence[Mentions],
    found: Sequence[Tuple[Tensor, ...]],
) -> List[Links]:
    """Copy mentions and antecedents to the CPU, all at once: a copy has to wait until
    the GPU is idle."""
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
    flat = torch.cat([part.flatten() for part in parts]).cpu().numpy()
    split = np.split(flat, np.cumsum([part.numel() for part in parts])[:-1])
    return [array.reshape(part.shape) for array, part in zip(split, parts, strict=True)]
