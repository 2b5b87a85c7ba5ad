"""Storage formats, in which weights take less space than in float32."""

from abc import ABC, abstractmethod
from typing import Any, Dict, NamedTuple, Optional

import torch
from torch import Tensor

from ...errors import Errors
from ...registry import registry
from .rounding import compute_scales, count_groups, round_weights, scale_up

Tensors = Dict[str, Tensor]
# The key of a model's configuration for the name of the format. Without it, weights are
# stored as they are.
STORAGE = "storage"
_SCALE = ":scale"


class Stored(NamedTuple):
    """Hold weights in a storage format."""

    name: str
    tensors: Tensors


class Storage(ABC):
    """Convert weights to a storage format and back. The base class of all formats."""

    @abstractmethod
    def encode(self, tensors: Tensors, inputs: Optional[Tensors] = None) -> Tensors:
        """Convert weights to the tensors of a file.

        inputs (Optional[Dict[str, Tensor]]): For linear layers, by the names of their
            weights, the sum of x xᵀ over the layer's input vectors x, shape
            (n_in, n_in). Rounding can use it to change the layer's outputs little.
        """

    @abstractmethod
    def decode(self, tensors: Tensors) -> Tensors:
        """Convert the tensors of a file to weights.

        RAISES (ValueError): The tensors are not of this format.
        """


class Float16(Storage):
    """Store floating-point weights in float16, and load them in that type."""

    def encode(self, tensors: Tensors, inputs: Optional[Tensors] = None) -> Tensors:
        return {
            name: tensor.half() if tensor.is_floating_point() else tensor
            for name, tensor in tensors.items()
        }

    def decode(self, tensors: Tensors) -> Tensors:
        return tensors


class Int8Groups(Storage):
    """Store matrices in 8 bits, with a scale for each 64 weights.

    Weights are loaded in float32, and the model computes in the same precision as with
    full weights. Vectors, such as biases, and small matrices are stored in float16.
    """

    # Smaller matrices are stored in float16: they take little space, and predictions
    # depend much on some of them.
    min_size = 1 << 16

    def encode(self, tensors: Tensors, inputs: Optional[Tensors] = None) -> Tensors:
        found = {}
        for name, tensor in tensors.items():
            if not tensor.is_floating_point():
                found[name] = tensor
            elif tensor.dim() < 2 or tensor.numel() < self.min_size:
                found[name] = tensor.half()
            else:
                scales = compute_scales(tensor.float())
                of_layer = (inputs or {}).get(name)
                found[name] = round_weights(tensor.float(), scales, of_layer)
                found[f"{name}{_SCALE}"] = scales
        return found

    def decode(self, tensors: Tensors) -> Tensors:
        found = {}
        scales = {name for name in tensors if name.endswith(_SCALE)}
        for name, tensor in tensors.items():
            if name in scales:
                continue
            scale = tensors.get(f"{name}{_SCALE}")
            if (scale is None) != (tensor.dtype != torch.int8):
                raise ValueError(f"{name} has 8 bits without a scale, or the reverse")
            if scale is None:
                found[name] = tensor.float() if tensor.is_floating_point() else tensor
            elif scale.shape != count_groups(tensor):
                raise ValueError(f"{name} has not one scale for each group")
            else:
                found[name] = scale_up(tensor, scale)
        if {f"{name}{_SCALE}" for name in found} < scales:
            raise ValueError("there is a scale without weights")
        return found


def get_storage(name: Any, path: str) -> Storage:
    """Get a registered format by its name in a file.

    RAISES (ValueError): There is no such format.
    """
    if not isinstance(name, str) or name not in registry.coref_storage:
        available = ", ".join(sorted(registry.coref_storage.get_all()))
        raise ValueError(Errors.FC134.format(path=path, name=name, available=available))
    return registry.coref_storage.get(name)()
