"""What leaves the device: the mentions of a document and their best antecedents."""

from functools import partial
from typing import Any, Callable, List, Sequence

import numpy as np
from torch import Tensor

from ..batching import Batch, hash_spans
from ..decoding.links import Links
from .antecedents import Forms, find_antecedents
from .runtime import Runtime
from .spans import Mentions


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
    links = []
    for mentions, sides in zip(chosen, represented, strict=True):
        best = find_antecedents(
            partial(score_pairs, mentions.scores, sides),
            mentions.scores,
            partial(find_forms, batch, mentions),
            window=runtime.antecedent_window,
            cache_size=runtime.antecedent_cache,
        )
        links.append(make_links(batch, mentions, *best))
    return links


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
    batch: Batch, mentions: Mentions, best: Tensor, scores: Tensor, norms: Tensor
) -> Links:
    """Write down a document's mentions and antecedents.

    batch (Batch): The documents.
    mentions (Mentions): The mentions of one of them.
    best (Tensor): Shape (n_mentions, n_best), indexes of antecedents.
    scores (Tensor): Shape (n_mentions, n_best), -inf for what is none.
    norms (Tensor): Shape (n_mentions,), the log of each row's sum.
    RETURNS (Links): The model's answer.
    """
    if not len(mentions.starts):
        return Links.empty()
    starts = batch.tokens[mentions.starts.cpu().numpy()]
    ends = batch.tokens[mentions.ends.cpu().numpy()] + 1
    values = scores.cpu().numpy()
    antecedents = best.cpu().numpy().astype(np.int32)
    return Links(
        np.stack([starts, ends], axis=1).astype(np.int32),
        mentions.scores.cpu().numpy(),
        np.where(np.isfinite(values), antecedents, -1).astype(np.int32),
        values,
        norms.cpu().numpy(),
    )
