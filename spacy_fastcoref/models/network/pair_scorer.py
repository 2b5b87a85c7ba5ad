"""The scores of any pairs of mentions of one document, on demand."""

from functools import partial
from typing import Dict, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor

from ...types import Offsets
from ..batching import Batch, Pieces
from ..runtime import Runtime
from ..scorers.mention_vectors import pad_to_longest
from ..scorers.spans import Vectors
from ..workers import predict_on
from .network import CorefNetwork


class PairScorer:
    """Encode one document and keep its vectors to score pairs of mentions."""

    def __init__(self, network: CorefNetwork, pieces: Pieces, runtime: Runtime) -> None:
        self.network = network
        self.tokens = pieces.tokens
        # In a second-order model, the vectors of a mention depend on all mentions.
        self.refined_index: Dict[Offsets, int] = {}
        self.refined_vectors: Tuple[Vectors, ...] = ()
        encode = partial(self._encode, Batch.from_pieces([pieces]), runtime)
        predict_on(network.device, encode)

    def _encode(self, batch: Batch, runtime: Runtime) -> None:
        self.vectors = self.network.encode_words(batch, runtime)
        if self.network.refinement is None:
            return
        _, (mentions,), vectors, _ = self.network.find_mentions(batch, self.vectors)
        spans = zip(mentions.starts.tolist(), mentions.ends.tolist(), strict=True)
        self.refined_index = {span: i for i, span in enumerate(spans)}
        n_mentions = len(mentions.scores)
        anaphors = vectors.get_anaphors(0, n_mentions)
        self.refined_vectors = anaphors, vectors.get_antecedents(slice(0, n_mentions))

    def __call__(self, pairs: Sequence[Tuple[Offsets, Offsets]]) -> np.ndarray:
        """Score pairs of mentions, including mentions that were pruned.

        RETURNS (numpy.ndarray): See CorefModel.score_pairs; NaN if a mention starts or
            ends at a token without word pieces, such as white space.
        """
        found = np.full(len(pairs), np.nan, dtype=np.float32)
        # The first and the last token of each span, and which of them are words.
        tokens = np.array(pairs, dtype=np.int64).reshape(-1, 2, 2) - (0, 1)
        are_words = np.isin(tokens, self.tokens).all((1, 2))
        if are_words.any():
            words = np.searchsorted(self.tokens, tokens[are_words])
            score = partial(self._score_words, words)
            found[are_words] = predict_on(self.network.device, score)
        return found

    def _score_words(self, pairs: np.ndarray) -> np.ndarray:
        ends = torch.from_numpy(pairs).to(self.network.device)
        firsts, lasts = ends[..., 0], ends[..., 1]
        scores = firsts.new_zeros(len(pairs), dtype=torch.float32)
        represented = []
        for role in (0, 1):
            words = firsts[:, role], lasts[:, role]
            spans = self.vectors.get_spans(*words)
            scores += self.network.mention_scorer.score_spans(spans.starts, spans.ends)
            found = self.network.represent(spans)[role]
            represented.append(self._refine(found, words, role))
        scores += self.network.antecedent_scorer.score_pairs(*represented)
        return scores.cpu().numpy()

    def _refine(
        self, vectors: Vectors, words: Tuple[Tensor, Tensor], role: int
    ) -> Vectors:
        """Replace the vectors of mentions that were not pruned by refined ones."""
        spans = enumerate(zip(*(w.tolist() for w in words), strict=True))
        indexes = self.refined_index
        known = [(i, indexes[span]) for i, span in spans if span in indexes]
        if not known:
            return vectors
        rows, index = torch.tensor(known, device=words[0].device).T
        pairs = [
            pad_to_longest(*tensors)
            for tensors in zip(vectors, self.refined_vectors[role], strict=True)
        ]
        return tuple(
            plain.index_copy(0, rows, refined.index_select(0, index))
            for plain, refined in pairs
        )
