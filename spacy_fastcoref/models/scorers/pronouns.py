"""The pretraining task of guessing masked pronouns, which needs no annotation."""

from dataclasses import dataclass
from typing import Sequence

from torch import Tensor, nn

from ..blocks import register_block
from .layers import Dense, MlpBlock


@register_block("spacy_fastcoref.PronounHead.v1")
@dataclass(frozen=True)
class PronounHeadBlock(MlpBlock):
    """Configure the layer that guesses masked pronouns.

    pronouns (Sequence[str]): The pronouns to choose from, in lower case. See
        MlpBlock for the other settings.
    """

    pronouns: Sequence[str] = ()

    def build(self, width: int) -> "PronounHead":
        """Build the layer.

        width (int): The width of a mention's vector, the concatenation of its ends.
        RETURNS (PronounHead): The layer.
        """
        return PronounHead(width, self)


class PronounHead(nn.Module):
    """Score each pronoun for the place of a masked mention.

    The layer is a classifier with one hidden layer, see Varkel & Globerson (2020),
    sections 3.2 and A.3. It is used in training only.

    width (int): The width of a mention's vector.
    settings (PronounHeadBlock): The pronouns and the settings of the MLP.
    """

    def __init__(self, width: int, settings: PronounHeadBlock) -> None:
        super().__init__()
        self.names = tuple(settings.pronouns)
        self.mlp = settings.make_mlp(width)
        self.score = Dense(settings.hidden_size, len(self.names))

    def forward(self, mentions: Tensor) -> Tensor:
        """Score all pronouns for each mention.

        mentions (Tensor): Shape (n_mentions, width), the vector of the first word's
            first piece followed by that of the last word's last piece.
        RETURNS (Tensor): Shape (n_mentions, n_pronouns), the logits.
        """
        return self.score(self.mlp(mentions))
