"""An antecedent scorer that also sees the distance of two mentions."""

from dataclasses import dataclass
from typing import Any, Tuple

import torch
from torch import Tensor, nn

from ..blocks import register_block
from .antecedent_scorer import AntecedentScorer, WrapperScorer
from .spans import Spans, Vectors


@register_block("spacy_fastcoref.DistanceScorer.v1")
@dataclass(frozen=True)
class DistanceScorerBlock:
    """Configure an antecedent scorer that also sees the distance of two mentions.

    scorer (Any): The block of the antecedent scorer that it adds to.
    """

    scorer: Any

    def build(self, width: int) -> "DistanceScorer":
        return DistanceScorer(self.scorer.build(width), width)


class DistanceScorer(WrapperScorer):
    """Add a term that depends on the distance of two mentions to another score.

    The term is linear in ln(1 + distance), where the distance is counted in words: 1
    for adjacent mentions, and 0 if the anaphor does not start after the antecedent.
    Slope and intercept are computed from the anaphor's vectors: the antecedent of
    "he" is usually near, that of a name may be far. The encoder's vectors do not
    tell the distance, because it encodes the segments of a document separately.
    """

    n_own_tensors = 2, 1

    def __init__(self, scorer: AntecedentScorer, width: int) -> None:
        super().__init__(scorer)
        # Computes the slope and the intercept. Start from the inner scorer's scores.
        self.line = nn.Linear(2 * width, 2)
        nn.init.zeros_(self.line.weight)
        nn.init.zeros_(self.line.bias)

    def represent_own(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        lines = self.line(torch.cat([spans.starts, spans.ends], -1)).float()
        return (spans.firsts, lines), (spans.lasts,)

    def compute_term(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        firsts, lines, *_ = anaphors
        slopes, intercepts = lines[:, None].unbind(-1)
        distances = (firsts[:, None] - antecedents[0]).clamp(min=0).float().log1p_()
        return torch.addcmul(intercepts, slopes, distances)
