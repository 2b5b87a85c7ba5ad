"""The small layers that scorers are made of."""

from dataclasses import dataclass
from typing import Iterator, Optional, Tuple

import torch
from torch import Tensor, nn
from transformers.activations import ACT2FN

from ..encoders.padding import pad_rows


class Dense(nn.Linear):
    """Multiply in the precision of the weights, whatever that of the input is."""

    def forward(self, inputs: Tensor) -> Tensor:
        rows = pad_rows(inputs.to(self.weight.dtype))
        return super().forward(rows)[: len(inputs)]


class FullyConnected(nn.Module):
    """Apply linear, activation, layer norm and dropout, in this order.

    The norm comes after the activation, as in s2e (Kirstain et al. 2021). What comes
    out is in the precision of the weights: what follows multiplies it, and in float32
    the activation and the norm of seven experts take longer than their product.

    n_in (int): The width of the input.
    n_out (int): The width of the output.
    activation (str): The name of the activation, as transformers knows it.
    eps (float): The layer norm's epsilon.
    dropout (Optional[float]): The dropout rate in training; None for that of
        `nlp.update(drop=...)`.
    """

    def __init__(
        self,
        n_in: int,
        n_out: int,
        *,
        activation: str,
        eps: float,
        dropout: Optional[float],
    ) -> None:
        super().__init__()
        self.dense = Dense(n_in, n_out)
        self.activation = ACT2FN[activation]
        self.layer_norm = nn.LayerNorm(n_out, eps=eps)
        self.dropout = nn.Dropout(dropout or 0.0)
        if dropout is None:
            mark_variable_dropout(self.dropout)

    def forward(self, inputs: Tensor) -> Tensor:
        return self.dropout(self.layer_norm(self.activation(self.dense(inputs))))


def mark_variable_dropout(layer: nn.Dropout) -> None:
    """Mark a layer whose rate is that of `nlp.update(drop=...)`.

    layer (torch.nn.Dropout): The layer.
    """
    layer.is_variable = True


def iter_variable_dropout(network: nn.Module) -> Iterator[nn.Dropout]:
    """Iterate over the layers whose rate is that of `nlp.update(drop=...)`.

    network (torch.nn.Module): The network, or a part of it.
    YIELDS (torch.nn.Dropout): The layers.
    """
    for layer in network.modules():
        if getattr(layer, "is_variable", False):
            yield layer


def find_repeats(ids: Tensor) -> Tuple[Tensor, Tensor]:
    """Find rows that are the same, so that a layer need see but one of them.

    What comes of it is layer(rows[kept])[index]; in training, they share dropout.

    ids (Tensor): Shape (n,), the same number only for rows that are the same.
    RETURNS (Tuple[Tensor, Tensor]): Which rows to keep, one of each kind, shape
        (n_kept,), and which of these each row is like, shape (n,).
    """
    known, index = ids.unique(return_inverse=True)
    places = torch.arange(len(ids), device=ids.device)
    return places.new_empty(len(known)).scatter_(0, index, places), index


@dataclass(frozen=True)
class MlpBlock:
    """Hold the settings of the layers that represent the ends of a span.

    hidden_size (int): The width of the representations.
    dropout (Optional[float]): The dropout rate in training; null for the rate of the
        update, which is `training.dropout` in a config and `drop` in
        `nlp.update(drop=...)`. A rate that is set stays, whatever the update's is.
    activation (str): The name of the activation.
    eps (float): The layer norm's epsilon.
    """

    hidden_size: int = 512
    dropout: Optional[float] = 0.2
    activation: str = "gelu"
    eps: float = 1e-5

    def make_mlp(self, width: int) -> FullyConnected:
        """Make one such layer.

        width (int): The width of the encoder's vectors.
        RETURNS (FullyConnected): The layer.
        """
        return FullyConnected(
            width,
            self.hidden_size,
            activation=self.activation,
            eps=self.eps,
            dropout=self.dropout,
        )


class Bilinear(Dense):
    """Hold the weights of a bilinear product, start @ weights @ end, in float32.

    The product is a sum over many dimensions. With the usual weights and learning
    rate it would start large and change by leaps, and training would collapse to "no
    links", so both are divided by its deviation: the same as a product that is divided,
    but in weights that fastcoref's checkpoints have, too.

    width (int): The width of both sides.
    """

    def __init__(self, width: int) -> None:
        super().__init__(width, width)
        # The share of the learning rate; see group_parameters.
        self.learn_rate = width**-0.5
        with torch.no_grad():
            self.weight *= self.learn_rate
            self.bias *= self.learn_rate

    def forward(self, inputs: Tensor) -> Tensor:
        return super().forward(inputs).float()


class Bilinears(nn.Module):
    """Hold the weights of a bilinear product for each expert, start @ weights @ end.

    They start small and learn slowly, for the reasons that Bilinear gives.

    n_experts (int): The number of experts.
    width (int): The width of both sides.
    """

    def __init__(self, n_experts: int, width: int) -> None:
        super().__init__()
        self.learn_rate = width**-0.5
        bound = self.learn_rate * width**-0.5
        self.weight = nn.Parameter(torch.empty(n_experts, width, width))
        self.bias = nn.Parameter(torch.empty(n_experts, width))
        nn.init.uniform_(self.weight, -bound, bound)
        nn.init.uniform_(self.bias, -bound, bound)

    def forward(self, inputs: Tensor) -> Tensor:
        """Multiply with each expert's weights, in their precision.

        inputs (Tensor): Shape (n_experts, n, width).
        RETURNS (Tensor): Shape (n_experts, n, width).
        """
        inputs = inputs.to(self.weight.dtype)
        return torch.baddbmm(self.bias[:, None], inputs, self.weight)


def set_precision(network: nn.Module, dtype: torch.dtype) -> None:
    """Let the products of a network's scorers be computed in another precision.

    network (torch.nn.Module): The network.
    dtype (torch.dtype): The precision of the weights that are multiplied.
    """
    for module in network.modules():
        if isinstance(module, (Dense, Bilinears, FullyConnected)):
            module.to(dtype)


def compute_band(rows: Tensor, columns: Tensor, width: int, chunk: int = 64) -> Tensor:
    """Multiply each row with the columns at its own place and the next ones.

    The same numbers as the upper band of rows @ columns.T, in linear memory: the
    rows are multiplied in chunks and the diagonals read from each product.

    rows (Tensor): Shape (n, n_features).
    columns (Tensor): Shape (n or more, n_features).
    width (int): How many columns each row is multiplied with.
    chunk (int): Rows in one product.
    RETURNS (Tensor): Shape (n, width); what lies past the last column is 0.
    """
    n, n_features = rows.shape
    n_chunks = -(-n // chunk)
    reach = chunk + width - 1
    padded_rows = nn.functional.pad(rows, (0, 0, 0, n_chunks * chunk - n))
    n_missing = (n_chunks - 1) * chunk + reach - len(columns)
    padded = nn.functional.pad(columns, (0, 0, 0, n_missing))
    windows = padded.unfold(0, reach, chunk)
    product = torch.bmm(padded_rows.view(n_chunks, chunk, n_features), windows)
    band = product.as_strided((n_chunks, chunk, width), (chunk * reach, reach + 1, 1))
    return band.reshape(n_chunks * chunk, width)[:n]
