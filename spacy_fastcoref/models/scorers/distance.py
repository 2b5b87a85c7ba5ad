"""An antecedent scorer that also sees the distance of two mentions."""

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
    """Configure an antecedent scorer that also sees the distance of two mentions.

    scorer (Any): The block of the antecedent scorer that it adds to.
    """

    scorer: Any

    def build(self, width: int) -> "DistanceScorer":
        """Build the layer.

        width (int): The width of the encoder's vectors.
        RETURNS (DistanceScorer): The layer.
        """
        return DistanceScorer(self.scorer.build(width), width)


class DistanceScorer(WrapperScorer):
    """Add a term that depends on the distance of two mentions to another score.

    The term is linear in ln(1 + distance), where the distance is counted in words.
    Slope and intercept are computed from the anaphor's vectors: the antecedent of
    "he" is usually near, that of a name may be far. The encoder's vectors do not
    tell the distance, because it encodes the segments of a document separately.

    scorer (nn.Module): The antecedent scorer that it adds to.
    width (int): The width of the encoder's vectors.
    """

    n_own_tensors = 2, 1

    def __init__(self, scorer: nn.Module, width: int) -> None:
        super().__init__(scorer)
        # Computes the slope and the intercept.
        self.line = nn.Linear(2 * width, 2)
        # Start from the scores of the inner scorer.
        nn.init.zeros_(self.line.weight)
        nn.init.zeros_(self.line.bias)

    def represent(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        """Compute the vectors of mentions as anaphors and as antecedents.

        spans (Spans): The mentions.
        RETURNS (Tuple[Vectors, Vectors]): For anaphors the index of the first word,
            shape (n_mentions,), and slope and intercept, shape (n_mentions, 2); for
            antecedents the index of the last word, shape (n_mentions,). The tensors of
            the inner scorer follow.
        """
        anaphors, antecedents = self.scorer.represent(spans)
        lines = self.line(torch.cat([spans.starts, spans.ends], -1)).float()
        return (spans.firsts, lines, *anaphors), (spans.lasts, *antecedents)

    def compute_term(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Compute what is added to the score of each anaphor with each antecedent.

        anaphors (Vectors): The vectors of n_anaphors mentions.
        antecedents (Vectors): The vectors of n_antecedents mentions.
        RETURNS (Tensor): Shape (n_anaphors, n_antecedents), float32.
        """
        firsts, lines, *_ = anaphors
        return self.compute_pair_terms((firsts[:, None], lines[:, None]), antecedents)

    def compute_pair_terms(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Compute what is added to the score of the i-th anaphor and i-th antecedent.

        anaphors (Vectors): The vectors of n_pairs mentions.
        antecedents (Vectors): The vectors of n_pairs mentions.
        RETURNS (Tensor): Shape (n_pairs,), float32.
        """
        slopes, intercepts = anaphors[1].unbind(-1)
        distances = measure_distances(anaphors[0], antecedents[0])
        return torch.addcmul(intercepts, slopes, distances)


def measure_distances(firsts: Tensor, lasts: Tensor) -> Tensor:
    """Compute the log distance between antecedents and anaphors.

    firsts (Tensor): The index of each anaphor's first word.
    lasts (Tensor): The index of each antecedent's last word, of a shape that
        broadcasts with `firsts`.
    RETURNS (Tensor): ln(1 + distance), float32. The distance is 1 for adjacent
        mentions, and 0 if the anaphor does not start after the antecedent, as when
        it is nested in it.
    """
    return (firsts - lasts).clamp(min=0).float().log1p_()
