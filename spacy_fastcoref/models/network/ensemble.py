"""The forward pass of an ensemble, which averages the scores of several networks."""

from functools import reduce
from typing import Callable, List, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor

from ...types import Links
from ..batching import Batch, Pieces
from ..runtime import Runtime
from ..scorers.mention_vectors import DocumentMentions
from .links import find_links
from .network import CorefNetwork


class EnsembleNetwork:
    """Score mentions and pairs by the mean of the scores of several networks.

    The network with the smallest maximum span length decides how many mentions are
    kept, because only spans up to that length are scored by all networks.

    networks (Sequence[CorefNetwork]): The networks, at least one, on one device.
    """

    def __init__(self, networks: Sequence[CorefNetwork]) -> None:
        self.networks = networks
        self.max_segment_len = max(network.max_segment_len for network in networks)
        widths = [network.max_span_length for network in networks]
        self.width = min(widths)
        self.pruner = widths.index(self.width)

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return self.networks[0].device

    @property
    def n_workers(self) -> int:
        """The number of threads that may use the networks at the same time."""
        return min(network.n_workers for network in self.networks)

    def predict(
        self, docs: Sequence[Tuple[Pieces, ...]], runtime: Runtime
    ) -> List[Links]:
        """Find the links of documents, each in the word pieces of each network."""
        docs_by_network = zip(*map(_keep_shared_words, docs), strict=True)
        batches = [Batch.from_pieces(pieces) for pieces in docs_by_network]
        batch = batches[self.pruner]
        if not len(batch.first):
            return [Links.empty() for _ in docs]
        words = self._map_networks(
            lambda network, batch: network.encode_words(batch, runtime), batches
        )
        bands = self._map_networks(CorefNetwork.score_mentions, batches, words)
        band = _average([band[:, : self.width] for band in bands])
        mentions = self.networks[self.pruner].choose_mentions(batch, band)
        represented = self._map_networks(
            lambda network, vectors: network.represent_mentions(vectors, mentions),
            words,
        )
        by_document = [*zip(*represented, strict=True)]
        return find_links(batch, mentions, by_document, self.score_pairs, runtime)

    def score_pairs(
        self, scores: Tensor, represented: Sequence[DocumentMentions], *args: object
    ) -> Tensor:
        """Score some mentions with others; see CorefNetwork.score_pairs.

        represented (Sequence[DocumentMentions]): As each network represents them.
        """
        pairs = self._map_networks(
            lambda network, mentions: network.score_pairs(scores, mentions, *args),
            represented,
        )
        return _average(pairs)

    def _map_networks(self, function: Callable, *parts: Sequence) -> List:
        return [*map(function, self.networks, *parts)]


def _average(scores: Sequence[Tensor]) -> Tensor:
    # In place, because a novel has many pairs. All networks have -inf for the same
    # spans and pairs.
    return reduce(Tensor.add_, scores).div_(len(scores))


def _keep_shared_words(versions: Sequence[Pieces]) -> List[Pieces]:
    """Keep the words of a document for which each network has word pieces."""
    shared = reduce(np.intersect1d, [pieces.tokens for pieces in versions])
    return [pieces.keep_words(shared) for pieces in versions]
