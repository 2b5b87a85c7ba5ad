"""How likely a span is a mention."""

from dataclasses import dataclass

from torch import Tensor, nn

from ..blocks import register_block
from .layers import Bilinear, MlpBlock, compute_band


@register_block("spacy_fastcoref.S2EMentionScorer.v1")
@dataclass(frozen=True)
class S2EMentionScorerBlock(MlpBlock):
    """Describe the mention scorer of s2e; its settings are MlpBlock's."""

    def build(self, width: int) -> "S2EMentionScorer":
        """Make the layer.

        width (int): The width of the encoder's vectors.
        RETURNS (S2EMentionScorer): The layer.
        """
        return S2EMentionScorer(width, self)


class S2EMentionScorer(nn.Module):
    """Score a span by its two ends: f_m(q) = v_s·m_s + v_e·m_e + m_s B m_e.

    See Kirstain et al. (2021), section 3; F-coref (Otmazgin et al. 2022), 3.1.

    width (int): The width of the encoder's vectors.
    settings (MlpBlock): Those of its layers.
    """

    def __init__(self, width: int, settings: MlpBlock) -> None:
        super().__init__()
        hidden_size = settings.hidden_size
        self.start_mlp = settings.make_mlp(width)
        self.end_mlp = settings.make_mlp(width)
        self.start_score = nn.Linear(hidden_size, 1)
        self.end_score = nn.Linear(hidden_size, 1)
        self.span_score = Bilinear(hidden_size)

    def forward(self, starts: Tensor, ends: Tensor, max_words: int) -> Tensor:
        """Score every span up to a length.

        starts (Tensor): Shape (n_words, width), vectors of the words' first pieces.
        ends (Tensor): Shape (n_words or more, width), vectors of their last pieces,
            and of those of the words that follow.
        max_words (int): The most words in a span.
        RETURNS (Tensor): Shape (n_words, max_words): at [i, d] the span of words i
            to i + d; meaningless where that is past the last word.
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
        """Score some spans.

        starts (Tensor): Shape (n_spans, width), vectors of the spans' first pieces.
        ends (Tensor): Shape (n_spans, width), vectors of their last pieces.
        RETURNS (Tensor): Shape (n_spans,).
        """
        start, end = self.start_mlp(starts).float(), self.end_mlp(ends).float()
        single = self.start_score(start) + self.end_score(end)
        return single.squeeze(-1) + (self.span_score(start) * end).sum(-1)
