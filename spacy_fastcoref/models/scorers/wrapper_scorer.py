"""Antecedent scorers that add to what another one says."""

from typing import Tuple, Union

import torch
from torch import Tensor, nn

from .antecedent_scorer import AntecedentScorer
from .spans import Vectors


class WrapperScorer(AntecedentScorer):
    """The base of what adds to the score of a pair.

    A subclass has `n_own`, how many tensors of an anaphor's and of an antecedent's side
    are its own, which come before the inner scorer's; `represent`; `add(anaphors,
    antecedents)` for all pairs, shape (n_mentions, n_antecedents); and `add_pairs(
    anaphors, antecedents)` for some, shape (n_pairs,).

    scorer (nn.Module): The inner scorer. That it is found by this name is what lets
        weights move between models with other scorers around it.
    """

    n_own: Tuple[int, int]

    def __init__(self, scorer: nn.Module) -> None:
        super().__init__()
        self.scorer = scorer

    def forward(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score every anaphor with every antecedent.

        anaphors (Vectors): Of n_mentions.
        antecedents (Vectors): Of n_antecedents.
        RETURNS (Tensor): Shape (n_mentions, n_antecedents).
        """
        inner = self.scorer(*self._drop_own(anaphors, antecedents))
        return inner + self.add(anaphors, antecedents)

    def score_parts(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score every pair in each way that something is to be learned from.

        anaphors (Vectors): Of n_mentions.
        antecedents (Vectors): Of n_antecedents.
        RETURNS (Tensor): Shape (n_parts, n_mentions, n_antecedents): the inner
            scorer's; what is added has a say in the first.
        """
        first, *others = self.scorer.score_parts(*self._drop_own(anaphors, antecedents))
        return torch.stack([first + self.add(anaphors, antecedents), *others])

    def score_pairs(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Score some pairs.

        anaphors (Vectors): Of n_pairs.
        antecedents (Vectors): Of n_pairs.
        RETURNS (Tensor): Shape (n_pairs,).
        """
        inner = self.scorer.score_pairs(*self._drop_own(anaphors, antecedents))
        return inner + self.add_pairs(anaphors, antecedents)

    def _drop_own(
        self, anaphors: Vectors, antecedents: Vectors
    ) -> Tuple[Vectors, Vectors]:
        mine, theirs = self.n_own
        return anaphors[mine:], antecedents[theirs:]

    def add(self, anaphors: Vectors, antecedents: Vectors) -> Union[Tensor, float]:
        """Tell what is added to all pairs; see the class."""
        raise NotImplementedError

    def add_pairs(
        self, anaphors: Vectors, antecedents: Vectors
    ) -> Union[Tensor, float]:
        """Tell what is added to some pairs; see the class."""
        raise NotImplementedError
