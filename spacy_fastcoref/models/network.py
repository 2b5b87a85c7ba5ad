"""The forward pass: a batch of documents in, Links out."""

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np
import torch
from torch import Tensor, nn

from ..batching import Batch, Segments, write_band
from ..decoding.links import Links
from ..errors import Errors
from .blocks import make_block
from .loss import TrainScores

# How many antecedents of a mention leave the device, and how many scores are held
# at once while they are chosen.
N_BEST = 8
MAX_PAIRS = 1 << 22

_SIZES = {
    "top_lambda": ((int, float), lambda value: value > 0, "a number above 0"),
    "max_span_length": (int, lambda value: value >= 1, "a whole number above 0"),
    "max_segment_len": (int, lambda value: value >= 3, "a whole number above 2"),
}


class Mentions(NamedTuple):
    """Hold the mentions of one document that survived pruning.

    starts (Tensor): Shape (n_mentions,), the first word of each in the batch.
    ends (Tensor): Shape (n_mentions,), the last word of each in the batch.
    scores (Tensor): Shape (n_mentions,), float32.
    """

    starts: Tensor
    ends: Tensor
    scores: Tensor


class CorefNetwork(nn.Module):
    """Score mentions and antecedents as s2e and F-coref do.

    See Kirstain et al. (2021) and Otmazgin et al. (2022), section 3.1.

    config (Dict[str, Any]): `encoder`, `mention_scorer` and `antecedent_scorer` are
        blocks, `encoder_config` is transformers' configuration; `top_lambda` is the
        number of mentions a piece, `max_span_length` and `max_segment_len` are in
        pieces.
    path (str): Where it was read, for messages.
    RAISES (ValueError): The configuration is not valid.
    """

    def __init__(self, config: Dict[str, Any], path: str) -> None:
        super().__init__()
        for key, (kind, is_valid, expected) in _SIZES.items():
            value = config.get(key)
            if not isinstance(value, kind) or not is_valid(value):
                raise ValueError(
                    Errors.FC015.format(
                        path=path, key=key, value=value, expected=expected
                    )
                )
        self.top_lambda = config["top_lambda"]
        self.max_span_length = config["max_span_length"]
        self.max_segment_len = config["max_segment_len"]
        # Set in training, where the weights stay in float32.
        self.autocast_dtype: Optional[torch.dtype] = None
        encoder = make_block(config.get("encoder"), path)
        self.encoder = encoder.build(config.get("encoder_config") or {}, path)
        width = self.encoder.width
        mention_scorer = make_block(config.get("mention_scorer"), path)
        self.mention_scorer = mention_scorer.build(width)
        antecedent_scorer = make_block(config.get("antecedent_scorer"), path)
        self.antecedent_scorer = antecedent_scorer.build(width)

    @property
    def device(self) -> torch.device:
        """Tell where the weights are."""
        return next(self.parameters()).device

    def forward(self, batch: Batch, max_tokens: int) -> List[Links]:
        """Find the mentions of a batch of documents and their best antecedents.

        batch (Batch): The documents.
        max_tokens (int): The most pieces that the encoder takes at once.
        RETURNS (List[Links]): One answer a document, in order.
        """
        if not len(batch.first):
            return [Links.empty() for _ in batch.word_ends]
        _, chosen, represented = self.find_mentions(batch, max_tokens)
        return [
            _make_links(
                batch, mentions, *self.score_antecedents(mentions.scores, *pair)
            )
            for mentions, pair in zip(chosen, represented, strict=True)
        ]

    def score_for_training(self, batch: Batch, max_tokens: int) -> List[TrainScores]:
        """Score a batch of documents so that a loss can be computed.

        batch (Batch): The documents.
        max_tokens (int): The most pieces that the encoder takes at once.
        RETURNS (List[TrainScores]): The scores of each document, with gradients.
        """
        if not len(batch.first):
            none = torch.zeros((0, self.max_span_length), device=self.device)
            index = torch.zeros(0, dtype=torch.long, device=self.device)
            empty = TrainScores(none, none[:, :0], index, index, batch.tokens)
            return [empty for _ in batch.word_ends]
        band, chosen, represented = self.find_mentions(batch, max_tokens)
        scores = []
        for (begin, end, _), mentions, pair in zip(
            _iter_documents(batch), chosen, represented, strict=True
        ):
            scores.append(
                TrainScores(
                    band[begin:end],
                    self.score_block(mentions.scores, *pair, 0, len(mentions.scores)),
                    mentions.starts - begin,
                    mentions.ends - begin,
                    batch.tokens[begin:end],
                )
            )
        return scores

    def find_mentions(
        self, batch: Batch, max_tokens: int
    ) -> Tuple[Tensor, List[Mentions], List[Tuple[Tensor, Tensor]]]:
        """Find the mentions of a batch of documents and represent them.

        batch (Batch): The documents, with at least one word.
        max_tokens (int): The most pieces that the encoder takes at once.
        RETURNS (Tuple[Tensor, List[Mentions], List[Tuple[Tensor, Tensor]]]): The
            mention scores, shape (n_words, max_span_length), and for each document
            its mentions, and these as anaphors and as antecedents.
        """
        starts, ends = self.encode_words(batch, max_tokens)
        band = self.score_mentions(batch, starts, ends)
        chosen = [
            self.choose_mentions(
                band[begin:end], begin, n_pieces, is_free=spans is None
            )
            for (begin, end, n_pieces), spans in zip(
                _iter_documents(batch), batch.candidates, strict=True
            )
        ]
        anaphors, antecedents = self.antecedent_scorer.represent(
            starts[torch.cat([mentions.starts for mentions in chosen])],
            ends[torch.cat([mentions.ends for mentions in chosen])],
        )
        sizes = [len(mentions.starts) for mentions in chosen]
        pairs = zip(anaphors.split(sizes), antecedents.split(sizes), strict=True)
        return band, chosen, list(pairs)

    def encode_words(self, batch: Batch, max_tokens: int) -> Tuple[Tensor, Tensor]:
        """Encode documents by segments of like length.

        batch (Batch): The documents.
        max_tokens (int): The most pieces that the encoder takes at once.
        RETURNS (Tuple[Tensor, Tensor]): The vectors of each word's first and last
            piece, both of shape (n_words, width), float32.
        """
        segments = Segments.from_ends(batch.piece_ends, self.max_segment_len)
        vectors = torch.empty((len(batch.ids), self.encoder.width), device=self.device)
        for group in segments.pack(max_tokens):
            at, mask = segments.get_positions(group)
            ids = torch.from_numpy(batch.ids[at]).to(self.device)
            with torch.autocast(
                self.device.type,
                dtype=self.autocast_dtype,
                enabled=self.autocast_dtype is not None,
            ):
                encoded = self.encoder(ids, torch.from_numpy(mask).to(self.device))
            where = torch.from_numpy(at[mask]).to(self.device)
            vectors[where] = encoded[torch.from_numpy(mask).to(self.device)].float()
        first = torch.from_numpy(batch.first).to(self.device)
        last = torch.from_numpy(batch.last).to(self.device)
        return vectors[first], vectors[last]

    def score_mentions(self, batch: Batch, starts: Tensor, ends: Tensor) -> Tensor:
        """Score all spans of whole words within a document.

        batch (Batch): The documents.
        starts, ends (Tensor): Shape (n_words, width), vectors of the words' ends.
        RETURNS (Tensor): Shape (n_words, max_span_length): at [i, d] the span of
            words i to i + d, -inf for what is no candidate.
        """
        n_words, width = len(batch.first), self.max_span_length
        scores = self.mention_scorer(starts, ends, width)
        reached = np.arange(n_words)[:, None] + np.arange(width)
        inside = np.minimum(reached, n_words - 1)
        n_pieces = batch.last[inside] - batch.first[:, None] + 1
        docs = batch.word_docs
        valid = (
            (reached < n_words)
            & (docs[inside] == docs[:, None])
            & (n_pieces <= self.max_span_length)
        )
        for (begin, end, _), spans in zip(
            _iter_documents(batch), batch.candidates, strict=True
        ):
            if spans is not None:
                tokens = batch.tokens[begin:end]
                valid[begin:end] &= write_band(tokens, width, [spans]) >= 0
        valid = torch.from_numpy(valid).to(self.device)
        return scores.masked_fill(~valid, -torch.inf)

    def choose_mentions(
        self, band: Tensor, begin: int, n_pieces: int, *, is_free: bool = True
    ) -> Mentions:
        """Keep a document's best spans, `top_lambda` a piece.

        band (Tensor): Shape (n_words, max_span_length), the document's part.
        begin (int): The document's first word in the batch.
        n_pieces (int): The document's length, special tokens included.
        is_free (bool): Whether there are too many candidates to keep them all: not
            where the user has chosen them.
        RETURNS (Mentions): The mentions, by start, then end.
        """
        flat = band.flatten()
        n_mentions = int(n_pieces * self.top_lambda) if is_free else len(flat)
        n_mentions = min(n_mentions, len(flat))
        # Sorted as they stand in the text, so that antecedents come first.
        top = flat.topk(n_mentions).indices.sort().values
        scores = flat[top]
        is_candidate = scores.isfinite()
        top, scores = top[is_candidate], scores[is_candidate]
        starts = begin + top // self.max_span_length
        return Mentions(starts, starts + top % self.max_span_length, scores)

    def score_antecedents(
        self, scores: Tensor, anaphors: Tensor, antecedents: Tensor
    ) -> Tuple[Tensor, Tensor, Tensor]:
        """Find the best antecedents of a document's mentions.

        Rows are scored in blocks, so that nothing of size n_mentions² is held.

        scores (Tensor): Shape (n_mentions,), the mention scores.
        anaphors, antecedents (Tensor): Shape (n_mentions, n_features), the mentions
            as the antecedent scorer represents them.
        RETURNS (Tuple[Tensor, Tensor, Tensor]): Indexes of the best antecedents and
            their scores, both of shape (n_mentions, n_best), and the log of each
            row's sum, shape (n_mentions,).
        """
        n_mentions = len(scores)
        n_best = min(N_BEST, n_mentions)
        n_rows = max(1, MAX_PAIRS // max(n_mentions, 1))
        best, best_scores, norms = [], [], []
        for begin in range(0, n_mentions, n_rows):
            end = min(begin + n_rows, n_mentions)
            pairs = self.score_block(
                scores, anaphors, antecedents[: max(end, n_best)], begin, end
            )
            top = pairs.topk(n_best, dim=1)
            best.append(top.indices)
            best_scores.append(top.values)
            # The null antecedent scores 0.
            norms.append(torch.logaddexp(pairs.logsumexp(1), pairs.new_zeros(())))
        if not best:
            empty = scores.new_zeros((0, 0))
            return empty, empty, scores
        return torch.cat(best), torch.cat(best_scores), torch.cat(norms)

    def score_block(
        self,
        scores: Tensor,
        anaphors: Tensor,
        antecedents: Tensor,
        begin: int,
        end: int,
    ) -> Tensor:
        """Score some mentions of a document with the first antecedents.

        scores (Tensor): Shape (n_mentions,), the mention scores.
        anaphors (Tensor): Shape (n_mentions, n_features).
        antecedents (Tensor): Shape (n_antecedents, n_features).
        begin, end (int): The mentions to score.
        RETURNS (Tensor): Shape (end - begin, n_antecedents): f_m(c) + f_m(q) +
            f_a(c, q), and -inf for what is no earlier mention.
        """
        n_antecedents = len(antecedents)
        pairs = self.antecedent_scorer(anaphors[begin:end], antecedents)
        pairs = pairs + scores[begin:end, None] + scores[None, :n_antecedents]
        index = torch.arange(max(end, n_antecedents), device=scores.device)
        is_later = index[None, :n_antecedents] >= index[begin:end, None]
        return pairs.masked_fill(is_later, -torch.inf)


def _iter_documents(batch: Batch) -> Iterator[Tuple[int, int, int]]:
    """Yield where each document's words begin and end, and its number of pieces."""
    ends = batch.word_ends.tolist()
    return zip(
        [0, *ends[:-1]],
        ends,
        np.diff(batch.piece_ends, prepend=0).tolist(),
        strict=True,
    )


def _make_links(
    batch: Batch, mentions: Mentions, best: Tensor, scores: Tensor, norms: Tensor
) -> Links:
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
