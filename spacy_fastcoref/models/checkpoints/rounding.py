"""Round weights to 8 bits so that the outputs of linear layers change little."""

import contextlib
from typing import Dict, Iterator, Optional

import torch
from torch import Tensor, nn

MAX_INT = 127
# How many columns are rounded before the others are updated.
_BLOCK = 128
# Added to the diagonal, as a share of its mean, so that the matrix can be inverted.
_DAMPING = 0.01


def round_rows(weight: Tensor, scale: Tensor, inputs: Optional[Tensor]) -> Tensor:
    """Round the rows of a weight matrix to whole multiples of their scales.

    With `inputs`, columns are rounded one after another, and the columns that follow
    make up for the error in the layer's outputs, as in GPTQ (Frantar et al. 2023,
    algorithm 1). Without, each weight is rounded to the nearest multiple.

    weight (Tensor): Shape (..., n_out, n_in), float32.
    scale (Tensor): Shape (..., n_out), the scale of each row.
    inputs (Optional[Tensor]): Shape (n_in, n_in), the sum of x xᵀ over vectors x that
        the layer is applied to.
    RETURNS (Tensor): The shape of the weights, int8, from -127 to 127.
    """
    divisor = scale.float()[..., None]
    if inputs is None or weight.dim() != 2:
        return _round(weight / divisor).to(torch.int8)
    factors = _factorize(inputs)
    left = weight.clone()
    rounded = torch.empty_like(weight)
    n_in = weight.shape[1]
    for begin in range(0, n_in, _BLOCK):
        end = min(begin + _BLOCK, n_in)
        errors = torch.empty_like(weight[:, begin:end])
        for column in range(begin, end):
            rounded[:, column] = _round(left[:, column] / divisor[:, 0])
            error = left[:, column] - rounded[:, column] * divisor[:, 0]
            error /= factors[column, column]
            left[:, column:end] -= error[:, None] * factors[column, column:end]
            errors[:, column - begin] = error
        left[:, end:] -= errors @ factors[begin:end, end:]
    return rounded.to(torch.int8)


def _round(values: Tensor) -> Tensor:
    return values.round().clamp(-MAX_INT, MAX_INT)


def _factorize(inputs: Tensor) -> Tensor:
    """Compute the upper Cholesky factor of the inverse of the inputs' matrix."""
    matrix = inputs.double()
    diagonal = matrix.diagonal()
    # Inputs that are always 0 say nothing of their weights.
    damping = _DAMPING * diagonal.mean() + torch.finfo(torch.float32).eps
    matrix = matrix + damping * torch.eye(len(matrix), dtype=matrix.dtype)
    inverse = torch.cholesky_inverse(torch.linalg.cholesky(matrix))
    return torch.linalg.cholesky(inverse, upper=True).float()


@contextlib.contextmanager
def collect_inputs(network: nn.Module) -> Iterator[Dict[str, Tensor]]:
    """Sum up what the linear layers of a network are applied to.

    network (torch.nn.Module): The network.
    YIELDS (Dict[str, Tensor]): By the name of each layer's weight, the sum of x xᵀ over
        the vectors x that the layer is applied to within the context.
    """
    found: Dict[str, Tensor] = {}
    handles = []

    def watch(name: str, layer: nn.Linear) -> None:
        def add(module: nn.Module, args: tuple) -> None:
            rows = args[0].detach().flatten(0, -2).float()
            if name not in found:
                found[name] = rows.new_zeros((layer.in_features, layer.in_features))
            found[name].addmm_(rows.T, rows)

        handles.append(layer.register_forward_pre_hook(add))

    for name, layer in network.named_modules():
        if isinstance(layer, nn.Linear):
            watch(f"{name}.weight", layer)
    try:
        yield found
    finally:
        for handle in handles:
            handle.remove()
