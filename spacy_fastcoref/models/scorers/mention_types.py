"""An antecedent scorer that also sees the predicted entity types of both mentions."""

from dataclasses import dataclass
from typing import Any, Optional, Tuple

import torch
from torch import Tensor, nn

from ...errors import check_setting
from ..blocks import register_block
from .antecedent_scorer import AntecedentScorer, WrapperScorer
from .heads import Head
from .spans import Spans, Vectors


@register_block("spacy_fastcoref.TypeScorer.v1")
@dataclass(frozen=True)
class TypeScorerBlock:
    """Describe an antecedent scorer that uses the types of both mentions.

    The model needs a TypeHead as its `mention_types`.

    scorer (Any): The block of the inner scorer.
    n_types (int): The number of entity types of the TypeHead.
    """

    scorer: Any
    n_types: int = 10

    def build(self, width: int) -> "TypeScorer":
        return TypeScorer(self.scorer.build(width), self.n_types)


class TypeScorer(WrapperScorer):
    """Add to the score of a pair a number for the types of its two mentions.

    With p and q the predicted distributions over the types of anaphor and antecedent,
    it adds p W q. No gradient flows back into the head, which learns from annotated
    types alone.
    """

    n_own_tensors = 1, 1

    def __init__(self, scorer: AntecedentScorer, n_types: int) -> None:
        super().__init__(scorer)
        self.n_types = n_types
        # At first types add nothing.
        self.table = nn.Parameter(torch.zeros(1 + n_types, 1 + n_types))

    def represent_own(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        types = spans.types.to(self.table.dtype)
        return (types @ self.table,), (types,)

    def compute_term(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        return anaphors[0] @ antecedents[0].T


def check_types(scorer: nn.Module, head: Optional[Head], path: str) -> None:
    """Check that antecedent scorer and head know the same number of types."""
    n_types = 0 if head is None else len(head.names) - 1
    for layer in scorer.modules():
        if isinstance(layer, TypeScorer):
            expected = f"{n_types}, the number of `mention_types` in '{path}'"
            check_setting("n_types", layer.n_types, layer.n_types == n_types, expected)
