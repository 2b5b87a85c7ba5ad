"""The base class of antecedent scorers that add a term to another scorer's score."""

from typing import Tuple, Union

import torch
from torch import Tensor, nn

from .antecedent_scorer import AntecedentScorer
from .spans import Vectors


class WrapperScorer(AntecedentScorer):
    """Add a term to the score that another antecedent scorer gives to a pair.

    A subclass implements:

    - `n_own_tensors`: the number of tensors that it puts in front of the inner
      scorer's, for anaphors and for antecedents.
    - `represent(spans)`, see AntecedentScorer.
    - `compute_term(anaphors, antecedents)`: the term for each anaphor with each
      antecedent, shape (n_anaphors, n_antecedents).
    - `compute_pair_terms(anaphors, antecedents)`: the term for the i-th anaphor and
      the i-th antecedent, shape (n_pairs,).

    scorer (nn.Module): The inner scorer. Its attribute has the same name in all
        subclasses, so that weights can be moved between models that wrap it
        differently.
    """

    n_own_tensors: Tuple[int, int]

    def __init__(self, scorer: nn.Module) -> None:
        super().__init__()
        self.scorer = scorer

    def forward(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score each anaphor with each antecedent.

        anaphors (Vectors): The vectors of n_anaphors mentions.
        antecedents (Vectors): The vectors of n_antecedents mentions.
        RETURNS (Tensor): Shape (n_anaphors, n_antecedents), float32.
        """
        inner = self.scorer(*self._drop_own(anaphors, antecedents))
        return inner + self.compute_term(anaphors, antecedents)

    def score_for_training(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score all pairs, with one matrix of scores for each term of the loss.

        anaphors (Vectors): The vectors of n_anaphors mentions.
        antecedents (Vectors): The vectors of n_antecedents mentions.
        RETURNS (Tensor): Shape (n_terms, n_anaphors, n_antecedents): the inner scorer's
            scores. Only the first matrix, the scores of the model, is added to.
        """
        first, *others = self.scorer.score_for_training(
            *self._drop_own(anaphors, antecedents)
        )
        return torch.stack([first + self.compute_term(anaphors, antecedents), *others])

    def score_pairs(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score the i-th anaphor with the i-th antecedent.

        anaphors (Vectors): The vectors of n_pairs mentions.
        antecedents (Vectors): The vectors of n_pairs mentions.
        RETURNS (Tensor): Shape (n_pairs,), float32.
        """
        inner = self.scorer.score_pairs(*self._drop_own(anaphors, antecedents))
        return inner + self.compute_pair_terms(anaphors, antecedents)

    def _drop_own(
        self, anaphors: Vectors, antecedents: Vectors
    ) -> Tuple[Vectors, Vectors]:
        n_anaphor_tensors, n_antecedent_tensors = self.n_own_tensors
        return anaphors[n_anaphor_tensors:], antecedents[n_antecedent_tensors:]

    def compute_term(
        self, anaphors: Vectors, antecedents: Vectors
    ) -> Union[Tensor, float]:
        """Compute the term for all pairs; see the class."""
        raise NotImplementedError

    def compute_pair_terms(
        self, anaphors: Vectors, antecedents: Vectors
    ) -> Union[Tensor, float]:
        """Compute the term for single pairs; see the class."""
        raise NotImplementedError
