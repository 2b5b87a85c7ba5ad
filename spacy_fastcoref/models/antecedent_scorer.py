"""How likely two mentions are the same."""

from dataclasses import dataclass
from typing import Tuple

import torch
from torch import Tensor, nn

from .blocks import register_block
from .layers import FullyConnected


@register_block("spacy_fastcoref.S2EAntecedentScorer.v1")
@dataclass(frozen=True)
class S2EAntecedentScorerBlock:
    """Describe the antecedent scorer of s2e.

    hidden_size (int): The width of the start and end representations.
    dropout (float): The dropout rate in training.
    activation (str): The activation of their layers.
    eps (float): Their layer norm's epsilon.
    """

    hidden_size: int = 512
    dropout: float = 0.2
    activation: str = "gelu"
    eps: float = 1e-5

    def build(self, width: int) -> "S2EAntecedentScorer":
        """Make the layer.

        width (int): The width of the encoder's vectors.
        RETURNS (S2EAntecedentScorer): The layer.
        """
        return S2EAntecedentScorer(
            width,
            self.hidden_size,
            activation=self.activation,
            eps=self.eps,
            dropout=self.dropout,
        )


class S2EAntecedentScorer(nn.Module):
    """Score a pair by four products of ends: f_a(c, q) = a_s B a_s + a_s B a_e + …

    See Kirstain et al. (2021), section 3; F-coref (Otmazgin et al. 2022), 3.1.

    width (int): The width of the encoder's vectors.
    hidden_size (int): The width of the start and end representations.
    **layer: Passed on to FullyConnected.
    """

    def __init__(self, width: int, hidden_size: int, **layer) -> None:
        super().__init__()
        self.start_mlp = FullyConnected(width, hidden_size, **layer)
        self.end_mlp = FullyConnected(width, hidden_size, **layer)
        # Named anaphor to antecedent: start_to_end joins the anaphor's start and
        # the antecedent's end.
        self.start_to_start = nn.Linear(hidden_size, hidden_size)
        self.end_to_end = nn.Linear(hidden_size, hidden_size)
        self.start_to_end = nn.Linear(hidden_size, hidden_size)
        self.end_to_start = nn.Linear(hidden_size, hidden_size)
        # Sums of products over many dimensions start too large to learn from.
        with torch.no_grad():
            for linear in self.get_bilinears():
                linear.weight /= hidden_size**0.5

    def get_bilinears(self) -> Tuple[nn.Linear, ...]:
        """List the four products' weights."""
        return (
            self.start_to_start,
            self.end_to_end,
            self.start_to_end,
            self.end_to_start,
        )

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
