"""The forward pass: a batch of documents in, Links out."""

from dataclasses import replace
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor, nn

from ...batching import Batch, Pieces, write_band
from ...types import Links
from ..blocks import iter_blocks, make_block
from ..checkpoints.sizes import check_positions, read_sizes
from ..encoders.words import WordVectors
from ..learning.train_scores import TrainScores
from ..scorers.mention_vectors import DocumentMentions, MentionVectors
from ..scorers.spans import Mentions, Vectors
from .links import find_links
from .runtime import Runtime
from .workers import count_workers

# How many words are scored at once: a novel has too many.
MAX_SPANS = 1 << 12


class CorefNetwork(nn.Module):
    """Score mentions and antecedents as s2e and F-coref do.

    See Kirstain et al. (2021) and Otmazgin et al. (2022), section 3.1.

    config (Dict[str, Any]): `encoder`, `mention_scorer` and `antecedent_scorer` are
        blocks, `word_features` blocks by name, if there are any; `encoder_config` is
        transformers' configuration; `top_lambda` is the number of mentions a piece,
        `min_mentions` that of the shortest texts, 0 if it is missing; `max_span_length`
        and `max_segment_len` are in pieces; `refinement` and
        `pronoun_head` are blocks, if there are any.
    path (str): Where it was read, for messages.
    RAISES (ValueError): The configuration is not valid.
    """

    def __init__(self, config: Dict[str, Any], path: str) -> None:
        super().__init__()
        sizes = read_sizes(config, path)
        self.top_lambda = sizes["top_lambda"]
        self.min_mentions = sizes["min_mentions"]
        self.max_span_length = sizes["max_span_length"]
        self.max_segment_len = sizes["max_segment_len"]
        self.segment_overlap = sizes["segment_overlap"]
        # Set in training, where the weights stay in float32.
        self.autocast_dtype: Optional[torch.dtype] = None
        encoder = make_block(config.get("encoder"), path)
        self.encoder = encoder.build(config.get("encoder_config") or {}, path)
        check_positions(sizes, self.encoder, path)
        width = self.encoder.width
        features = config.get("word_features") or {}
        features = {name: make_block(features[name], path) for name in features}
        self.word_features = nn.ModuleDict(
            {name: block.build(width) for name, block in features.items()}
        )
        mention_scorer = make_block(config.get("mention_scorer"), path)
        self.mention_scorer = mention_scorer.build(width)
        antecedent_scorer = make_block(config.get("antecedent_scorer"), path)
        self.antecedent_scorer = antecedent_scorer.build(width)
        blocks = [encoder, *features.values(), mention_scorer, antecedent_scorer]
        self.refinement: Optional[nn.Module] = None
        if config.get("refinement"):
            refinement = make_block(config["refinement"], path)
            # Of both ends of a mention.
            self.refinement = refinement.build(2 * width)
            blocks.append(refinement)
        self.pronoun_head: Optional[nn.Module] = None
        if config.get("pronoun_head"):
            self.pronoun_head = make_block(config["pronoun_head"], path).build(
                2 * width
            )
        # What has to be read from a Doc besides its word pieces.
        self.readers = [
            inner.read
            for block in blocks
            for inner in iter_blocks(block)
            if hasattr(inner, "read")
        ]

    @property
    def device(self) -> torch.device:
        """Tell where the weights are."""
        return next(self.parameters()).device

    @property
    def n_workers(self) -> int:
        """Count the threads that may use the network at once."""
        return count_workers(self.device, is_reentrant=self.encoder.is_reentrant)

    def forward(self, batch: Batch, runtime: Runtime) -> List[Links]:
        """Find the mentions of a batch of documents and their best antecedents.

        batch (Batch): The documents.
        runtime (Runtime): How much to compute at once, and how far to look back.
        RETURNS (List[Links]): One answer a document, in order.
        """
        if not len(batch.first):
            return [Links.empty() for _ in batch.word_ends]
        words = self.encode_words(batch, runtime)
        _, chosen, represented = self.find_mentions(batch, words)
        return find_links(batch, chosen, represented, self.score_pairs, runtime)

    def predict(self, docs: Sequence[Pieces], runtime: Runtime) -> List[Links]:
        """Find the mentions of some documents and their best antecedents.

        docs (Sequence[Pieces]): The documents, at least one.
        runtime (Runtime): How much to compute at once, and how far to look back.
        RETURNS (List[Links]): One answer a document, in order.
        """
        return self(Batch.from_pieces(docs), runtime)

    def score_for_training(self, batch: Batch, runtime: Runtime) -> List[TrainScores]:
        """Score a batch of documents so that a loss can be computed.

        batch (Batch): The documents.
        runtime (Runtime): How much to compute at once.
        RETURNS (List[TrainScores]): The scores of each document, with gradients.
        """
        if not len(batch.first):
            none = torch.zeros((0, self.max_span_length), device=self.device)
            index = torch.zeros(0, dtype=torch.long, device=self.device)
            empty = TrainScores(none, none[None, :, :0], index, index, batch.tokens)
            return [empty for _ in batch.word_ends]
        words = self.encode_words(batch, runtime)
        band, chosen, represented = self.find_mentions(batch, words)
        scores = []
        for (begin, end, _), mentions, sides in zip(
            _iter_documents(batch), chosen, represented, strict=True
        ):
            scores.append(
                TrainScores(
                    band[begin:end],
                    self.score_pairs(
                        mentions.scores,
                        sides,
                        0,
                        len(mentions.scores),
                        None,
                        in_parts=True,
                    ),
                    mentions.starts - begin,
                    mentions.ends - begin,
                    batch.tokens[begin:end],
                    *self.guess_pronouns(words, mentions),
                )
            )
        return scores

    def guess_pronouns(
        self, words: WordVectors, mentions: Mentions
    ) -> Tuple[Optional[Tensor], Sequence[str]]:
        """Guess which pronouns mentions are.

        words (WordVectors): The words of the batch.
        mentions (Mentions): The mentions of a document.
        RETURNS (Tuple[Optional[Tensor], Sequence[str]]): Shape (n_mentions,
            n_pronouns), None without a pronoun head, and the pronouns.
        """
        if self.pronoun_head is None:
            return None, ()
        ends = words.get_starts(mentions.starts), words.get_ends(mentions.ends)
        return self.pronoun_head(torch.cat(ends, 1)), self.pronoun_head.names

    def find_mentions(
        self, batch: Batch, words: WordVectors
    ) -> Tuple[Tensor, List[Mentions], List[DocumentMentions]]:
        """Find the mentions of a batch of documents and represent them.

        batch (Batch): The documents, with at least one word.
        words (WordVectors): Their words.
        RETURNS (Tuple[Tensor, List[Mentions], List[DocumentMentions]]): The mention
            scores, shape (n_words, max_span_length), and for each document its
            mentions, and these as anaphors and as antecedents.
        """
        band = self.score_mentions(batch, words)
        chosen = self.choose_all_mentions(batch, band)
        return band, chosen, self.represent_mentions(words, chosen)

    def represent_mentions(
        self, words: WordVectors, chosen: Sequence[Mentions]
    ) -> List[DocumentMentions]:
        """Represent mentions, refined if the network does so.

        words (WordVectors): The words of the batch.
        chosen (Sequence[Mentions]): The mentions of each document.
        RETURNS (List[DocumentMentions]): Those of each document as anaphors and as
            antecedents.
        """
        firsts = torch.cat([mentions.starts for mentions in chosen])
        lasts = torch.cat([mentions.ends for mentions in chosen])
        sizes = [len(mentions.starts) for mentions in chosen]

        def represent(part: slice) -> Tuple[Vectors, Vectors]:
            return self.represent(words, firsts[part], lasts[part])

        def represent_refined(part: slice) -> Tuple[Vectors, Vectors]:
            return self.antecedent_scorer.represent(spans.take(part))

        sides = MentionVectors(represent, len(firsts)).split(sizes)
        if self.refinement is not None:
            spans = words.get_spans(firsts, lasts)
            for _ in range(self.refinement.n_rounds):
                spans = self.refinement.refine(self.score_pairs, chosen, sides, spans)
                sides = MentionVectors(represent_refined, len(firsts)).split(sizes)
        return sides

    def encode_words(self, batch: Batch, runtime: Runtime) -> WordVectors:
        """Encode documents by segments of like length.

        batch (Batch): The documents.
        runtime (Runtime): How much to encode at once, and with which context.
        RETURNS (WordVectors): The vectors of the words.
        """
        if runtime.segment_overlap is None:
            runtime = replace(runtime, segment_overlap=self.segment_overlap)
        with torch.autocast(
            self.device.type,
            dtype=self.autocast_dtype,
            enabled=self.autocast_dtype is not None,
        ):
            vectors = self.encoder.encode(
                batch, runtime, self.max_segment_len, self.move
            )
        return WordVectors(
            vectors,
            self.move(batch.first),
            self.move(batch.last),
            {name: self.move(codes) for name, codes in batch.codes.items()},
            list(self.word_features.values()),
        )

    def move(self, array: np.ndarray) -> Tensor:
        """Take an array to the device, without waiting for it.

        array (numpy.ndarray): The array.
        RETURNS (Tensor): The same on the device.
        """
        tensor = torch.from_numpy(array)
        if self.device.type != "cuda":
            return tensor.to(self.device)
        return tensor.pin_memory().to(self.device, non_blocking=True)

    def represent(
        self, words: WordVectors, firsts: Tensor, lasts: Tensor
    ) -> Tuple[Vectors, Vectors]:
        """Represent spans as anaphors and as antecedents.

        words (WordVectors): The words.
        firsts, lasts (Tensor): Shape (n_spans,), the spans' first and last words.
        RETURNS (Tuple[Vectors, Vectors]): What the antecedent scorer makes of them.
        """
        return self.antecedent_scorer.represent(words.get_spans(firsts, lasts))

    def score_mentions(self, batch: Batch, words: WordVectors) -> Tensor:
        """Score all spans of whole words within a document.

        batch (Batch): The documents.
        words (WordVectors): Their words.
        RETURNS (Tensor): Shape (n_words, max_span_length): at [i, d] the span of
            words i to i + d, -inf for what is no candidate.
        """
        n_words, width = len(words), self.max_span_length
        scores = []
        for begin in range(0, n_words, MAX_SPANS):
            end = min(begin + MAX_SPANS, n_words)
            reach = min(end + width - 1, n_words)
            block = self.mention_scorer(
                words.get_starts(slice(begin, end)),
                words.get_ends(slice(begin, reach)),
                width,
            )
            is_span = self.move(_find_spans(batch, begin, end, width))
            scores.append(block.masked_fill(~is_span, -torch.inf))
        return torch.cat(scores)

    def choose_all_mentions(self, batch: Batch, band: Tensor) -> List[Mentions]:
        """Keep the best spans of each document.

        batch (Batch): The documents.
        band (Tensor): Shape (n_words, max_span_length), the scores of the spans.
        RETURNS (List[Mentions]): The mentions of each document, by start, then end.
        """
        is_candidate = band.isfinite()
        band = band.masked_fill(~is_candidate, -torch.inf)
        # Asked once for all documents, as a GPU is waited for.
        counts = np.append(0, is_candidate.sum(1).cumsum(0).cpu().numpy())
        return [
            self.choose_mentions(
                band[begin:end],
                begin,
                n_pieces,
                int(counts[end] - counts[begin]),
                is_free=spans is None,
            )
            for (begin, end, n_pieces), spans in zip(
                _iter_documents(batch), batch.candidates, strict=True
            )
        ]

    def choose_mentions(
        self,
        band: Tensor,
        begin: int,
        n_pieces: int,
        n_candidates: int,
        *,
        is_free: bool = True,
    ) -> Mentions:
        """Keep a document's best spans, `top_lambda` a piece, `min_mentions` at least.

        band (Tensor): Shape (n_words, max_span_length), the document's part.
        begin (int): The document's first word in the batch.
        n_pieces (int): The document's length, special tokens included.
        n_candidates (int): How many of the spans are any; the others score -inf.
        is_free (bool): Whether there are too many candidates to keep them all: not
            where the user has chosen them.
        RETURNS (Mentions): The mentions, by start, then end.
        """
        flat, n_mentions = band.flatten(), n_candidates
        if is_free:
            wanted = max(int(n_pieces * self.top_lambda), self.min_mentions)
            n_mentions = min(wanted, n_candidates)
        # Sorted as they stand in the text, so that antecedents come first.
        top = flat.topk(n_mentions).indices.sort().values
        starts = begin + top // self.max_span_length
        return Mentions(starts, starts + top % self.max_span_length, flat[top])

    def score_pairs(
        self,
        scores: Tensor,
        sides: DocumentMentions,
        begin: int,
        end: int,
        columns: Optional[Tensor],
        *,
        in_parts: bool = False,
    ) -> Tensor:
        """Score some mentions of a document with others.

        scores (Tensor): Shape (n_mentions,), the mention scores.
        sides (DocumentMentions): The mentions as the antecedent scorer represents them.
        begin, end (int): The mentions to score.
        columns (Optional[Tensor]): Shape (n_antecedents,), indexes of mentions; None
            for all, which then need not be copied.
        in_parts (bool): Whether to score them in each way that something is to be
            learned from, with one more dimension in front.
        RETURNS (Tensor): Shape (end - begin, n_antecedents): f_m(c) + f_m(q) +
            f_a(c, q), and -inf for what is no earlier mention.
        """
        anaphors = sides.get_anaphors(begin, end)
        if columns is None:
            columns = torch.arange(len(scores), device=scores.device)
            antecedents, others = sides.get_antecedents(), scores
        else:
            inside = columns.clamp(max=len(scores) - 1)
            antecedents, others = sides.get_antecedents(inside), scores[inside]
        scorer = self.antecedent_scorer
        pairs = (scorer.score_parts if in_parts else scorer)(anaphors, antecedents)
        # In place, since a novel has many pairs.
        pairs += scores[begin:end, None]
        pairs += others
        rows = torch.arange(begin, end, device=scores.device)
        return pairs.masked_fill_(columns >= rows[:, None], -torch.inf)


def _find_spans(batch: Batch, begin: int, end: int, width: int) -> np.ndarray:
    """Tell which of the spans that start in a block of words are candidates."""
    starts = np.arange(begin, end)[:, None]
    reached = starts + np.arange(width)
    inside = np.minimum(reached, len(batch.first) - 1)
    docs = batch.word_docs
    n_pieces = batch.last[inside] - batch.first[starts] + 1
    is_span = (reached == inside) & (docs[inside] == docs[starts]) & (n_pieces <= width)
    for (first, last, _), spans in zip(
        _iter_documents(batch), batch.candidates, strict=True
    ):
        if spans is not None and first < end and last > begin:
            band = write_band(batch.tokens[first:last], width, [spans]) >= 0
            overlap = slice(max(first, begin), min(last, end))
            is_span[overlap.start - begin : overlap.stop - begin] &= band[
                overlap.start - first : overlap.stop - first
            ]
    return is_span


def _iter_documents(batch: Batch) -> Iterator[Tuple[int, int, int]]:
    """Yield where each document's words begin and end, and its number of pieces."""
    ends = batch.word_ends.tolist()
    return zip(
        [0, *ends[:-1]],
        ends,
        np.diff(batch.piece_ends, prepend=0).tolist(),
        strict=True,
    )
