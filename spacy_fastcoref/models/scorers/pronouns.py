"""Which pronoun was masked: a task that needs no labels."""

from dataclasses import dataclass
from typing import Sequence

from torch import Tensor, nn

from ..blocks import register_block
from .layers import Dense, MlpBlock


@register_block("spacy_fastcoref.PronounHead.v1")
@dataclass(frozen=True)
class PronounHeadBlock(MlpBlock):
    """Describe the layer that guesses pronouns; see MlpBlock for its other settings.

    pronouns (Sequence[str]): The pronouns to tell apart, in lower case.
    """

    pronouns: Sequence[str] = ()

    def build(self, width: int) -> "PronounHead":
        """Make the layer.

        width (int): The width of a mention's vector, that of both its ends.
        RETURNS (PronounHead): The layer.
        """
        return PronounHead(width, self)


class PronounHead(nn.Module):
    """Guess the pronoun in the place of a mention.

    A network with one hidden layer, see Varkel & Globerson (2020), sections 3.2 and
    A.3. Only training has a use for it.

    width (int): The width of a mention's vector.
    settings (PronounHeadBlock): Those of its layers, and the pronouns.
    """

    def __init__(self, width: int, settings: PronounHeadBlock) -> None:
        super().__init__()
        self.names = tuple(settings.pronouns)
        self.mlp = settings.make_mlp(width)
        self.score = Dense(settings.hidden_size, len(self.names))

    def forward(self, mentions: Tensor) -> Tensor:
        """Score the pronouns.

        mentions (Tensor): Shape (n_mentions, width), the vectors of the first word's
            first piece and of the last word's last piece.
        RETURNS (Tensor): Shape (n_mentions, n_pronouns).
        """
        return self.score(self.mlp(mentions))
