"""Build networks from configurations and weights.

A config.json from elsewhere may describe a network of any size. It must not need much
more memory than the weights that come with it, so that layers are made without values,
and compared with the weights, before there is memory for them.
"""

import contextlib
from pathlib import Path
from textwrap import shorten
from typing import Any, Dict, Iterable, Iterator, Optional, Tuple, Union

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from ...errors import Errors
from ..blocks import make_block
from ..folders import CONFIG, name_folder_in_errors
from ..network.network import CorefNetwork
from .checkpoint import Checkpoint

# The number of weights, and of characters of torch's reason, that an error has.
_NAMED, _MAX_REASON = 5, 1_000
# Words in the names of settings that count layers or steps: parts with weights of their
# own, or parts computed one after another.
_COUNTS = ("layer", "round", "group")
# What every network may have in addition: tables of positions, and layers that are made
# and then dropped.
_FREE_TENSORS = 1_000
_FREE_NUMBERS = 1 << 20
_TOO_MANY = f"its {CONFIG} describes more weights than there are"


@contextlib.contextmanager
def _limit(
    config: Dict[str, Any], path: str, tensors: Dict[str, Tensor]
) -> Iterator[None]:
    """Make layers without values within the context, for which there are weights."""
    n_numbers = max(_count_numbers(tensors.values()), _FREE_NUMBERS)
    # Initial weights that are overwritten at once must not advance the user's random
    # number generator.
    with torch.device("cpu"), torch.random.fork_rng([]), name_folder_in_errors(path):
        for key, value in _iter_numbers(config, CONFIG):
            name = key.rpartition(".")[2]
            is_count = any(word in name for word in _COUNTS)
            most = len(tensors) + _FREE_TENSORS if is_count else n_numbers
            if value > most or ("heads" in name and value < 1):
                raise ValueError(
                    f"it has {key} = {value!r}, which has to be above 0, and {most} or "
                    "less for the weights there"
                )
        with _EmptyTensors(2 * len(tensors) + _FREE_TENSORS):
            yield


def _count_numbers(tensors: Iterable[Tensor]) -> int:
    return sum(tensor.numel() for tensor in tensors)


def _iter_numbers(config: Dict[str, Any], name: str) -> Iterator[Tuple[str, float]]:
    """Iterate over the numbers that describe layers, which are in dictionaries."""
    # Not recursive: a file may be nested more deeply than Python's recursion limit.
    values = [(f"{name}.{k}", v) for k, v in config.items() if isinstance(v, dict)]
    while values:
        name, value = values.pop()
        if isinstance(value, dict):
            values += [(f"{name}.{key}", item) for key, item in value.items()]
        elif isinstance(value, list):
            values += [(name, item) for item in value]
        elif isinstance(value, (int, float)):
            yield name, value


class _EmptyTensors(TorchFunctionMode):
    """Make tensors without values, `n_left` at most, on torch's device "meta"."""

    def __init__(self, n_left: int) -> None:
        super().__init__()
        self.n_left = n_left

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
    """Make a network with random weights, on the CPU, in float32."""
    with torch.device("cpu"), name_folder_in_errors(path):
        return CorefNetwork(config, path).float()


def check_encoder(
    config: Dict[str, Any], path: str, tensors: Dict[str, Tensor]
) -> None:
    """Check that a configuration describes no much larger encoder than there is."""
    settings = config["encoder_config"]
    with _limit({"encoder_config": settings}, path, tensors):
        encoder = make_block(config["encoder"], path).build(settings, path)
        n_most = 2 * _count_numbers(tensors.values()) + _FREE_NUMBERS
        if _count_numbers(encoder.parameters()) > n_most:
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
    with _limit(config, path, found):
        network = make_network(config, path)
    expected = network.state_dict()
    is_assigned = _can_be_assigned(network, expected)
    found = {k: t.to(expected.get(k, t).dtype, copy=copies) for k, t in found.items()}
    load_weights(network, found, path, assign=True)
    if not is_assigned:
        with torch.random.fork_rng([]):
            network = make_network(config, path)
        network.load_state_dict(found)
    _check_finite(path, network.state_dict())
    return network


def load_weights(
    module: nn.Module, tensors: Dict[str, Tensor], path: str, *, assign: bool = False
) -> None:
    """Load weights from a folder, which have to be complete and fit the module."""
    try:
        module.load_state_dict(tensors, assign=assign)
    except RuntimeError as error:
        reason = shorten(str(error), _MAX_REASON)
        raise ValueError(Errors.FC011.format(path=path, reason=reason)) from error


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
        names = ", ".join(broken[:_NAMED])
        raise ValueError(Errors.FC100.format(path=path, names=names))
