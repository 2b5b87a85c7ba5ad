"""Round weights to 8 bits so that the outputs of linear layers change little."""

import contextlib
import threading
from typing import Dict, Iterator, Optional

import torch
from torch import Tensor, nn

MAX_INT = 127
# How many weights of a row share a scale: few enough that a large one spoils few.
GROUP = 64
# How many columns are rounded before the others are updated.
_BLOCK = 128
# Added to the diagonal, as a share of its mean, so that the matrix can be inverted.
_DAMPING = 0.01


def find_scales(weight: Tensor) -> Tensor:
    """Find the scale of each group of weights, by which its largest one becomes 127.

    weight (Tensor): Shape (..., n_out, n_in), float32.
    RETURNS (Tensor): Shape (..., n_out, n_groups), bfloat16; groups of GROUP weights,
        or one group a row where these do not divide it.
    """
    groups = weight.unflatten(-1, (-1, get_group_size(weight.shape[-1])))
    # Not 0, which nothing can be divided by.
    return (groups.abs().amax(-1).clamp_min(1e-30) / MAX_INT).to(torch.bfloat16)


def get_group_size(n_in: int) -> int:
    """Get the number of weights that share a scale.

    n_in (int): The length of a row.
    RETURNS (int): The size of its groups.
    """
    return n_in if n_in % GROUP else GROUP


def scale_up(rounded: Tensor, scales: Tensor) -> Tensor:
    """Multiply rounded weights with their scales.

    rounded (Tensor): Shape (..., n_out, n_in).
    scales (Tensor): Shape (..., n_out, n_groups).
    RETURNS (Tensor): Shape (..., n_out, n_in), float32.
    """
    size = rounded.shape[-1] // scales.shape[-1]
    return rounded.float() * scales.float().repeat_interleave(size, -1)


def round_weights(weight: Tensor, scales: Tensor, inputs: Optional[Tensor]) -> Tensor:
    """Round weights to whole multiples of their scales.

    With `inputs`, columns are rounded one after another, and the columns that follow
    make up for the error in the layer's outputs, as in GPTQ (Frantar et al. 2023,
    algorithm 1). Without, each weight is rounded to the nearest multiple.

    weight (Tensor): Shape (..., n_out, n_in), float32.
    scales (Tensor): Shape (..., n_out, n_groups), the scale of each group.
    inputs (Optional[Tensor]): Shape (n_in, n_in), the sum of x xᵀ over vectors x that
        the layer is applied to.
    RETURNS (Tensor): The shape of the weights, int8, from -127 to 127.
    """
    divisor = scale_up(torch.ones_like(weight), scales)
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
            rounded[:, column] = _round(left[:, column] / divisor[:, column])
            error = left[:, column] - rounded[:, column] * divisor[:, column]
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
    # Documents are computed side by side.
    lock = threading.Lock()

    def watch(name: str, layer: nn.Linear) -> None:
        def add(module: nn.Module, args: tuple) -> None:
            rows = args[0].detach().flatten(0, -2).float()
            product = rows.T @ rows
            with lock:
                found[name] = found[name] + product if name in found else product

        handles.append(layer.register_forward_pre_hook(add))

    for name, layer in network.named_modules():
        if isinstance(layer, nn.Linear):
            watch(f"{name}.weight", layer)
    try:
        yield found
    finally:
        for handle in handles:
            handle.remove()
