"""Antecedent scorers: how likely two mentions corefer."""

from dataclasses import dataclass
from typing import Tuple, Union

import torch
from torch import Tensor, nn

from ..blocks import register_block
from .layers import Bilinear, MlpBlock, find_repeats
from .spans import Spans, Vectors

# Of single pairs, the number that are scored at once, in a table.
_N_PAIRS = 16


class AntecedentScorer(nn.Module):
    """Score pairs of mentions. All scores are float32."""

    def represent(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        """Compute the vectors of mentions in the two roles that they have in a pair.

        RETURNS (Tuple[Vectors, Vectors]): Their vectors as anaphors and as antecedents.
        """
        raise NotImplementedError

    def forward(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score each anaphor with each antecedent.

        RETURNS (Tensor): Shape (n_anaphors, n_antecedents).
        """
        raise NotImplementedError

    def score_pairs(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score the i-th anaphor with the i-th antecedent, at least one.

        RETURNS (Tensor): Shape (n_pairs,).
        """
        sides = anaphors, antecedents
        scores = []
        for begin in range(0, len(anaphors[0]), _N_PAIRS):
            part = slice(begin, begin + _N_PAIRS)
            table = self(*(tuple(tensor[part] for tensor in side) for side in sides))
            scores.append(table.diagonal())
        return torch.cat(scores)

    def score_for_training(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score all pairs, with one matrix of scores for each term of the loss.

        A subclass whose parts are also trained on their own, such as the experts of
        LingMess, overrides this method. By default the loss has one term.

        RETURNS (Tensor): Shape (n_terms, n_anaphors, n_antecedents). The first matrix
            is what `forward` returns. A pair that a term leaves out has the score -inf.
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
    (2021), section 3, and F-coref (Otmazgin et al. 2022), section 3.1.
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
        return anaphors[0] @ antecedents[0].T


class WrapperScorer(AntecedentScorer):
    """Add a term to the score that another antecedent scorer gives to a pair.

    A subclass has `n_own_tensors`, the number of tensors that `represent_own` computes
    for anaphors and for antecedents. They come before those of the inner scorer.

    scorer (AntecedentScorer): The inner scorer. Its attribute has the same name in all
        subclasses, so that weights can be moved between models that wrap it
        differently.
    """

    n_own_tensors: Tuple[int, int]

    def __init__(self, scorer: AntecedentScorer) -> None:
        super().__init__()
        self.scorer = scorer

    def represent_own(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        """Compute what the term needs of mentions; see AntecedentScorer.represent."""
        raise NotImplementedError

    def compute_term(
        self, anaphors: Vectors, antecedents: Vectors
    ) -> Union[Tensor, float]:
        """Compute the term for each anaphor with each antecedent; see forward."""
        raise NotImplementedError

    def represent(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        inner = self.scorer.represent(spans)
        own = self.represent_own(spans)
        return (*own[0], *inner[0]), (*own[1], *inner[1])

    def forward(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        inner = self.scorer(*self._drop_own(anaphors, antecedents))
        return inner + self.compute_term(anaphors, antecedents)

    def score_for_training(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        first, *others = self.scorer.score_for_training(
            *self._drop_own(anaphors, antecedents)
        )
        # The other matrices train parts of the inner scorer.
        return torch.stack([first + self.compute_term(anaphors, antecedents), *others])

    def _drop_own(
        self, anaphors: Vectors, antecedents: Vectors
    ) -> Tuple[Vectors, Vectors]:
        n_anaphor_tensors, n_antecedent_tensors = self.n_own_tensors
        return anaphors[n_anaphor_tensors:], antecedents[n_antecedent_tensors:]
