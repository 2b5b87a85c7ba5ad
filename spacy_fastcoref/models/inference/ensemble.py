"""Several networks that score as one: by the mean of their scores."""

from functools import reduce
from typing import Callable, List, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor

from ...batching import Batch, Pieces
from ...types import Links
from ..scorers.mention_vectors import DocumentMentions
from .links import find_links
from .network import CorefNetwork
from .runtime import Runtime


class EnsembleNetwork:
    """Score mentions and antecedents by the mean of several networks' scores.

    Networks that were trained otherwise err otherwise. How many mentions are kept is
    said by the network with the shortest mentions, since others score these, too.

    networks (Sequence[CorefNetwork]): The networks, at least one, on one device.
    """

    def __init__(self, networks: Sequence[CorefNetwork]) -> None:
        self.networks = networks
        self.max_segment_len = max(network.max_segment_len for network in networks)
        widths = [network.max_span_length for network in networks]
        self.width = min(widths)
        self.chooser = widths.index(self.width)

    @property
    def device(self) -> torch.device:
        """Tell where the weights are."""
        return self.networks[0].device

    @property
    def n_workers(self) -> int:
        """Count the threads that may use the networks at once."""
        return min(network.n_workers for network in self.networks)

    def predict(
        self, docs: Sequence[Tuple[Pieces, ...]], runtime: Runtime
    ) -> List[Links]:
        """Find the mentions of some documents and their best antecedents.

        docs (Sequence[Tuple[Pieces, ...]]): The documents, as each network reads them.
        runtime (Runtime): How much to compute at once, and how far to look back.
        RETURNS (List[Links]): One answer a document, in order.
        """
        readings = zip(*map(_keep_shared_words, docs), strict=True)
        batches = [Batch.from_pieces(reading) for reading in readings]
        batch = batches[self.chooser]
        if not len(batch.first):
            return [Links.empty() for _ in docs]
        words = self._ask(
            lambda network, one: network.encode_words(one, runtime), batches
        )
        bands = self._ask(CorefNetwork.score_mentions, batches, words)
        band = _average([band[:, : self.width] for band in bands])
        chosen = self.networks[self.chooser].choose_all_mentions(batch, band)
        represented = self._ask(
            lambda network, one: network.represent_mentions(one, chosen), words
        )
        by_document = [*zip(*represented, strict=True)]
        return find_links(batch, chosen, by_document, self.score_pairs, runtime)

    def score_pairs(
        self, scores: Tensor, sides: Sequence[DocumentMentions], *where: object
    ) -> Tensor:
        """Score some mentions of a document with others.

        scores (Tensor): Shape (n_mentions,), the mean of the mention scores.
        sides (Sequence[DocumentMentions]): The mentions, by each network.
        *where (object): Which ones, see CorefNetwork.score_pairs.
        RETURNS (Tensor): Shape (n_anaphors, n_antecedents).
        """
        pairs = self._ask(
            lambda network, one: network.score_pairs(scores, one, *where), sides
        )
        return _average(pairs)

    def _ask(self, question: Callable, *parts: Sequence) -> List:
        return [*map(question, self.networks, *parts)]


def _average(scores: Sequence[Tensor]) -> Tensor:
    # In place, since a novel has many pairs. What is -inf for one is so for all.
    return reduce(Tensor.add_, scores).div_(len(scores))


def _keep_shared_words(readings: Sequence[Pieces]) -> List[Pieces]:
    """Let networks see the same words: some have no piece for some of them."""
    shared = reduce(np.intersect1d, [reading.tokens for reading in readings])
    return [reading.keep_words(shared) for reading in readings]
