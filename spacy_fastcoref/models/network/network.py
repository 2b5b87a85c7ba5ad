"""The network: from a batch of documents to the scores of mentions and of pairs."""

from dataclasses import replace
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple

import numpy as np
import torch
from torch import Tensor, nn

from ...errors import Errors
from ...types import Links
from ..batching import Batch, Pieces, write_band
from ..blocks import iter_blocks, make_block
from ..runtime import Runtime
from ..scorers.heads import Head
from ..scorers.mention_vectors import MentionVectors
from ..scorers.spans import Mentions, Rows, Spans, Vectors, WordVectors
from ..scorers.wrappers import check_types
from .links import find_links

# The number of words whose spans are scored at once. The spans of a novel do not fit
# into memory at once.
MAX_SPANS = 1 << 12
# The number of mentions whose types are predicted at once. A novel has too many.
MAX_CLASSIFIED = 1 << 12
# The longest mention, even where segments may have any length.
MAX_SPAN_LENGTH = 10_000

# For each setting: its type, its default, the least value, and what is expected.
_SIZES = {
    "top_lambda": ((int, float), None, np.nextafter(0, 1), "a number above 0"),
    "min_mentions": (int, 0, 0, "a whole number of 0 or more"),
    "max_span_length": (int, None, 1, "a whole number above 0"),
    "max_segment_len": (int, None, 3, "a whole number above 2"),
    "segment_overlap": (int, 0, 0, "a whole number of 0 or more"),
}


