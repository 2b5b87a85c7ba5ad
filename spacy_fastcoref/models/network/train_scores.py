"""The scores of a network in training."""

from dataclasses import dataclass
from itertools import accumulate
from typing import Iterator, List, Optional, Sequence

import numpy as np
import torch
from torch import Tensor

from ..batching import Batch
from ..runtime import Runtime
from ..scorers.spans import Mentions
from .network import CorefNetwork

# The number of mentions whose pairs are scored at once, of documents that have fewer.
MAX_TRAINED = 1 << 9
# The tokens of the n-th document of a batch are counted from n times this number.
DOC_TOKENS = 1 << 32


@dataclass
class TrainScores:
    """Hold a network's scores of adjacent documents of a batch in training.

    band (Tensor): Shape (n_words, max_span_length): at [i, d] the mention score of
        the span of words i to i + d; -inf if it is not a candidate.
    pairs (Tensor): Shape (n_terms, n_mentions, n_mentions), the score of each
        mention with each earlier one of the same document, -inf elsewhere; one matrix
        for each term of the loss, see AntecedentScorer.score_for_training.
    starts, ends (Tensor): Shape (n_mentions,), each mention's first and last word.
    tokens (numpy.ndarray): Shape (n_words,), the token index of each word, plus
        DOC_TOKENS for each document before.
    sizes (Sequence[int]): The number of mentions of each document.
    pronouns, types (Optional[Tensor]): Shape (n_mentions, n_classes), the logits of
        the head of pronouns, and of that of entity types; None if the model has none.
    pronoun_names, type_names (Sequence[str]): Their classes; "" for no mention.
    """

    band: Tensor
    pairs: Tensor
    starts: Tensor
    ends: Tensor
    tokens: np.ndarray
    sizes: Sequence[int]
    pronouns: Optional[Tensor] = None
    pronoun_names: Sequence[str] = ()
    types: Optional[Tensor] = None
    type_names: Sequence[str] = ()


def score_for_training(
    network: CorefNetwork, batch: Batch, runtime: Runtime
) -> List[TrainScores]:
    """Compute the scores of a batch of documents that the loss needs.

    Adjacent documents are scored as one, since a step of many calls is slow, and
    pairs of different documents are left out.
    """
    tokens = batch.tokens + DOC_TOKENS * batch.word_docs
    if not len(batch.first):
        none = torch.zeros((0, network.max_span_length), device=network.device)
        index = torch.zeros(0, dtype=torch.long, device=network.device)
        sizes = [0] * len(batch.word_ends)
        return [TrainScores(none, none[None, :, :0], index, index, tokens, sizes)]
    words = network.encode_words(batch, runtime)
    band, mentions, vectors, types = network.find_mentions(batch, words)
    sizes = [len(one.scores) for one in mentions]
    firsts = [0, *accumulate(sizes)]
    ends = [0, *batch.word_ends.tolist()]
    head = network.pronoun_head
    scores = []
    for docs in _group_adjacent(sizes):
        own = Mentions(*map(torch.cat, zip(*mentions[docs], strict=True)))
        rows = slice(firsts[docs.start], firsts[docs.stop])
        place = rows.start, 0, len(own.scores)
        pairs = network.score_pairs(own.scores, vectors, *place, for_training=True)
        if docs.stop - docs.start > 1:
            numbers = np.repeat(np.arange(docs.start, docs.stop), sizes[docs])
            numbers = network.move(numbers)
            pairs = pairs.masked_fill(numbers[:, None] != numbers, -torch.inf)
        begin, end = ends[docs.start], ends[docs.stop]
        scores.append(
            TrainScores(
                band[begin:end],
                pairs,
                own.starts - begin,
                own.ends - begin,
                tokens[begin:end] - DOC_TOKENS * docs.start,
                sizes[docs],
                head and head(words.get_spans(own.starts, own.ends)),
                getattr(head, "names", ()),
                None if types is None else types[rows],
                getattr(network.mention_types, "names", ()),
            )
        )
    return scores


def _group_adjacent(sizes: Sequence[int]) -> Iterator[slice]:
    """Group adjacent documents of up to MAX_TRAINED mentions, given those of each."""
    begin = total = 0
    for i, size in enumerate(sizes):
        if i > begin and total + size > MAX_TRAINED:
            yield slice(begin, i)
            begin, total = i, 0
        total += size
    yield slice(begin, len(sizes))
