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
        self.words = {token: i for i, token in enumerate(pieces.tokens.tolist())}
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
        find = self.words.get
        words = [
            [(find(start, -1), find(end - 1, -1)) for start, end in pair]
            for pair in pairs
        ]
        rows = [i for i, pair in enumerate(words) if -1 not in (*pair[0], *pair[1])]
        if rows:
            score = partial(self._score_words, [words[i] for i in rows])
            found[rows] = predict_on(self.network.device, score)
        return found

    def _score_words(self, pairs: Sequence[Sequence[Tuple[int, int]]]) -> np.ndarray:
        ends = torch.tensor(pairs, dtype=torch.long, device=self.network.device)
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
        spans = zip(*(w.tolist() for w in words), strict=True)
        known = [(i, self.refined_index.get(span)) for i, span in enumerate(spans)]
        known = [pair for pair in known if pair[1] is not None]
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
