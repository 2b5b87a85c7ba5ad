"""What a network says in training."""

from dataclasses import dataclass, replace
from typing import Optional, Sequence, Tuple

import numpy as np
from torch import Tensor


@dataclass
class TrainScores:
    """Hold what the network says of one document in training.

    band (Tensor): Shape (n_words, max_span_length), the mention scores, -inf for what
        is no candidate.
    pairs (Tensor): Shape (n_parts, n_mentions, n_mentions), the score of every mention
        with every earlier one, -inf elsewhere; see AntecedentScorer.score_parts.
    starts (Tensor): Shape (n_mentions,), each kept mention's first word.
    ends (Tensor): Shape (n_mentions,), its last word.
    tokens (numpy.ndarray): Shape (n_words,), each word's index among the tokens.
    pronouns (Optional[Tensor]): Shape (n_mentions, n_pronouns), how well each pronoun
        fits in the place of a mention; None from a model without a pronoun head.
    pronoun_names (Sequence[str]): The pronouns that are told apart.
    """

    band: Tensor
    pairs: Tensor
    starts: Tensor
    ends: Tensor
    tokens: np.ndarray
    pronouns: Optional[Tensor] = None
    pronoun_names: Sequence[str] = ()

    @property
    def tensors(self) -> Tuple[Tensor, ...]:
        """List what the loss has gradients for."""
        if self.pronouns is None:
            return self.band, self.pairs
        return self.band, self.pairs, self.pronouns

    def detach(self) -> "TrainScores":
        """Detach the scores from the network.

        RETURNS (TrainScores): The same numbers, as leaves of a graph of their own.
        """
        leaves = [tensor.detach().requires_grad_() for tensor in self.tensors]
        return replace(self, **dict(zip(_TENSORS, leaves, strict=False)))


# In the order of TrainScores.tensors.
_TENSORS = ("band", "pairs", "pronouns")
