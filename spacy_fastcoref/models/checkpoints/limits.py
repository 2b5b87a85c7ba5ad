"""Limit the size of the network that a configuration describes.

A config.json from elsewhere may describe a network of any size. It must not need much
more memory than the weights that come with it.
"""

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterable, Optional, Tuple

import torch
from safetensors import safe_open
from torch import Tensor
from torch.overrides import TorchFunctionMode

from ...errors import Errors

# torch's functions that make a tensor of a given size.
_FACTORIES = frozenset(
    (
        torch.arange,
        torch.empty,
        torch.eye,
        torch.full,
        torch.linspace,
        torch.normal,
        torch.ones,
        torch.rand,
        torch.randint,
        torch.randn,
        torch.randperm,
        torch.zeros,
    )
)
# Words in the names of settings that count layers or steps: parts with weights of their
# own, or parts computed one after another.
_COUNTS = ("layer", "round", "group")
# The parts of a configuration that describe layers.
_PARTS = (
    "encoder",
    "encoder_config",
    "word_features",
    "mention_scorer",
    "antecedent_scorer",
    "refinement",
    "pronoun_head",
)
# What every network may have in addition: tables of positions, masks, and layers that
# are made and then dropped.
_FREE_TENSORS = 1_000
_FREE_NUMBERS = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Hold the largest size of a network.

    A network makes one tensor for each tensor of its weights, and few others. Twice the
    limits are therefore enough to make it; see LimitedTensors.

    n_tensors (int): The number of tensors of weights.
    n_numbers (int): The number of weights in all tensors.
    """

    n_tensors: int
    n_numbers: int

    @classmethod
    def from_tensors(cls, tensors: Iterable[Tensor]) -> "Limits":
        """Count the weights of a network, which are the limits for it."""
        sizes = [tensor.numel() for tensor in tensors]
        return cls(len(sizes), sum(sizes))

    @classmethod
    def from_files(cls, folder: Path) -> "Limits":
        """Estimate the weights of an encoder in a folder, without reading them.

        folder (pathlib.Path): The folder, with files of safetensors or PyTorch.
        RAISES (OSError, SafetensorError): A file is broken.
        """
        n_tensors = n_bytes = 0
        for file in sorted(folder.glob("*.safetensors")):
            with safe_open(file, framework="pt") as tensors:
                n_tensors += len(tensors.keys())
            n_bytes += file.stat().st_size
        for file in sorted(folder.glob("*.bin")):
            if zipfile.is_zipfile(file):
                with zipfile.ZipFile(file) as content:
                    n_tensors += len(content.namelist())
            n_bytes += file.stat().st_size
        # Each number takes at least one byte.
        return cls(n_tensors, n_bytes)

    def check_config(self, config: Dict[str, Any], path: str) -> None:
        """Check that no number in a configuration is too large for its weights.

        RAISES (ValueError): A number is too large.
        """
        for part in _PARTS:
            for key, value in _iter_numbers(config.get(part), part):
                is_count = any(word in key.rpartition(".")[2] for word in _COUNTS)
                most = max(self.n_numbers, _FREE_NUMBERS)
                if is_count:
                    most = self.n_tensors + _FREE_TENSORS
                if value > most:
                    expected = f"{most} or less, for the weights that are there"
                    raise ValueError(
                        Errors.FC015.format(
                            path=path, key=key, value=value, expected=expected
                        )
                    )


def _iter_numbers(value: Any, name: str) -> Iterable[Tuple[str, float]]:
    """Yield the dotted name and the value of each number in a configuration."""
    # Not recursive: a file may be nested more deeply than Python's recursion limit.
    values = [(name, value)]
    while values:
        name, value = values.pop()
        if isinstance(value, dict):
            values += [(f"{name}.{key}", item) for key, item in value.items()]
        elif isinstance(value, list):
            values += [(name, item) for item in value]
        elif isinstance(value, (int, float)):
            yield name, value


class LimitedTensors(TorchFunctionMode):
    """Limit the number and the size of the tensors that torch makes within a context.

    limits (Limits): The limits.
    is_empty (bool): Whether uninitialized tensors, with which layers begin, take no
        memory: they are on torch's device "meta".
    RAISES (ValueError): A tensor would exceed the limits. It is not made.
    """

    def __init__(self, limits: Limits, path: str, *, is_empty: bool = False) -> None:
        super().__init__()
        self.n_tensors = 2 * limits.n_tensors + _FREE_TENSORS
        self.n_numbers = 2 * limits.n_numbers + _FREE_NUMBERS
        self.path = path
        self.is_empty = is_empty

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Optional[Dict] = None
    ) -> Any:
        kwargs = kwargs or {}
        if func not in _FACTORIES:
            return func(*args, **kwargs)
        # A tensor on "meta" has a size, but takes no memory and no random numbers.
        settings = {k: v for k, v in kwargs.items() if k not in ("generator", "out")}
        described = func(*args, **{**settings, "device": "meta"})
        self.n_tensors -= 1
        self.n_numbers -= described.numel()
        if self.n_tensors < 0 or self.n_numbers < 0:
            reason = "its config.json describes more weights than there are"
            raise ValueError(Errors.FC011.format(path=self.path, reason=reason))
        if self.is_empty and func is torch.empty:
            return described
        return func(*args, **kwargs)
