"""Entity types of mentions, from the head of a network."""

from dataclasses import replace
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor

from ...types import Links
from ..scorers.spans import Mentions, Spans, WordVectors

# How many mentions are classified at once: a novel has too many.
_MAX_MENTIONS = 1 << 12


def get_typed_spans(
    head: Optional[Any], words: WordVectors, firsts: Tensor, lasts: Tensor
) -> Spans:
    """Get spans of words, with the probabilities of their types if there is a head.

    head (Optional[TypeHead]): The head.
    words (WordVectors): The words of the batch.
    firsts, lasts (Tensor): Shape (n_spans,), the spans' first and last words.
    RETURNS (Spans): The spans. No gradient flows back into the head.
    """
    spans = words.get_spans(firsts, lasts)
    if head is None:
        return spans
    return spans._replace(types=head(spans).detach().softmax(-1))


def score_types(
    head: Optional[Any], words: WordVectors, mentions: Mentions
) -> Tuple[Optional[Tensor], Sequence[str]]:
    """Score the entity types of mentions.

    head (Optional[TypeHead]): The head.
    words (WordVectors): The words of the batch.
    mentions (Mentions): The mentions of a document.
    RETURNS (Tuple[Optional[Tensor], Sequence[str]]): Shape (n_mentions, 1 + n_types),
        None without a head, and the names of the classes.
    """
    if head is None:
        return None, ()
    return head(words.get_spans(mentions.starts, mentions.ends)), head.names


def add_types(
    head: Optional[Any],
    links: List[Links],
    words: WordVectors,
    chosen: Sequence[Mentions],
) -> List[Links]:
    """Add the entity types of mentions to the links of a batch.

    head (Optional[TypeHead]): The head.
    links (List[Links]): The links of each document.
    words (WordVectors): The words of the batch.
    chosen (Sequence[Mentions]): The mentions of each document.
    RETURNS (List[Links]): The links with types; without a head the same.
    """
    if head is None:
        return links
    firsts = torch.cat([mentions.starts for mentions in chosen])
    lasts = torch.cat([mentions.ends for mentions in chosen])
    parts = zip(firsts.split(_MAX_MENTIONS), lasts.split(_MAX_MENTIONS), strict=True)
    best = [head(words.get_spans(*part)).argmax(1) for part in parts]
    names = np.array(head.names)[torch.cat(best).cpu().numpy()]
    ends = np.cumsum([len(one) for one in links])[:-1]
    return [
        replace(one, types=types)
        for one, types in zip(links, np.split(names, ends), strict=True)
    ]
