"""Round weights to 8 bits so that the outputs of linear layers change little."""

import contextlib
import threading
from typing import Dict, Iterator, Optional, Tuple

import torch
from torch import Tensor, nn

MAX_INT = 127
# The number of weights in a row that share a scale. A large weight makes the rounding
# of its whole group coarser.
GROUP = 64
# The number of columns to round before updating the columns after them.
_BLOCK = 128
# The share of the diagonal's mean that is added to the diagonal, so that the matrix can
# be inverted.
_DAMPING = 0.01


def compute_scales(weight: Tensor) -> Tensor:
    """Compute the scale of each group, so that its largest weight is rounded to 127.

    weight (Tensor): Shape (..., n_out, n_in), float32.
    RETURNS (Tensor): Shape (..., n_out, n_groups), bfloat16. Groups have GROUP weights;
        a row whose length is no multiple of GROUP is one group.
    """
    groups = weight.unflatten(-1, (count_groups(weight)[-1], -1))
    # Not 0, since weights are divided by their scales.
    return (groups.abs().amax(-1).clamp_min(1e-30) / MAX_INT).to(torch.bfloat16)


def count_groups(weight: Tensor) -> Tuple[int, ...]:
    """Get the shape of the scales of weights."""
    *others, n_in = weight.shape
    return *others, 1 if n_in % GROUP else n_in // GROUP


def scale_up(rounded: Tensor, scales: Tensor) -> Tensor:
    """Multiply rounded weights by their scales; see round_weights."""
    groups = rounded.float().unflatten(-1, (scales.shape[-1], -1))
    return groups.mul_(scales.float()[..., None]).flatten(-2)


def round_weights(weight: Tensor, scales: Tensor, inputs: Optional[Tensor]) -> Tensor:
    """Round weights to integer multiples of their scales.

    With `inputs`, round one column after another, and change the columns after it to
    compensate for the error in the layer's outputs, as in GPTQ (Frantar et al. 2023,
    algorithm 1). Without `inputs`, round each weight to the nearest multiple.

    weight (Tensor): Shape (..., n_out, n_in), float32.
    scales (Tensor): Shape (..., n_out, n_groups), the scale of each group.
    inputs (Optional[Tensor]): Shape (n_in, n_in), the sum of x xᵀ over the input
        vectors x of the layer.
    RETURNS (Tensor): Shape (..., n_out, n_in), int8, from -127 to 127.
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
    """Compute the upper Cholesky factor of the inverse of the sum of x xᵀ."""
    matrix = inputs.double()
    diagonal = matrix.diagonal()
    # Inputs that are always 0 would make the matrix singular.
    damping = _DAMPING * diagonal.mean() + torch.finfo(torch.float32).eps
    matrix = matrix + damping * torch.eye(len(matrix), dtype=matrix.dtype)
    inverse = torch.cholesky_inverse(torch.linalg.cholesky(matrix))
    return torch.linalg.cholesky(inverse, upper=True).float()


@contextlib.contextmanager
def collect_inputs(network: nn.Module) -> Iterator[Dict[str, Tensor]]:
    """Collect the inputs of a network's linear layers, for `round_weights`.

    YIELDS (Dict[str, Tensor]): For each layer, by the name of its weight, the sum of
        x xᵀ over the layer's input vectors x within the context; shape (n_in, n_in).
    """
    found: Dict[str, Tensor] = {}
    handles = []
    # Several threads run the network on documents at once.
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
