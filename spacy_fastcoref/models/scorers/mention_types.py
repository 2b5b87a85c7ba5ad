"""Entity types: a head that predicts them, and what they add to the score of a pair."""

from dataclasses import dataclass
from typing import Any, Sequence, Tuple

import torch
from torch import Tensor, nn

from ...errors import Errors
from ..blocks import register_block
from .layers import Dense, MlpBlock
from .spans import Spans, Vectors
from .wrapper_scorer import WrapperScorer


@register_block("spacy_fastcoref.TypeHead.v1")
@dataclass(frozen=True)
class TypeHeadBlock(MlpBlock):
    """Describe the head that predicts entity types; see MlpBlock for other settings.

    types (Sequence[str]): The entity types, such as "person" and "place".
    """

    types: Sequence[str] = ()

    def build(self, width: int) -> "TypeHead":
        """Make the layer.

        width (int): The width of the encoder's vectors.
        RETURNS (TypeHead): The layer.
        """
        return TypeHead(width, self)


class TypeHead(nn.Module):
    """Predict whether a span is a noun phrase that refers, and its entity type.

    It learns from corpora that mark all mentions, those of singletons too. So it tells
    singletons from spans that are no mentions, which the mention scorer of a scheme
    without singletons does not.

    width (int): The width of the encoder's vectors.
    settings (TypeHeadBlock): The settings of its layers, and the types.
    """

    def __init__(self, width: int, settings: TypeHeadBlock) -> None:
        super().__init__()
        # The first class is that of spans that are no mentions.
        self.names = ("", *settings.types)
        self.mlp = settings.make_mlp(2 * width)
        self.score = Dense(settings.hidden_size, len(self.names))

    def forward(self, spans: Spans) -> Tensor:
        """Score the types of spans.

        spans (Spans): The spans.
        RETURNS (Tensor): Shape (n_spans, 1 + n_types), float32, the logits; first that
            of no mention.
        """
        return self.score(self.mlp(torch.cat([spans.starts, spans.ends], -1))).float()


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
        """Make the layer.

        width (int): The width of the encoder's vectors.
        RETURNS (TypeScorer): The layer.
        """
        return TypeScorer(self.scorer.build(width), self.n_types)


class TypeScorer(WrapperScorer):
    """Add to the score of a pair a number for the types of its two mentions.

    With p and q the predicted distributions over the types of anaphor and antecedent,
    it adds p W q. No gradient flows back into the head, which learns from annotated
    types alone.

    scorer (nn.Module): The inner scorer.
    n_types (int): The number of entity types.
    """

    n_own_tensors = 1, 1

    def __init__(self, scorer: nn.Module, n_types: int) -> None:
        super().__init__(scorer)
        # At first types add nothing.
        self.table = nn.Parameter(torch.zeros(1 + n_types, 1 + n_types))

    @property
    def n_types(self) -> int:
        """The number of entity types."""
        return len(self.table) - 1

    def represent(self, spans: Spans) -> Tuple[Vectors, Vectors]:
        """Represent mentions as anaphors and as antecedents.

        spans (Spans): The mentions, with their types.
        RETURNS (Tuple[Vectors, Vectors]): The types, of anaphors multiplied with the
            table, shape (n_mentions, 1 + n_types), and the inner scorer's vectors.
        """
        anaphors, antecedents = self.scorer.represent(spans)
        types = spans.types.to(self.table.dtype)
        return (types @ self.table, *anaphors), (types, *antecedents)

    def compute_term(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Compute the term for each anaphor with each antecedent.

        anaphors (Vectors): The vectors of n_anaphors mentions.
        antecedents (Vectors): The vectors of n_antecedents mentions.
        RETURNS (Tensor): Shape (n_anaphors, n_antecedents).
        """
        return anaphors[0] @ antecedents[0].T

    def compute_pair_terms(self, anaphors: Vectors, antecedents: Vectors) -> Tensor:
        """Compute the term for the i-th anaphor and the i-th antecedent.

        anaphors (Vectors): The vectors of n_pairs mentions.
        antecedents (Vectors): The vectors of n_pairs mentions.
        RETURNS (Tensor): Shape (n_pairs,).
        """
        return (anaphors[0] * antecedents[0]).sum(-1)


def check_types(scorer: nn.Module, head: Any, path: str) -> None:
    """Check that an antecedent scorer and the head know the same number of types.

    scorer (nn.Module): The antecedent scorer.
    head (Optional[TypeHead]): The head, if there is one.
    path (str): Where the configuration was read, for messages.
    RAISES (ValueError): They do not.
    """
    n_types = 0 if head is None else len(head.names) - 1
    for layer in scorer.modules():
        if isinstance(layer, TypeScorer) and layer.n_types != n_types:
            raise ValueError(
                Errors.FC132.format(path=path, n_types=layer.n_types, n_known=n_types)
            )
