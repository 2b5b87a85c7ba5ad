"""The scorers of s2e: how likely a span is a mention, and two mentions corefer."""

from dataclasses import dataclass
from typing import Tuple

import torch
from torch import Tensor, nn

from ..blocks import register_block
from .layers import Bilinear, Bilinears, FullyConnected, MlpBlock, find_repeats
from .spans import Spans, Vectors

# Of single pairs, the number that are scored at once, in a table.
_N_PAIRS = 16


@register_block("spacy_fastcoref.S2EMentionScorer.v1")
@dataclass(frozen=True)
class S2EMentionScorerBlock(MlpBlock):
    """Configure the mention scorer of s2e. See MlpBlock for the settings."""

    def build(self, width: int) -> "S2EMentionScorer":
        return S2EMentionScorer(width, self)


class S2EMentionScorer(nn.Module):
    """Score a span by its first and last word pieces.

    With m_s and m_e for the projected vectors of the span's start and end:

        f_m(q) = v_s · m_s + v_e · m_e + m_s B_m m_e

    See Kirstain et al. (2021), section 3, and F-coref (Otmazgin et al. 2022),
    section 3.1.
    """

    def __init__(self, width: int, settings: MlpBlock) -> None:
        super().__init__()
        self.start_mlp = FullyConnected(width, settings)
        self.end_mlp = FullyConnected(width, settings)
        self.start_score = nn.Linear(settings.hidden_size, 1)
        self.end_score = nn.Linear(settings.hidden_size, 1)
        self.span_score = Bilinear(settings.hidden_size)

    def forward(self, starts: Tensor, ends: Tensor, max_words: int) -> Tensor:
        """Score all spans of up to `max_words` words.

        starts, ends (Tensor): Shape (n_words, width), the vectors of each word's first
            and last piece. `ends` may have words that follow, too.
        RETURNS (Tensor): Shape (n_words, max_words), float32: at [i, d] the score of
            the span of words i to i + d; undefined if there is no such word.
        """
        start, end = self.start_mlp(starts).float(), self.end_mlp(ends).float()
        n_missing = len(start) + max_words - 1 - len(end)
        end_scores = nn.functional.pad(self.end_score(end), (0, 0, 0, n_missing))
        return (
            _compute_band(self.span_score(start), end, max_words)
            + self.start_score(start)
            + end_scores.squeeze(-1).unfold(0, max_words, 1)
        )

    def score_spans(self, starts: Tensor, ends: Tensor) -> Tensor:
        """Score single spans by the vectors of their ends, (n_spans, width)."""
        start, end = self.start_mlp(starts).float(), self.end_mlp(ends).float()
        unary_scores = self.start_score(start) + self.end_score(end)
        return unary_scores.squeeze(-1) + (self.span_score(start) * end).sum(-1)


def _compute_band(rows: Tensor, columns: Tensor, width: int, chunk: int = 64) -> Tensor:
    """Compute the upper band of `rows @ columns.T` in linear memory, (n_rows, width).

    At [i, d] is the product of row i and column i + d, or 0 if there is no such column.
    The rows are multiplied in chunks, and the diagonals are read from each product.
    """
    n, n_features = rows.shape
    n_chunks = -(-n // chunk)
    reach = chunk + width - 1
    padded_rows = nn.functional.pad(rows, (0, 0, 0, n_chunks * chunk - n))
    n_missing = (n_chunks - 1) * chunk + reach - len(columns)
    padded = nn.functional.pad(columns, (0, 0, 0, n_missing))
    windows = padded.unfold(0, reach, chunk)
    product = torch.bmm(padded_rows.view(n_chunks, chunk, n_features), windows)
    band = product.as_strided((n_chunks, chunk, width), (chunk * reach, reach + 1, 1))
    return band.reshape(n_chunks * chunk, width)[:n]


class AntecedentScorer(nn.Module):
    """Score pairs of mentions. All scores are float32.

    `forward` scores each anaphor with each antecedent, (n_anaphors, n_antecedents).
    """

    def represent(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        """Compute the vectors of mentions as anaphors and as antecedents."""
        raise NotImplementedError

    def score_pairs(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score the i-th anaphor with the i-th antecedent, at least one."""
        split = ([t.split(_N_PAIRS) for t in side] for side in (anaphors, antecedents))
        parts = zip(*(zip(*side, strict=True) for side in split), strict=True)
        return torch.cat([self(*part).diagonal() for part in parts])

    def score_for_training(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score all pairs for each term of the loss: (n_terms, n_anaphors,
        n_antecedents).

        A subclass whose parts are also trained on their own, such as the experts of
        LingMess, overrides this method. The first matrix is what `forward` returns. A
        pair that a term leaves out has the score -inf.
        """
        return self(anaphors, antecedents)[None]


@register_block("spacy_fastcoref.S2EAntecedentScorer.v1")
@dataclass(frozen=True)
class S2EAntecedentScorerBlock(MlpBlock):
    """Configure the antecedent scorer of s2e. See MlpBlock for the settings."""

    def build(self, width: int) -> "S2EAntecedentScorer":
        return S2EAntecedentScorer(width, self)


class S2EAntecedentScorer(AntecedentScorer):
    """Score a pair of mentions by their first and last word pieces.

    With s and e for the start and the end of the anaphor c and the antecedent q:

        f_a(c, q) = s_c B_ss s_q + s_c B_se e_q + e_c B_es s_q + e_c B_ee e_q

    The score is the dot product of one vector of each mention. See Kirstain et al.
    (2021), section 3, and F-coref (Otmazgin et al. 2022), section 3.1. A number of
    experts can be given, each with products of its own.
    """

    def __init__(self, width: int, settings: MlpBlock, *n_experts: int) -> None:
        super().__init__()
        self.start_mlp = FullyConnected(width, settings, *n_experts)
        self.end_mlp = FullyConnected(width, settings, *n_experts)
        self.shape = -1, *n_experts, settings.hidden_size
        layer = Bilinears if n_experts else Bilinear
        # The anaphor comes first in the names: start_to_end multiplies the anaphor's
        # start with the antecedent's end.
        self.start_to_start = layer(*self.shape[1:])
        self.end_to_end = layer(*self.shape[1:])
        self.start_to_end = layer(*self.shape[1:])
        self.end_to_start = layer(*self.shape[1:])

    def multiply_ends(self, spans: Spans) -> Tuple[Tensor, Tensor]:
        """Compute the vectors whose dot products are scores, those of anaphors first.

        With experts, these have the shape (n_spans, n_experts, 2 * hidden_size).
        """
        kept, index = find_repeats(spans.start_ids)
        start = self.start_mlp(spans.starts[kept]).view(self.shape)
        products = self.start_to_start(start), self.start_to_end(start)
        anaphors, start = torch.cat(products, -1)[index], start[index]
        kept, index = find_repeats(spans.end_ids)
        end = self.end_mlp(spans.ends[kept]).view(self.shape)
        products = self.end_to_start(end), self.end_to_end(end)
        anaphors += torch.cat(products, -1)[index]
        return anaphors, torch.cat([start, end[index]], -1)

    def represent(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        anaphors, antecedents = self.multiply_ends(spans)
        return (anaphors,), (antecedents.float(),)

    def forward(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        return anaphors[0] @ antecedents[0].T
