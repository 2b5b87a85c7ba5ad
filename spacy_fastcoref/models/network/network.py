"""The forward pass: from a batch of documents to Links."""

from dataclasses import replace
from functools import reduce
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor, nn

from ...types import Links
from ..batching import Batch, Pieces, write_band
from ..blocks import iter_blocks, make_block
from ..runtime import Runtime
from ..scorers.mention_types import check_types
from ..scorers.mention_vectors import DocumentMentions, MentionVectors
from ..scorers.spans import Mentions, Vectors, WordVectors
from ..workers import count_workers
from .entity_types import add_types, get_typed_spans, score_types
from .links import find_links
from .sizes import check_positions, read_sizes
from .train_scores import TrainScores

# The number of words whose spans are scored at once. The spans of a novel do not fit
# into memory at once.
MAX_SPANS = 1 << 12


class CorefNetwork(nn.Module):
    """Score spans as mentions, and pairs of mentions as links.

    The network is that of s2e (Kirstain et al. 2021) and F-coref (Otmazgin et al.
    2022), section 3.1: F(c, q) = f_m(c) + f_m(q) + f_a(c, q). Blocks choose the
    encoder and the scorers.

    config (Dict[str, Any]): The model's configuration. `encoder`, `mention_scorer`
        and `antecedent_scorer` are blocks; `refinement`, `mention_types` and
        `pronoun_head` are optional blocks, and `word_features` an optional dictionary
        of blocks. `encoder_config` is the configuration for transformers. `top_lambda`
        is the number of mentions to keep per word piece and `min_mentions` the minimum
        (default 0). `max_span_length` and `max_segment_len` are in word pieces.
    path (str): Where the configuration was read from, for error messages.
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
        # Set only in training, where the weights stay in float32.
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
            # A mention's vector is the concatenation of its ends.
            self.refinement = refinement.build(2 * width)
            blocks.append(refinement)
        self.mention_types: Optional[nn.Module] = None
        if config.get("mention_types"):
            self.mention_types = make_block(config["mention_types"], path).build(width)
        check_types(self.antecedent_scorer, self.mention_types, path)
        self.pronoun_head: Optional[nn.Module] = None
        if config.get("pronoun_head"):
            self.pronoun_head = make_block(config["pronoun_head"], path).build(
                2 * width
            )
        self._weight = next(self.named_parameters())[0].split(".")
        # Functions that read more from a Doc than its word pieces.
        self.readers = [
            inner.read
            for block in blocks
            for inner in iter_blocks(block)
            if hasattr(inner, "read")
        ]

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        # By name, since to search all layers for a weight takes longer than to score
        # a short text with one of them.
        return reduce(getattr, self._weight, self).device

    @property
    def n_workers(self) -> int:
        """The number of threads that may use the network at the same time."""
        return count_workers(self.device, is_reentrant=self.encoder.is_reentrant)

    def forward(self, batch: Batch, runtime: Runtime) -> List[Links]:
        """Find the mentions of a batch of documents and their best antecedents.

        batch (Batch): The documents.
        runtime (Runtime): The batch size of the encoder and the window of antecedents.
        RETURNS (List[Links]): The links of each document, in order.
        """
        if not len(batch.first):
            return [Links.empty() for _ in batch.word_ends]
        words = self.encode_words(batch, runtime)
        _, mentions, represented = self.find_mentions(batch, words)
        links = find_links(batch, mentions, represented, self.score_pairs, runtime)
        return add_types(self.mention_types, links, words, mentions)

    def predict(self, docs: Sequence[Pieces], runtime: Runtime) -> List[Links]:
        """Find the mentions of documents and their best antecedents.

        docs (Sequence[Pieces]): The documents, at least one.
        runtime (Runtime): The batch size of the encoder and the window of antecedents.
        RETURNS (List[Links]): The links of each document, in order.
        """
        return self(Batch.from_pieces(docs), runtime)

    def score_for_training(self, batch: Batch, runtime: Runtime) -> List[TrainScores]:
        """Compute the scores of a batch of documents that the loss needs.

        batch (Batch): The documents.
        runtime (Runtime): The batch size of the encoder.
        RETURNS (List[TrainScores]): The scores of each document, with gradients.
        """
        if not len(batch.first):
            none = torch.zeros((0, self.max_span_length), device=self.device)
            index = torch.zeros(0, dtype=torch.long, device=self.device)
            empty = TrainScores(none, none[None, :, :0], index, index, batch.tokens)
            return [empty for _ in batch.word_ends]
        words = self.encode_words(batch, runtime)
        band, mentions, represented = self.find_mentions(batch, words)
        scores = []
        for (begin, end, _), doc_mentions, vectors in zip(
            _iter_documents(batch), mentions, represented, strict=True
        ):
            scores.append(
                TrainScores(
                    band[begin:end],
                    self.score_pairs(
                        doc_mentions.scores,
                        vectors,
                        0,
                        len(doc_mentions.scores),
                        None,
                        for_training=True,
                    ),
                    doc_mentions.starts - begin,
                    doc_mentions.ends - begin,
                    batch.tokens[begin:end],
                    *self.guess_pronouns(words, doc_mentions),
                    *score_types(self.mention_types, words, doc_mentions),
                )
            )
        return scores

    def guess_pronouns(
        self, words: WordVectors, mentions: Mentions
    ) -> Tuple[Optional[Tensor], Sequence[str]]:
        """Score each pronoun for the place of each mention.

        words (WordVectors): The words of the batch.
        mentions (Mentions): The mentions of a document.
        RETURNS (Tuple[Optional[Tensor], Sequence[str]]): The logits, shape (n_mentions,
            n_pronouns), and the pronouns; None and no pronouns if the model has no
            pronoun head.
        """
        if self.pronoun_head is None:
            return None, ()
        ends = words.get_starts(mentions.starts), words.get_ends(mentions.ends)
        return self.pronoun_head(torch.cat(ends, 1)), self.pronoun_head.names

    def find_mentions(
        self, batch: Batch, words: WordVectors
    ) -> Tuple[Tensor, List[Mentions], List[DocumentMentions]]:
        """Find the mentions of a batch of documents and compute their vectors.

        batch (Batch): The documents, with at least one word.
        words (WordVectors): The words of the batch.
        RETURNS (Tuple[Tensor, List[Mentions], List[DocumentMentions]]): The mention
            scores, shape (n_words, max_span_length), and for each document its mentions
            and their vectors.
        """
        band = self.score_mentions(batch, words)
        mentions = self.choose_all_mentions(batch, band)
        return band, mentions, self.represent_mentions(words, mentions)

    def represent_mentions(
        self, words: WordVectors, mentions: Sequence[Mentions]
    ) -> List[DocumentMentions]:
        """Compute the vectors of mentions, and refine them in a second-order model.

        words (WordVectors): The words of the batch.
        mentions (Sequence[Mentions]): The mentions of each document.
        RETURNS (List[DocumentMentions]): The vectors of each document's mentions as
            anaphors and as antecedents.
        """
        firsts = torch.cat([doc_mentions.starts for doc_mentions in mentions])
        lasts = torch.cat([doc_mentions.ends for doc_mentions in mentions])
        sizes = [len(doc_mentions.starts) for doc_mentions in mentions]

        def represent(part: slice) -> Tuple[Vectors, Vectors]:
            return self.represent(words, firsts[part], lasts[part])

        def represent_refined(part: slice) -> Tuple[Vectors, Vectors]:
            return self.antecedent_scorer.represent(spans.take(part))

        represented = MentionVectors(represent, len(firsts)).split(sizes)
        if self.refinement is not None:
            spans = get_typed_spans(self.mention_types, words, firsts, lasts)
            for _ in range(self.refinement.n_rounds):
                spans = self.refinement.refine(
                    self.score_pairs, mentions, represented, spans
                )
                vectors = MentionVectors(represent_refined, len(firsts))
                represented = vectors.split(sizes)
        return represented

    def encode_words(self, batch: Batch, runtime: Runtime) -> WordVectors:
        """Compute the vectors of the words of a batch.

        batch (Batch): The documents.
        runtime (Runtime): The batch size and the context of the encoder's segments.
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
        """Copy an array to the network's device, without waiting for a GPU.

        array (numpy.ndarray): The array.
        RETURNS (Tensor): The copy.
        """
        tensor = torch.from_numpy(array)
        if self.device.type != "cuda":
            return tensor.to(self.device)
        return tensor.pin_memory().to(self.device, non_blocking=True)

    def represent(
        self, words: WordVectors, firsts: Tensor, lasts: Tensor
    ) -> Tuple[Vectors, Vectors]:
        """Compute the vectors of spans as anaphors and as antecedents.

        words (WordVectors): The words of the batch.
        firsts, lasts (Tensor): Shape (n_spans,), the first and the last word of each
            span.
        RETURNS (Tuple[Vectors, Vectors]): The output of `AntecedentScorer.represent`.
        """
        spans = get_typed_spans(self.mention_types, words, firsts, lasts)
        return self.antecedent_scorer.represent(spans)

    def score_mentions(self, batch: Batch, words: WordVectors) -> Tensor:
        """Score all spans of whole words within a document.

        batch (Batch): The documents.
        words (WordVectors): The words of the batch.
        RETURNS (Tensor): Shape (n_words, max_span_length), float32: at [i, d] the score
            of the span of words i to i + d, or -inf if it is not a candidate.
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
        """Keep the best spans of each document as mentions.

        batch (Batch): The documents.
        band (Tensor): Shape (n_words, max_span_length), the scores of the spans.
        RETURNS (List[Mentions]): The mentions of each document, ordered by start and
            end.
        """
        is_candidate = band.isfinite()
        band = band.masked_fill(~is_candidate, -torch.inf)
        # One transfer for all documents, because the CPU has to wait for the GPU.
        counts = np.append(0, is_candidate.sum(1).cumsum(0).cpu().numpy())
        return [
            self.choose_mentions(
                band[begin:end],
                begin,
                n_pieces,
                int(counts[end] - counts[begin]),
                prune=spans is None,
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
        prune: bool = True,
    ) -> Mentions:
        """Keep the best spans of one document as mentions.

        The number is `top_lambda` per word piece, but at least `min_mentions`, as far
        as there are candidates.

        band (Tensor): Shape (n_words, max_span_length), the scores of the document's
            spans.
        begin (int): The index of the document's first word in the batch.
        n_pieces (int): The number of the document's word pieces, including special
            tokens.
        n_candidates (int): The number of spans that are candidates. The others score
            -inf.
        prune (bool): Whether to prune. False keeps all candidates, if the user has
            given the mentions.
        RETURNS (Mentions): The mentions, ordered by start and end.
        """
        flat, n_mentions = band.flatten(), n_candidates
        if prune:
            wanted = max(int(n_pieces * self.top_lambda), self.min_mentions)
            n_mentions = min(wanted, n_candidates)
        # In text order, so that antecedents come before their anaphors.
        top = flat.topk(n_mentions).indices.sort().values
        starts = begin + top // self.max_span_length
        return Mentions(starts, starts + top % self.max_span_length, flat[top])

    def score_pairs(
        self,
        scores: Tensor,
        vectors: DocumentMentions,
        begin: int,
        end: int,
        columns: Optional[Tensor],
        *,
        for_training: bool = False,
    ) -> Tensor:
        """Score some mentions of a document with others.

        scores (Tensor): Shape (n_mentions,), the mention scores.
        vectors (DocumentMentions): The vectors of the mentions.
        begin, end (int): The range of anaphors.
        columns (Optional[Tensor]): Shape (n_antecedents,), the indexes of the
            antecedents. None for all mentions, which avoids a copy.
        for_training (bool): Whether to return one matrix for each term of the loss; see
            AntecedentScorer.score_for_training.
        RETURNS (Tensor): Shape (end - begin, n_antecedents), or with `for_training`
            (n_terms, end - begin, n_antecedents): f_m(c) + f_m(q) + f_a(c, q), and -inf
            if the antecedent is not an earlier mention.
        """
        anaphors = vectors.get_anaphors(begin, end)
        if columns is None:
            columns = torch.arange(len(scores), device=scores.device)
            antecedents, antecedent_scores = vectors.get_antecedents(), scores
        else:
            # Columns after the last mention are masked below.
            inside = columns.clamp(max=len(scores) - 1)
            antecedents = vectors.get_antecedents(inside)
            antecedent_scores = scores[inside]
        scorer = self.antecedent_scorer
        score = scorer.score_for_training if for_training else scorer
        pairs = score(anaphors, antecedents)
        # In place, because a novel has many pairs.
        pairs += scores[begin:end, None]
        pairs += antecedent_scores
        rows = torch.arange(begin, end, device=scores.device)
        return pairs.masked_fill_(columns >= rows[:, None], -torch.inf)


def _find_spans(batch: Batch, begin: int, end: int, width: int) -> np.ndarray:
    """Find which spans that start in a block of words are candidates.

    A candidate lies within one document and has at most `width` word pieces. If the
    user has given the mentions, it is one of these.

    batch (Batch): The documents.
    begin, end (int): The block of words.
    width (int): The maximum length of a span.
    RETURNS (numpy.ndarray): Shape (end - begin, width), bool.
    """
    starts = np.arange(begin, end)[:, None]
    lasts = starts + np.arange(width)
    inside = np.minimum(lasts, len(batch.first) - 1)
    docs = batch.word_docs
    n_pieces = batch.last[inside] - batch.first[starts] + 1
    is_span = (lasts == inside) & (docs[inside] == docs[starts]) & (n_pieces <= width)
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
    """Yield the range of each document's words and its number of word pieces."""
    ends = batch.word_ends.tolist()
    return zip(
        [0, *ends[:-1]],
        ends,
        np.diff(batch.piece_ends, prepend=0).tolist(),
        strict=True,
    )
