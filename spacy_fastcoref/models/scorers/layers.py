"""Small layers that several scorers share."""

from dataclasses import dataclass
from typing import Optional, Tuple

import torch
from torch import Tensor, nn

from ..encoders.padding import pad_rows


class Dense(nn.Linear):
    """Apply a linear layer in the dtype of its weights, whatever the input's is."""

    def forward(self, inputs: Tensor) -> Tensor:
        rows = pad_rows(inputs.to(self.weight.dtype))
        found = nn.functional.linear(rows, self.weight, self.bias)
        return found if rows.shape == inputs.shape else found[: len(inputs)]


def find_repeats(ids: Tensor) -> Tuple[Tensor, Tensor]:
    """Find equal rows, those with the same id, to compute each of them only once.

    `layer(rows[kept])[index]` equals `layer(rows)`, except that in training equal
    rows share their dropout mask.
    """
    distinct, index = ids.unique(return_inverse=True)
    places = torch.arange(len(ids), device=ids.device)
    return places.new_empty(len(distinct)).scatter_(0, index, places), index


@dataclass(frozen=True)
class MlpBlock:
    """Hold the settings of the MLPs that project the ends of a span.

    hidden_size (int): The width of their output.
    dropout (Optional[float]): The dropout rate in training; null to use
        `training.dropout` of the config, or `drop` of `nlp.update(drop=...)`. A
        rate that is set here has priority over these.
    activation (str): The name of the activation in transformers.
    eps (float): The epsilon of the layer norm.
    """

    hidden_size: int = 512
    dropout: Optional[float] = 0.2
    activation: str = "gelu"
    eps: float = 1e-5


class FullyConnected(nn.Module):
    """Apply a linear layer, an activation, layer norm and dropout, in this order.

    The layer norm follows the activation, as in s2e (Kirstain et al. 2021). The output
    keeps the dtype of the weights, in which the products that follow are faster.
    Several experts may share the layer.
    """

    def __init__(self, n_in: int, settings: MlpBlock, n_experts: int = 1) -> None:
        super().__init__()
        n_out = n_experts * settings.hidden_size
        self.dense = Dense(n_in, n_out)
        self.activation = nn.GELU()
        if settings.activation != "gelu":
            from transformers.activations import ACT2FN

            self.activation = ACT2FN[settings.activation]
        self.layer_norm = nn.LayerNorm(n_out, eps=settings.eps)
        self.dropout = nn.Dropout(settings.dropout or 0.0)
        # Learner.set_drop sets the rate of such layers.
        self.dropout.is_variable = settings.dropout is None

    def forward(self, inputs: Tensor) -> Tensor:
        return self.dropout(self.layer_norm(self.activation(self.dense(inputs))))


class Bilinear(Dense):
    """Multiply with the weights of a bilinear product, `start @ weights @ end`.

    The layer computes `start @ weights` and returns float32. Its weights and their
    learning rate are multiplied by `width ** -0.5`. Otherwise products of many
    dimensions would be large at first, and training would collapse to "no links".
    """

    def __init__(self, width: int) -> None:
        super().__init__(width, width)
        # A factor of the learning rate; see group_parameters.
        self.learn_rate = width**-0.5
        with torch.no_grad():
            self.weight *= self.learn_rate
            self.bias *= self.learn_rate

    def forward(self, inputs: Tensor) -> Tensor:
        return super().forward(inputs).float()


class Bilinears(nn.Module):
    """Multiply with the weights of one bilinear product an expert, see Bilinear."""

    def __init__(self, n_experts: int, width: int) -> None:
        super().__init__()
        self.learn_rate = width**-0.5
        bound = self.learn_rate * width**-0.5
        self.weight = nn.Parameter(torch.empty(n_experts, width, width))
        self.bias = nn.Parameter(torch.empty(n_experts, width))
        nn.init.uniform_(self.weight, -bound, bound)
        nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, inputs: Tensor) -> Tensor:
        """Multiply the vectors of each expert, shape (n, n_experts, width)."""
        inputs = inputs.transpose(0, 1).to(self.weight.dtype)
        return torch.baddbmm(self.bias[:, None], inputs, self.weight).transpose(0, 1)


def set_precision(network: nn.Module, dtype: torch.dtype) -> None:
    """Set the dtype in which a network's scorers compute their matrix products."""
    for module in network.modules():
        if isinstance(module, (Dense, Bilinears, FullyConnected)):
            module.to(dtype)
