"""Heads that classify mentions: by entity type, and by masked pronoun."""

from dataclasses import dataclass
from typing import Sequence

import torch
from torch import Tensor, nn

from ..blocks import register_block
from .layers import Dense, FullyConnected, MlpBlock
from .spans import Spans


class Head(nn.Module):
    """Classify spans by their two ends, with one hidden layer."""

    def __init__(self, width: int, settings: MlpBlock, names: Sequence[str]) -> None:
        super().__init__()
        self.names = tuple(names)
        self.mlp = FullyConnected(2 * width, settings)
        self.score = Dense(settings.hidden_size, len(self.names))

    def forward(self, spans: Spans) -> Tensor:
        """Compute the logits, shape (n_spans, n_classes), float32."""
        return self.score(self.mlp(torch.cat([spans.starts, spans.ends], -1))).float()


@register_block("spacy_fastcoref.TypeHead.v1")
@dataclass(frozen=True)
class TypeHeadBlock(MlpBlock):
    """Describe the head that predicts entity types; see MlpBlock for other settings.

    It learns from corpora that mark all mentions, those of singletons too. So it tells
    singletons from spans that are no mentions, which the mention scorer of a scheme
    without singletons does not.

    types (Sequence[str]): The entity types, such as "person" and "place".
    """

    types: Sequence[str] = ()

    def build(self, width: int) -> Head:
        # The first class is that of spans that are no mentions.
        return Head(width, self, ("", *self.types))


@register_block("spacy_fastcoref.PronounHead.v1")
@dataclass(frozen=True)
class PronounHeadBlock(MlpBlock):
    """Configure the layer that guesses masked pronouns.

    The task needs no annotation, and is used in training only; see Varkel & Globerson
    (2020), sections 3.2 and A.3.

    pronouns (Sequence[str]): The pronouns to choose from, in lower case. See
        MlpBlock for the other settings.
    """

    pronouns: Sequence[str] = ()

    def build(self, width: int) -> Head:
        return Head(width, self, self.pronouns)
