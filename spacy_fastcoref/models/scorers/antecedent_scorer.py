"""How likely two mentions are the same."""

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
    """Describe the antecedent scorer of s2e; its settings are MlpBlock's."""

    def build(self, width: int) -> "S2EAntecedentScorer":
        """Make the layer.

        width (int): The width of the encoder's vectors.
        RETURNS (S2EAntecedentScorer): The layer.
        """
        return S2EAntecedentScorer(width, self)


class AntecedentScorer(nn.Module):
    """The base of what scores pairs of mentions.

    A subclass has `represent(spans)`, which makes of mentions what it needs to know of
    them as anaphors and as antecedents; `forward(anaphors, antecedents)`, the scores
    of all pairs of the two, shape (n_mentions, n_antecedents); and `score_pairs(
    anaphors, antecedents)`, the same number for some pairs, shape (n_pairs,).
    """

    def score_parts(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score every pair in each way that something is to be learned from.

        anaphors (Vectors): Of n_mentions.
        antecedents (Vectors): Of n_antecedents.
        RETURNS (Tensor): Shape (n_parts, n_mentions, n_antecedents), first what
            `forward` returns; -inf for what a part has no say in.
        """
        return self(anaphors, antecedents)[None]


class S2EAntecedentScorer(AntecedentScorer):
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

    def represent(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        """Represent mentions as anaphors and as antecedents.

        spans (Spans): The mentions.
        RETURNS (Tuple[Vectors, Vectors]): One tensor each, shape (n_mentions,
            2 * hidden_size); a pair's score is the product of its anaphor's and its
            antecedent's.
        """
        kept, start_of = find_repeats(spans.start_ids)
        start = self.start_mlp(spans.starts[kept])
        by_start = torch.cat([self.start_to_start(start), self.start_to_end(start)], -1)
        kept, end_of = find_repeats(spans.end_ids)
        end = self.end_mlp(spans.ends[kept])
        by_end = torch.cat([self.end_to_start(end), self.end_to_end(end)], -1)
        antecedents = torch.cat([start[start_of], end[end_of]], -1)
        return (by_start[start_of] + by_end[end_of],), (antecedents.float(),)

    def forward(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score every anaphor with every antecedent.

        anaphors (Vectors): Of n_mentions.
        antecedents (Vectors): Of n_antecedents.
        RETURNS (Tensor): Shape (n_mentions, n_antecedents).
        """
        return anaphors[0] @ antecedents[0].T

    def score_pairs(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score some pairs.

        anaphors (Vectors): Of n_pairs.
        antecedents (Vectors): Of n_pairs.
        RETURNS (Tensor): Shape (n_pairs,).
        """
        return (anaphors[0] * antecedents[0]).sum(-1)
