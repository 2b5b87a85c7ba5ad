"""The score of any pair of mentions of one document, on demand."""

from typing import Dict, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor

from ...batching import Batch, Pieces
from ..scorers.mention_vectors import pad_to_longest
from ..scorers.spans import Vectors
from .network import CorefNetwork
from .runtime import Runtime, predict_on

Offsets = Tuple[int, int]


class PairScorer:
    """Keep one document's vectors to score its pairs.

    network (CorefNetwork): The network.
    pieces (Pieces): The document.
    runtime (Runtime): How much to encode at once.
    """

    def __init__(self, network: CorefNetwork, pieces: Pieces, runtime: Runtime) -> None:
        self.network = network
        self.pieces = pieces
        self.runtime = runtime
        self.words = {token: i for i, token in enumerate(pieces.tokens.tolist())}
        with predict_on(network.device):
            batch = Batch.from_pieces([pieces])
            self.vectors = network.encode_words(batch, runtime)
            # What a second-order model knows of mentions depends on all of them.
            self.refined: Dict[Offsets, int] = {}
            self.sides: Tuple[Vectors, ...] = ()
            if network.refinement is not None:
                _, (mentions,), (sides,) = network.find_mentions(batch, self.vectors)
                spans = zip(
                    mentions.starts.tolist(), mentions.ends.tolist(), strict=True
                )
                self.refined = {span: i for i, span in enumerate(spans)}
                anaphors = sides.get_anaphors(0, len(mentions.scores))
                self.sides = anaphors, sides.get_antecedents()

    def fits(self, network: CorefNetwork, pieces: Pieces, runtime: Runtime) -> bool:
        """Check whether this is the scorer of a document.

        network (CorefNetwork): The network, with the weights that it had.
        pieces (Pieces): The document.
        runtime (Runtime): How much to encode at once.
        RETURNS (bool): Whether network, document and settings are the same.
        """
        is_same = network is self.network and runtime == self.runtime
        return is_same and pieces.has_same_input(self.pieces)

    def __call__(self, pairs: Sequence[Tuple[Offsets, Offsets]]) -> np.ndarray:
        """Score pairs of mentions, whether or not they survived pruning.

        pairs (Sequence[Tuple[Offsets, Offsets]]): The later and the earlier mention,
            each as token offsets with the end exclusive.
        RETURNS (numpy.ndarray): Shape (n_pairs,), float32, log-odds against no link;
            NaN where an end of a mention is no word, such as white space.
        """
        found = np.full(len(pairs), np.nan, dtype=np.float32)
        words = [
            [(self._find_word(start), self._find_word(end - 1)) for start, end in pair]
            for pair in pairs
        ]
        rows = [i for i, pair in enumerate(words) if -1 not in (*pair[0], *pair[1])]
        if rows:
            found[rows] = self._score_words([words[i] for i in rows])
        return found

    def _find_word(self, token: int) -> int:
        return self.words.get(token, -1)

    def _score_words(self, pairs: Sequence[Sequence[Tuple[int, int]]]) -> np.ndarray:
        """Score pairs of spans of words, each as its first and its last one."""
        ends = torch.tensor(pairs, dtype=torch.long, device=self.network.device)
        firsts, lasts = ends[..., 0], ends[..., 1]
        scorer, antecedent_scorer = (
            self.network.mention_scorer,
            self.network.antecedent_scorer,
        )
        with predict_on(self.network.device):
            scores = firsts.new_zeros(len(pairs), dtype=torch.float32)
            represented = []
            for side in (0, 1):
                words = firsts[:, side], lasts[:, side]
                scores += scorer.score_spans(
                    self.vectors.get_starts(words[0]), self.vectors.get_ends(words[1])
                )
                found = self.network.represent(self.vectors, *words)[side]
                represented.append(self._refine(found, words, side))
            scores += antecedent_scorer.score_pairs(*represented)
            return scores.cpu().numpy()

    def _refine(
        self, found: Vectors, words: Tuple[Tensor, Tensor], side: int
    ) -> Vectors:
        """Take what is refined of those mentions that survived pruning."""
        spans = zip(*(w.tolist() for w in words), strict=True)
        known = [(i, self.refined.get(span)) for i, span in enumerate(spans)]
        known = [pair for pair in known if pair[1] is not None]
        if not known:
            return found
        at, index = torch.tensor(known, device=words[0].device).T
        pairs = [
            pad_to_longest(*same) for same in zip(found, self.sides[side], strict=True)
        ]
        return tuple(
            part.index_copy(0, at, refined.index_select(0, index))
            for part, refined in pairs
        )
