"""The mention scorer of s2e: how likely a span is a mention."""

from dataclasses import dataclass

from torch import Tensor, nn

from ..blocks import register_block
from .layers import Bilinear, MlpBlock, compute_band


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
        self.start_mlp = settings.make_mlp(width)
        self.end_mlp = settings.make_mlp(width)
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
            compute_band(self.span_score(start), end, max_words)
            + self.start_score(start)
            + end_scores.squeeze(-1).unfold(0, max_words, 1)
        )

    def score_spans(self, starts: Tensor, ends: Tensor) -> Tensor:
        """Score single spans by the vectors of their ends, (n_spans, width)."""
        start, end = self.start_mlp(starts).float(), self.end_mlp(ends).float()
        unary_scores = self.start_score(start) + self.end_score(end)
        return unary_scores.squeeze(-1) + (self.span_score(start) * end).sum(-1)