class CorefNetwork(nn.Module):
    """Score spans as mentions, and pairs of mentions as links.

    The network is that of s2e (Kirstain et al. 2021) and F-coref (Otmazgin et al.
    2022), section 3.1: F(c, q) = f_m(c) + f_m(q) + f_a(c, q). Blocks choose the
    encoder and the scorers. It runs in these steps, of which each takes the batch, the
    output of the step before, or both: `encode_words`, `score_mentions`,
    `choose_mentions`, `represent_mentions` and, for some mentions at a time,
    `score_pairs`.

    config (Dict[str, Any]): The model's configuration. `encoder`, `mention_scorer`
        and `antecedent_scorer` are blocks; `refinement`, `mention_types` and
        `pronoun_head` are optional blocks, and `word_features` an optional dictionary
        of blocks. `encoder_config` is the configuration for transformers. `top_lambda`
        is the number of mentions to keep per word piece and `min_mentions` the minimum
        (default 0). `max_span_length` and `max_segment_len` are in word pieces.
        `calibration` is the slope and the bias of the probabilities of links (default 1
        and 0), or a dictionary of such pairs by language with a "default".
    """

    def __init__(self, config: Dict[str, Any], path: str) -> None:
        super().__init__()
        encoder = make_block(config.get("encoder"), path)
        self.encoder = encoder.build(config.get("encoder_config") or {}, path)
        sizes = _read_sizes(config, self.encoder, path)
        self.top_lambda: float = sizes["top_lambda"]
        self.min_mentions: int = sizes["min_mentions"]
        self.max_span_length: int = sizes["max_span_length"]
        self.max_segment_len: int = sizes["max_segment_len"]
        self.segment_overlap: int = sizes["segment_overlap"]
        self.calibrations = _read_calibrations(config, path)
        # Set only in training, where the weights stay in float32.
        self.autocast_dtype: Optional[torch.dtype] = None
        width = self.encoder.width
        features = config.get("word_features") or {}
        features = {name: make_block(features[name], path) for name in features}
        self.word_features = nn.ModuleDict(
            {name: block.build(width) for name, block in features.items()}
        )
        blocks = [encoder, *features.values()]

        def build(name: str) -> Any:
            blocks.append(make_block(config.get(name), path))
            return blocks[-1].build(width)

        def build_any(name: str) -> Any:
            return build(name) if config.get(name) else None

        self.mention_scorer = build("mention_scorer")
        self.antecedent_scorer = build("antecedent_scorer")
        self.refinement: Optional[nn.Module] = build_any("refinement")
        self.mention_types: Optional[Head] = build_any("mention_types")
        check_types(self.antecedent_scorer, self.mention_types, path)
        self.pronoun_head: Optional[Head] = build_any("pronoun_head")
        name, _ = next(self.named_parameters())
        owner, _, name = name.rpartition(".")
        # Searched once: that takes longer than to score a short text with a layer.
        weights: Dict[str, Any] = self.get_submodule(owner)._parameters
        self._weight = weights, name
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
        weights, name = self._weight
        return weights[name].device

    def predict(self, docs: Sequence[Pieces], runtime: Runtime) -> List[Links]:
        """Find the mentions of documents and their best antecedents."""
        batch = Batch.from_pieces(docs)
        if not len(batch.first):
            return [Links.empty() for _ in docs]
        words = self.encode_words(batch, runtime)
        _, mentions, vectors, types = self.find_mentions(batch, words)
        links = find_links(batch, mentions, vectors, self.score_pairs, runtime)
        if types is not None:
            names = np.array(self.mention_types.names)[types.argmax(1).cpu().numpy()]
            ends = np.cumsum([len(one) for one in links])[:-1]
            for one, found in zip(links, np.split(names, ends), strict=True):
                one.types = found
        return links

    def find_mentions(
        self, batch: Batch, words: WordVectors
    ) -> Tuple[Tensor, List[Mentions], MentionVectors, Optional[Tensor]]:
        """Score spans, choose mentions, and represent these."""
        band = self.score_mentions(batch, words)
        mentions = self.choose_mentions(batch, band)
        return band, mentions, *self.represent_mentions(words, mentions)

    def encode_words(self, batch: Batch, runtime: Runtime) -> WordVectors:
        """Compute the vectors of the words of a batch."""
        if runtime.segment_overlap is None:
            runtime = replace(runtime, segment_overlap=self.segment_overlap)
        dtype = self.autocast_dtype
        with torch.autocast(self.device.type, dtype, enabled=dtype is not None):
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
        """Copy an array to the network's device, without waiting for a GPU."""
        tensor = torch.from_numpy(array)
        if self.device.type != "cuda":
            return tensor.to(self.device)
        return tensor.pin_memory().to(self.device, non_blocking=True)

    def score_mentions(self, batch: Batch, words: WordVectors) -> Tensor:
        """Score all spans of whole words within a document.

        RETURNS (Tensor): Shape (n_words, max_span_length), float32: at [i, d] the score
            of the span of words i to i + d, or -inf if it is not a candidate.
        """
        n_words, width = len(words), self.max_span_length
        scores = []
        for begin in range(0, n_words, MAX_SPANS):
            end = min(begin + MAX_SPANS, n_words)
            reach = min(end + width - 1, n_words)
            block = self.mention_scorer(
                words.get(slice(begin, end)),
                words.get(slice(begin, reach), at_end=True),
                width,
            )
            is_span = self.move(_find_spans(batch, begin, end, width))
            scores.append(block.masked_fill(~is_span, -torch.inf))
        return torch.cat(scores)

    def choose_mentions(self, batch: Batch, band: Tensor) -> List[Mentions]:
        """Keep the best spans of each document as mentions, ordered by start and end.

        Their number is `top_lambda` per word piece, but at least `min_mentions`, as far
        as there are candidates. If the user has given the mentions, all are kept.
        """
        is_candidate = band.isfinite()
        band = band.masked_fill(~is_candidate, -torch.inf)
        # One transfer for all documents, because the CPU has to wait for the GPU.
        counts = np.append(0, is_candidate.sum(1).cumsum(0).cpu().numpy())
        chosen = []
        for (begin, end, n_pieces), given in zip(
            _iter_documents(batch), batch.candidates, strict=True
        ):
            n_mentions = int(counts[end] - counts[begin])
            if given is None:
                wanted = max(int(n_pieces * self.top_lambda), self.min_mentions)
                n_mentions = min(wanted, n_mentions)
            flat = band[begin:end].flatten()
            top = flat.topk(n_mentions).indices.sort().values
            starts = begin + top // self.max_span_length
            ends = starts + top % self.max_span_length
            chosen.append(Mentions(starts, ends, flat[top]))
        return chosen

    def represent(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        """Compute the vectors of spans as anaphors and as antecedents."""
        if spans.types is None and self.mention_types is not None:
            spans = spans._replace(types=self.mention_types(spans).softmax(-1))
        return self.antecedent_scorer.represent(spans)

    def represent_mentions(
        self, words: WordVectors, mentions: Sequence[Mentions]
    ) -> Tuple[MentionVectors, Optional[Tensor]]:
        """Compute the vectors of mentions, refined in a second-order model, and the
        logits of their types if the model predicts these."""
        firsts, lasts, _ = map(torch.cat, zip(*mentions, strict=True))
        types = probs = None
        if self.mention_types is not None:
            sides = (side.split(MAX_CLASSIFIED) for side in (firsts, lasts))
            parts = (words.get_spans(*part) for part in zip(*sides, strict=True))
            types = torch.cat([self.mention_types(spans) for spans in parts])
            # No gradient flows back into the head.
            probs = types.detach().softmax(-1)

        def get_spans(part: Rows) -> Spans:
            spans = words.get_spans(firsts[part], lasts[part])
            return spans._replace(types=None if probs is None else probs[part])

        vectors = MentionVectors(
            lambda part: self.represent(get_spans(part)), len(firsts)
        )
        if self.refinement is not None:
            represent = self.antecedent_scorer.represent
            spans = get_spans(slice(None))
            for _ in range(self.refinement.n_rounds):
                scores = [one.scores for one in mentions]
                spans = self.refinement.refine(self.score_pairs, scores, vectors, spans)
                vectors = MentionVectors(
                    lambda part, s=spans: represent(s.take(part)), len(firsts)
                )
        return vectors, types

    def score_pairs(
        self,
        scores: Tensor,
        vectors: MentionVectors,
        first: int,
        begin: int,
        end: int,
        columns: Optional[Tensor] = None,
        *,
        for_training: bool = False,
    ) -> Tensor:
        """Score some mentions of a document with others.

        scores (Tensor): Shape (n_mentions,), the scores of the document's mentions,
            which are numbered from 0.
        first (int): The number of mentions before them in `vectors`.
        columns (Optional[Tensor]): Shape (n_antecedents,), the indexes of the
            antecedents. None for all mentions, which avoids a copy.
        for_training (bool): Whether to score by AntecedentScorer.score_for_training.
        RETURNS (Tensor): Shape (end - begin, n_antecedents), or with `for_training`
            (n_terms, end - begin, n_antecedents): f_m(c) + f_m(q) + f_a(c, q), and -inf
            if the antecedent is not an earlier mention.
        """
        anaphors = vectors.get_anaphors(first + begin, first + end)
        if columns is None:
            columns = torch.arange(len(scores), device=scores.device)
            antecedents = vectors.get_antecedents(slice(first, first + len(scores)))
            antecedent_scores = scores
        else:
            # Columns after the last mention are masked below.
            inside = columns.clamp(max=len(scores) - 1)
            antecedents = vectors.get_antecedents(first + inside)
            antecedent_scores = scores[inside]
        scorer = self.antecedent_scorer
        score = scorer.score_for_training if for_training else scorer
        pairs = score(anaphors, antecedents)
        # In place, because a novel has many pairs.
        pairs += scores[begin:end, None]
        pairs += antecedent_scores
        rows = torch.arange(begin, end, device=scores.device)
        return pairs.masked_fill_(columns >= rows[:, None], -torch.inf)


def _read_sizes(
    config: Dict[str, Any], encoder: nn.Module, path: str
) -> Dict[str, Any]:
    """Read the settings for the number and length of mentions, and for segments, whose
    `max_length` an encoder can limit.

    RAISES (ValueError): A setting is missing or not valid.
    """
    sizes = {}
    for key, (kind, default, least, expected) in _SIZES.items():
        sizes[key] = value = config.get(key, default)
        is_number = isinstance(value, kind) and not isinstance(value, bool)
        if not is_number or not least <= value < np.inf:
            _refuse(path, key, value, expected)
    # Larger values would make the model run out of positions, or of memory.
    segment_len = sizes["max_segment_len"]
    limits = {
        "max_segment_len": getattr(encoder, "max_length", None) or segment_len,
        "max_span_length": min(segment_len, MAX_SPAN_LENGTH),
        "top_lambda": sizes["max_span_length"],
    }
    for key, most in limits.items():
        if sizes[key] > most:
            _refuse(path, key, sizes[key], f"{most} or less")
    return sizes


def _read_calibrations(
    config: Dict[str, Any], path: str
) -> Dict[str, Tuple[float, float]]:
    """Read slope and bias of probabilities, by language or "default" for all others;
    see types.Links.compute_probs."""
    found = config.get("calibration", [1.0, 0.0])
    if not isinstance(found, dict):
        found = {"default": found}
    found = {"default": [1.0, 0.0], **found}
    for value in found.values():
        are_numbers = isinstance(value, (list, tuple)) and all(
            type(one) in (int, float) and abs(one) <= 100 for one in value
        )
        if not are_numbers or len(value) != 2 or value[0] < 0.01:
            expected = (
                "a slope from 0.01 to 100 and a bias, or such a pair for each language"
            )
            _refuse(path, "calibration", value, expected)
    return {name: (float(slope), float(bias)) for name, (slope, bias) in found.items()}


def _refuse(path: str, key: str, value: Any, expected: str) -> None:
    raise ValueError(
        Errors.FC015.format(path=path, key=key, value=value, expected=expected)
    )


def read_tensors(network: nn.Module) -> Dict[str, Tensor]:
    """Copy the weights of a network to the CPU."""
    return {
        name: tensor.detach().cpu().clone().contiguous()
        for name, tensor in network.state_dict().items()
    }


def _find_spans(batch: Batch, begin: int, end: int, width: int) -> np.ndarray:
    """Find which spans that start in a block of words are candidates.

    A candidate lies within one document and has at most `width` word pieces. If the
    user has given the mentions, it is one of these. Shape (end - begin, width).
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
            start, stop = max(first, begin), min(last, end)
            is_span[start - begin : stop - begin] &= band[start - first : stop - first]
    return is_span


def _iter_documents(batch: Batch) -> Iterator[Tuple[int, int, int]]:
    """Iterate over the first and last word, and the number of pieces, of documents."""
    ends = batch.word_ends.tolist()
    n_pieces = np.diff(batch.piece_ends, prepend=0).tolist()
    return zip([0, *ends[:-1]], ends, n_pieces, strict=True)
