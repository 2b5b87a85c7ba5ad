"""How far apart two mentions are: of two that fit alike the nearer one is likelier."""

from dataclasses import dataclass
from typing import Any, Tuple

import torch
from torch import Tensor, nn

from ..blocks import register_block
from .spans import Spans, Vectors
from .wrapper_scorer import WrapperScorer


@register_block("spacy_fastcoref.DistanceScorer.v1")
@dataclass(frozen=True)
class DistanceScorerBlock:
    """Describe an antecedent scorer that knows how far apart mentions are.

    scorer (Any): The block of the inner scorer.
    """

    scorer: Any

    def build(self, width: int) -> "DistanceScorer":
        """Make the layer.

        width (int): The width of the encoder's vectors.
        RETURNS (DistanceScorer): The layer.
        """
        return DistanceScorer(self.scorer.build(width), width)


class DistanceScorer(WrapperScorer):
    """Add to the score of a pair what its distance tells.

    That is a line over the logarithm of the number of words between the two. The
    anaphor decides which one: "he" is seldom far from what it stands for, a name may
    be. Vectors do not tell distances, as segments are encoded apart.

    scorer (nn.Module): The inner scorer.
    width (int): The width of the encoder's vectors.
    """

    n_own = 2, 1

    def __init__(self, scorer: nn.Module, width: int) -> None:
        super().__init__(scorer)
        # The line's slope and its intercept.
        self.line = nn.Linear(2 * width, 2)
        # At first distances say nothing.
        nn.init.zeros_(self.line.weight)
        nn.init.zeros_(self.line.bias)

    def represent(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        """Represent mentions as anaphors and as antecedents.

        spans (Spans): The mentions.
        RETURNS (Tuple[Vectors, Vectors]): Of anaphors the first words, shape
            (n_mentions,), and the lines, shape (n_mentions, 2), of antecedents the last
            words; and what the inner scorer has.
        """
        anaphors, antecedents = self.scorer.represent(spans)
        lines = self.line(torch.cat([spans.starts, spans.ends], -1)).float()
        return (spans.firsts, lines, *anaphors), (spans.lasts, *antecedents)

    def add(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Tell what distances add to all pairs.

        anaphors (Vectors): Of n_mentions.
        antecedents (Vectors): Of n_antecedents.
        RETURNS (Tensor): Shape (n_mentions, n_antecedents).
        """
        firsts, lines, *_ = anaphors
        return self.add_pairs((firsts[:, None], lines[:, None]), antecedents)

    def add_pairs(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Tell what distances add to some pairs.

        anaphors (Vectors): Of n_pairs.
        antecedents (Vectors): Of n_pairs.
        RETURNS (Tensor): Shape (n_pairs,).
        """
        slopes, intercepts = anaphors[1].unbind(-1)
        distances = measure_distances(anaphors[0], antecedents[0])
        return torch.addcmul(intercepts, slopes, distances)


def measure_distances(firsts: Tensor, lasts: Tensor) -> Tensor:
    """Measure how far mentions are behind others.

    firsts (Tensor): Their first words.
    lasts (Tensor): The others' last words, of a shape that goes with it.
    RETURNS (Tensor): ln(1 + n), float32; n is 1 for neighbours, and 0 for what is not
        behind, such as a mention inside another.
    """
    return (firsts - lasts).clamp(min=0).float().log1p_()
