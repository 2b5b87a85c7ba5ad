"""How likely two mentions are the same."""

from dataclasses import dataclass
from typing import Tuple

import torch
from torch import Tensor, nn

from .blocks import register_block
from .layers import Bilinear, MlpBlock


@register_block("spacy_fastcoref.S2EAntecedentScorer.v1")
@dataclass(frozen=True)
class S2EAntecedentScorerBlock(MlpBlock):
    """Describe the antecedent scorer of s2e; its settings are MlpBlock's."""

    def build(self, width: int) -> "S2EAntecedentScorer":
        """Make the layer.

        width (int): The width of the encoder's vectors.
        RETURNS (S2EAntecedentScorer): The layer.
        """
        return S2EAntecedentScorer(width, self)


class S2EAntecedentScorer(nn.Module):
    """Score a pair by four products of ends: f_a(c, q) = a_s B a_s + a_s B a_e + …

    See Kirstain et al. (2021), section 3; F-coref (Otmazgin et al. 2022), 3.1.

    width (int): The width of the encoder's vectors.
    settings (MlpBlock): Those of its layers.
    """

    def __init__(self, width: int, settings: MlpBlock) -> None:
        super().__init__()
        hidden_size = settings.hidden_size
        self.start_mlp = settings.make_mlp(width)
        self.end_mlp = settings.make_mlp(width)
        # Named anaphor to antecedent: start_to_end joins the anaphor's start and
        # the antecedent's end.
        self.start_to_start = Bilinear(hidden_size)
        self.end_to_end = Bilinear(hidden_size)
        self.start_to_end = Bilinear(hidden_size)
        self.end_to_start = Bilinear(hidden_size)

    def represent(self, starts: Tensor, ends: Tensor) -> Tuple[Tensor, Tensor]:
        """Represent mentions as anaphors and as antecedents.

        starts (Tensor): Shape (n_mentions, width), vectors of their first pieces.
        ends (Tensor): Shape (n_mentions, width), vectors of their last pieces.
        RETURNS (Tuple[Tensor, Tensor]): Both of shape (n_mentions, 2 * hidden_size);
            a pair's score is the product of its anaphor's and its antecedent's.
        """
        start, end = self.start_mlp(starts), self.end_mlp(ends)
        to_start = self.start_to_start(start) + self.end_to_start(end)
        to_end = self.end_to_end(end) + self.start_to_end(start)
        return torch.cat([to_start, to_end], -1), torch.cat([start, end], -1)

    def forward(self, anaphors: Tensor, antecedents: Tensor) -> Tensor:
        """Score every anaphor with every antecedent.

        anaphors (Tensor): Shape (n_mentions, 2 * hidden_size).
        antecedents (Tensor): Shape (n_antecedents, 2 * hidden_size).
        RETURNS (Tensor): Shape (n_mentions, n_antecedents).
        """
        return anaphors @ antecedents.T

    def score_pairs(self, anaphors: Tensor, antecedents: Tensor) -> Tensor:
        """Score some pairs.

        anaphors (Tensor): Shape (n_pairs, 2 * hidden_size).
        antecedents (Tensor): Shape (n_pairs, 2 * hidden_size).
        RETURNS (Tensor): Shape (n_pairs,).
        """
        return (anaphors * antecedents).sum(-1)
