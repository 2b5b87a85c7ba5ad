"""Learned weighted average of an encoder's last layers."""

from typing import Sequence

import torch
from torch import Tensor, nn


class LayerMix(nn.Module):
    """Average layers by weights that sum to 1, and scale the average.

    See Kantor & Globerson (2019), section 4, and ELMo (Peters et al. 2018), equation
    1. The weights are equal at first.

    n_layers (int): The number of layers.
    """

    # The same learning rate as the scorers, since these weights are also untrained.
    learn_rate = 1.0

    def __init__(self, n_layers: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(n_layers))
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, layers: Sequence[Tensor]) -> Tensor:
        """Compute the scaled average of layers.

        layers (Sequence[Tensor]): The outputs of n_layers layers, all of one shape.
        RETURNS (Tensor): The same shape, float32, so that it is not rounded twice.
        """
        shares = self.scale.float() * self.weights.float().softmax(0)
        return sum(
            share * layer.float() for share, layer in zip(shares, layers, strict=True)
        )
