"""Storage formats, in which weights take less space than in float32."""

import contextlib
import threading
from functools import partial
from typing import Any, Dict, Iterator, NamedTuple, Optional, Tuple

import torch
from torch import Tensor, nn

from ...errors import check_known
from ...registry import registry

Tensors = Dict[str, Tensor]
# The key of a model's configuration for the name of the format. Without it, weights are
# stored as they are.
STORAGE = "storage"
_SCALE = ":scale"
_MAX_INT = 127
# The number of weights in a row that share a scale. A large weight makes the rounding
# of its whole group coarser.
_GROUP = 64
# The number of columns to round before updating the columns after them.
_BLOCK = 128
# The share of the diagonal's mean that is added to the diagonal, so that the matrix can
# be inverted.
_DAMPING = 0.01


class Stored(NamedTuple):
    """Hold weights in a storage format."""

    name: str
    tensors: Tensors


class Float16:
    """Store floating-point weights in float16, and load them in that type."""

    def encode(self, tensors: Tensors, inputs: Optional[Tensors] = None) -> Tensors:
        return {
            name: tensor.half() if tensor.is_floating_point() else tensor
            for name, tensor in tensors.items()
        }

    def decode(self, tensors: Tensors) -> Tensors:
        return tensors


class Int8Groups:
    """Store matrices in 8 bits, with a scale for each 64 weights.

    Weights are loaded in float32, and the model computes in the same precision as with
    full weights. Vectors, such as biases, and small matrices are stored in float16.
    """

    # Smaller matrices are stored in float16: they take little space, and predictions
    # depend much on some of them.
    min_size = 1 << 16

    def encode(self, tensors: Tensors, inputs: Optional[Tensors] = None) -> Tensors:
        """Convert weights to the tensors of a file.

        inputs (Optional[Dict[str, Tensor]]): For linear layers, by the names of their
            weights, the sum of x xᵀ over the layer's input vectors x, shape
            (n_in, n_in). Rounding uses it to change the layer's outputs little.
        """
        found = {}
        for name, tensor in tensors.items():
            if not tensor.is_floating_point():
                found[name] = tensor
            elif tensor.dim() < 2 or tensor.numel() < self.min_size:
                found[name] = tensor.half()
            else:
                tensor = tensor.float()
                groups = tensor.unflatten(-1, (_count_groups(tensor)[-1], -1))
                # The largest weight of a group is rounded to 127. No scale is 0, since
                # weights are divided by them.
                scales = groups.abs().amax(-1).clamp_min(1e-30) / _MAX_INT
                scales = scales.to(torch.bfloat16)
                of_layer = (inputs or {}).get(name)
                found[name] = round_weights(tensor, scales, of_layer)
                found[f"{name}{_SCALE}"] = scales
        return found

    def decode(self, tensors: Tensors) -> Tensors:
        """Convert the tensors of a file to weights."""
        found = {}
        names = [name for name in tensors if not name.endswith(_SCALE)]
        if tensors.keys() - {*names} - {f"{name}{_SCALE}" for name in names}:
            raise ValueError("there is a scale without weights")
        for name in names:
            tensor, scale = tensors[name], tensors.get(f"{name}{_SCALE}")
            if (scale is None) != (tensor.dtype != torch.int8):
                raise ValueError(f"{name} has 8 bits without a scale, or the reverse")
            if scale is None:
                found[name] = tensor.float() if tensor.is_floating_point() else tensor
            elif scale.shape != _count_groups(tensor):
                raise ValueError(f"{name} has not one scale for each group")
            else:
                found[name] = scale_up(tensor, scale)
        return found


def get_storage(name: Any, path: str) -> Any:
    """Get a registered format by its name in a file; it encodes and decodes weights."""
    if not isinstance(name, str) or name not in registry.coref_storage:
        known = sorted(registry.coref_storage.get_all())
        check_known(f"format of the weights in '{path}',", name, known)
    return registry.coref_storage.get(name)()


def _count_groups(weight: Tensor) -> Tuple[int, ...]:
    """Compute the shape of the scales of weights, shape (..., n_out, n_in)."""
    *others, n_in = weight.shape
    return *others, 1 if n_in % _GROUP else n_in // _GROUP


def scale_up(rounded: Tensor, scales: Tensor) -> Tensor:
    """Multiply rounded weights by their scales; see round_weights."""
    groups = rounded.float().unflatten(-1, (scales.shape[-1], -1))
    return groups.mul_(scales.float()[..., None]).flatten(-2)


def round_weights(weight: Tensor, scales: Tensor, inputs: Optional[Tensor]) -> Tensor:
    """Round weights to integer multiples of their scales, from -127 to 127, int8.

    With `inputs`, round one column after another, and change the columns after it to
    compensate for the error in the layer's outputs, as in GPTQ (Frantar et al. 2023,
    algorithm 1). Without `inputs`, round each weight to the nearest multiple.
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
    return values.round().clamp(-_MAX_INT, _MAX_INT)


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
def collect_inputs(network: nn.Module) -> Iterator[Tensors]:
    """Collect the inputs of linear layers within the context; see Int8Groups.encode."""
    found: Tensors = {}
    # Several threads run the network on documents at once.
    lock = threading.Lock()

    def add(name: str, layer: nn.Module, args: Tuple) -> None:
        rows = args[0].detach().flatten(0, -2).float()
        product = rows.T @ rows
        with lock:
            found[name] = found[name] + product if name in found else product

    handles = [
        layer.register_forward_pre_hook(partial(add, f"{name}.weight"))
        for name, layer in network.named_modules()
        if isinstance(layer, nn.Linear)
    ]
    try:
        yield found
    finally:
        for handle in handles:
            handle.remove()
