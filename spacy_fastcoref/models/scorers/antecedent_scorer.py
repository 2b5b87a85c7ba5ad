"""The antecedent scorer of s2e: how likely two mentions corefer."""

from dataclasses import dataclass
from typing import Tuple

import torch
from torch import Tensor, nn

from ..blocks import register_block
from .layers import Bilinear, MlpBlock, find_repeats
from .spans import Spans, Vectors


@register_block("spacy_fastcoref.S2EAntecedentScorer.v1")
@dataclass(frozen=True)
class S2EAntecedentScorerBlock(MlpBlock):
    """Configure the antecedent scorer of s2e. See MlpBlock for the settings."""

    def build(self, width: int) -> "S2EAntecedentScorer":
        """Build the layer.

        width (int): The width of the encoder's vectors.
        RETURNS (S2EAntecedentScorer): The layer.
        """
        return S2EAntecedentScorer(width, self)


class AntecedentScorer(nn.Module):
    """Define the interface of layers that score pairs of mentions.

    A subclass implements three methods:

    - `represent(spans)` returns the vectors of mentions in the two roles that they
      can have in a pair, anaphor and antecedent.
    - `forward(anaphors, antecedents)` scores each anaphor with each antecedent and
      returns a tensor of shape (n_anaphors, n_antecedents).
    - `score_pairs(anaphors, antecedents)` scores the i-th anaphor with the i-th
      antecedent and returns a tensor of shape (n_pairs,).
    """

    def score_for_training(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score all pairs, with one matrix of scores for each term of the loss.

        A subclass whose parts are also trained on their own, such as the experts of
        LingMess, overrides this method. By default the loss has one term.

        anaphors (Vectors): The vectors of n_anaphors mentions.
        antecedents (Vectors): The vectors of n_antecedents mentions.
        RETURNS (Tensor): Shape (n_terms, n_anaphors, n_antecedents). The first matrix
            is what `forward` returns. A pair that a term leaves out has the score -inf.
        """
        return self(anaphors, antecedents)[None]


class S2EAntecedentScorer(AntecedentScorer):
    """Score a pair of mentions by their first and last word pieces.

    With s and e for the start and the end of the anaphor c and the antecedent q:

        f_a(c, q) = s_c B_ss s_q + s_c B_se e_q + e_c B_es s_q + e_c B_ee e_q

    See Kirstain et al. (2021), section 3, and F-coref (Otmazgin et al. 2022),
    section 3.1.

    width (int): The width of the encoder's vectors.
    settings (MlpBlock): The settings of the MLPs.
    """

    def __init__(self, width: int, settings: MlpBlock) -> None:
        super().__init__()
        hidden_size = settings.hidden_size
        self.start_mlp = settings.make_mlp(width)
        self.end_mlp = settings.make_mlp(width)
        # The anaphor comes first in the names: start_to_end multiplies the anaphor's
        # start with the antecedent's end.
        self.start_to_start = Bilinear(hidden_size)
        self.end_to_end = Bilinear(hidden_size)
        self.start_to_end = Bilinear(hidden_size)
        self.end_to_start = Bilinear(hidden_size)

    def represent(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        """Compute the vectors of mentions as anaphors and as antecedents.

        spans (Spans): The mentions.
        RETURNS (Tuple[Vectors, Vectors]): The vectors as anaphors and as antecedents,
            one tensor each, shape (n_mentions, 2 * hidden_size). The score of a pair is
            the dot product of the anaphor's and the antecedent's vector.
        """
        kept, start_index = find_repeats(spans.start_ids)
        start = self.start_mlp(spans.starts[kept])
        start_products = torch.cat(
            [self.start_to_start(start), self.start_to_end(start)], -1
        )
        kept, end_index = find_repeats(spans.end_ids)
        end = self.end_mlp(spans.ends[kept])
        end_products = torch.cat([self.end_to_start(end), self.end_to_end(end)], -1)
        antecedents = torch.cat([start[start_index], end[end_index]], -1)
        return (start_products[start_index] + end_products[end_index],), (
            antecedents.float(),
        )

    def forward(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score each anaphor with each antecedent.

        anaphors (Vectors): The vectors of n_anaphors mentions.
        antecedents (Vectors): The vectors of n_antecedents mentions.
        RETURNS (Tensor): Shape (n_anaphors, n_antecedents), float32.
        """
        return anaphors[0] @ antecedents[0].T

    def score_pairs(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score the i-th anaphor with the i-th antecedent.

        anaphors (Vectors): The vectors of n_pairs mentions.
        antecedents (Vectors): The vectors of n_pairs mentions.
        RETURNS (Tensor): Shape (n_pairs,), float32.
        """
        return (anaphors[0] * antecedents[0]).sum(-1)
