"""Build networks from configurations and weights.

A config.json from elsewhere may describe a network of any size. It must not need much
more memory than the weights that come with it, so that layers are made without values,
and compared with the weights, before there is memory for them.
"""

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterable, Optional, Sequence, Tuple, Union

import torch
from safetensors import safe_open
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from ...errors import Errors
from ..blocks import make_block
from ..folders import CONFIG, name_folder_in_errors
from ..network.network import CorefNetwork
from .checkpoint import Checkpoint

# The number of weights that an error names.
_NAMED = 5
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
# What every network may have in addition: tables of positions, and layers that are made
# and then dropped.
_FREE_TENSORS = 1_000
_FREE_NUMBERS = 1 << 20
_TOO_MANY = f"its {CONFIG} describes more weights than there are"


@dataclass(frozen=True)
class Limits:
    """Hold the largest number of tensors of weights, and of weights in all of them."""

    n_tensors: int
    n_numbers: int

    @classmethod
    def from_tensors(cls, tensors: Iterable[Tensor]) -> "Limits":
        """Count the weights of a network, which are the limits for it."""
        sizes = [tensor.numel() for tensor in tensors]
        return cls(len(sizes), sum(sizes))

    @classmethod
    def from_files(cls, folder: Path) -> "Limits":
        """Estimate the weights of an encoder in a folder, without reading them."""
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

    def check_config(self, config: Dict[str, Any]) -> None:
        """Check that no number in a configuration is too large for its weights."""
        for part in _PARTS:
            for key, value in _iter_numbers(config.get(part), part):
                most = max(self.n_numbers, _FREE_NUMBERS)
                if any(word in key.rpartition(".")[2] for word in _COUNTS):
                    most = self.n_tensors + _FREE_TENSORS
                if value > most or ("heads" in key and value < 1):
                    raise ValueError(
                        f"its {CONFIG} has {key} = {value!r}, which has to be above 0, "
                        f"and {most} or less for the weights there"
                    )


def _iter_numbers(value: Any, name: str) -> Iterable[Tuple[str, float]]:
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


class _EmptyTensors(TorchFunctionMode):
    """Make uninitialized tensors, with which layers begin, on torch's device "meta".

    RAISES (ValueError): There are more than the limits allow.
    """

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self.n_left = 2 * limits.n_tensors + _FREE_TENSORS

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Optional[Dict] = None
    ) -> Any:
        kwargs = kwargs or {}
        made = kwargs.get("tensor")
        if made is not None and made.is_meta and func.__module__ == nn.init.__name__:
            # torch would import its compiler to fill in what has no values.
            return made
        if func is torch.empty:
            self.n_left -= 1
            if self.n_left < 0:
                raise ValueError(_TOO_MANY)
            kwargs = {**kwargs, "device": "meta"}
        return func(*args, **kwargs)


def make_network(config: Dict[str, Any], path: str) -> CorefNetwork:
    """Make a network with random weights, on the CPU, in float32.

    RAISES (ValueError): The configuration is not valid.
    """
    with torch.device("cpu"), name_folder_in_errors(path):
        return CorefNetwork(config, path).float()


def check_encoder(config: Dict[str, Any], path: str, limits: Limits) -> None:
    """Check that a configuration describes no larger encoder than the limits allow.

    RAISES (ValueError): The encoder is larger, or the configuration is not valid.
    """
    settings = config["encoder_config"]
    with torch.device("cpu"), torch.random.fork_rng([]), name_folder_in_errors(path):
        limits.check_config({"encoder_config": settings})
        with _EmptyTensors(limits):
            encoder = make_block(config["encoder"], path).build(settings, path)
        found = Limits.from_tensors(encoder.parameters())
        if found.n_numbers > 2 * limits.n_numbers + _FREE_NUMBERS:
            raise ValueError(_TOO_MANY)


def build_network(
    checkpoint: Checkpoint, path: str, *, copies: bool = False
) -> CorefNetwork:
    """Make a network with a checkpoint's weights, on the CPU, in float32.

    Check that the weights fit before allocating memory for the network's own.

    copies (bool): Whether to copy the weights, for training, which changes them.
    RAISES (ValueError): The weights do not fit the configuration, or are not finite.
    """
    found, config = checkpoint.tensors, checkpoint.config
    limits = Limits.from_tensors(found.values())
    with name_folder_in_errors(path):
        limits.check_config(config)
    # Initial weights that are overwritten at once must not advance the user's random
    # number generator.
    with torch.random.fork_rng([]):
        with _EmptyTensors(limits):
            network = make_network(config, path)
        expected = network.state_dict()
        check_fit(expected, found, path)
        is_assigned = _can_be_assigned(network, expected)
        if not is_assigned:
            network = make_network(config, path)
    if is_assigned:
        found = {k: t.to(expected[k].dtype, copy=copies) for k, t in found.items()}
    network.load_state_dict(found, assign=is_assigned)
    _check_finite(path, network.state_dict())
    return network


def check_fit(
    expected: Dict[str, Tensor], found: Dict[str, Tensor], path: Union[str, Path]
) -> None:
    """Check that weights in a folder are complete and fit its configuration.

    RAISES (ValueError): There are missing, unexpected or wrong weights.
    """
    missing = [key for key in expected if key not in found]
    unexpected = [key for key in found if key not in expected]
    wrong = [
        f"{key} {_describe(found[key])} for {_describe(tensor)}"
        for key, tensor in expected.items()
        if key in found and _describe(found[key]) != _describe(tensor)
    ]
    if missing or unexpected or wrong:
        missing, unexpected, wrong = map(_join, (missing, unexpected, wrong))
        raise ValueError(
            Errors.FC012.format(
                path=path, missing=missing, unexpected=unexpected, wrong=wrong
            )
        )


def _describe(tensor: Tensor) -> str:
    shape = tuple(tensor.shape)
    return f"{shape}" if tensor.is_floating_point() else f"{shape} {tensor.dtype}"


def _can_be_assigned(network: CorefNetwork, expected: Dict[str, Tensor]) -> bool:
    """Check whether assigning weights to an empty network completes it.

    Assigning is not possible if two names share one tensor, which would become two, or
    if a tensor that is not saved has no values.
    """
    named = [*network.named_parameters(remove_duplicate=False)]
    is_shared = len(named) > len([*network.parameters()])
    buffers = dict(network.named_buffers())
    return not is_shared and not any(
        buffers[name].is_meta for name in buffers.keys() - expected.keys()
    )


def _check_finite(path: Union[str, Path], tensors: Dict[str, Tensor]) -> None:
    # The extremes of a tensor with NaN or infinity are not finite, and need no copy.
    broken = [
        name
        for name, tensor in tensors.items()
        if tensor.is_floating_point()
        and tensor.numel()
        and not torch.stack(tensor.aminmax()).isfinite().all()
    ]
    if broken:
        raise ValueError(Errors.FC100.format(path=path, names=_join(broken)))


def _join(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return (", ".join(names[:_NAMED]) or "none") + more
