"""Antecedent scorers: how likely two mentions corefer."""

from dataclasses import dataclass
from typing import Iterator, Tuple, Union

import torch
from torch import Tensor, nn

from ..blocks import register_block
from .layers import Bilinear, Bilinears, MlpBlock, find_repeats
from .spans import Spans, Vectors

# Of single pairs, the number that are scored at once, in a table.
_N_PAIRS = 16


class AntecedentScorer(nn.Module):
    """Score pairs of mentions. All scores are float32.

    `forward` scores each anaphor with each antecedent, (n_anaphors, n_antecedents).
    """

    def represent(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        """Compute the vectors of mentions as anaphors and as antecedents."""
        raise NotImplementedError

    def score_pairs(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score the i-th anaphor with the i-th antecedent, at least one."""
        sides = anaphors, antecedents
        scores = []
        for begin in range(0, len(anaphors[0]), _N_PAIRS):
            part = slice(begin, begin + _N_PAIRS)
            table = self(*(tuple(tensor[part] for tensor in side) for side in sides))
            scores.append(table.diagonal())
        return torch.cat(scores)

    def score_for_training(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score all pairs for each term of the loss: (n_terms, n_anaphors,
        n_antecedents).

        A subclass whose parts are also trained on their own, such as the experts of
        LingMess, overrides this method. The first matrix is what `forward` returns. A
        pair that a term leaves out has the score -inf.
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
    (2021), section 3, and F-coref (Otmazgin et al. 2022), section 3.1. A number of
    experts can be given, each with products of its own.
    """

    def __init__(self, width: int, settings: MlpBlock, *n_experts: int) -> None:
        super().__init__()
        self.start_mlp = settings.make_mlp(width, *n_experts)
        self.end_mlp = settings.make_mlp(width, *n_experts)
        self.shape = -1, *n_experts, settings.hidden_size
        layer = Bilinears if n_experts else Bilinear
        # The anaphor comes first in the names: start_to_end multiplies the anaphor's
        # start with the antecedent's end.
        self.start_to_start = layer(*self.shape[1:])
        self.end_to_end = layer(*self.shape[1:])
        self.start_to_end = layer(*self.shape[1:])
        self.end_to_start = layer(*self.shape[1:])

    def multiply_ends(self, spans: Spans) -> Tuple[Tensor, Tensor]:
        """Compute the vectors whose dot products are scores, those of anaphors first.

        With experts, these have the shape (n_spans, n_experts, 2 * hidden_size).
        """
        kept, index = find_repeats(spans.start_ids)
        start = self.start_mlp(spans.starts[kept]).view(self.shape)
        products = self.start_to_start(start), self.start_to_end(start)
        anaphors, start = torch.cat(products, -1)[index], start[index]
        kept, index = find_repeats(spans.end_ids)
        end = self.end_mlp(spans.ends[kept]).view(self.shape)
        products = self.end_to_start(end), self.end_to_end(end)
        anaphors += torch.cat(products, -1)[index]
        return anaphors, torch.cat([start, end[index]], -1)

    def represent(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        anaphors, antecedents = self.multiply_ends(spans)
        return (anaphors,), (antecedents.float(),)

    def forward(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        return anaphors[0] @ antecedents[0].T


class WrapperScorer(AntecedentScorer):
    """Add a term to the score that another antecedent scorer gives to a pair.

    A subclass has `n_own_tensors`, the number of tensors that `represent_own` computes
    for anaphors and for antecedents. They come before those of the inner scorer.
    """

    n_own_tensors: Tuple[int, int]

    def __init__(self, scorer: AntecedentScorer) -> None:
        super().__init__()
        # Of one name in all subclasses, so that weights can be moved between models
        # that wrap it differently.
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
        # The other matrices train parts of the inner scorer.
        inner = self._drop_own(anaphors, antecedents)
        first, *others = self.scorer.score_for_training(*inner)
        return torch.stack([first + self.compute_term(anaphors, antecedents), *others])

    def _drop_own(self, *sides: Vectors) -> Iterator[Vectors]:
        return (side[n:] for side, n in zip(sides, self.n_own_tensors, strict=True))
