"""Build networks from configurations and weights."""

import contextlib
from pathlib import Path
from typing import Any, Dict, Optional, Sequence, Union

import torch
from torch import Tensor

from ...errors import Errors
from ..blocks import make_block
from ..folders import name_folder_in_errors
from ..network.network import CorefNetwork
from .checkpoint import Checkpoint
from .limits import LimitedTensors, Limits

# The number of weights that an error names.
_NAMED = 5


def make_network(
    config: Dict[str, Any],
    path: str,
    limits: Optional[Limits] = None,
    *,
    is_empty: bool = False,
) -> CorefNetwork:
    """Make a network with random weights.

    limits (Optional[Limits]): How large the network may be; None for any size, for a
        configuration of the user's own.
    is_empty (bool): Whether to leave out the values of the weights, so that they take
        no memory. Only with limits.
    RETURNS (CorefNetwork): The network, on the CPU, in float32, whatever torch's
        defaults are.
    RAISES (ValueError): The configuration is not valid, or describes a network that
        exceeds the limits.
    """
    with torch.device("cpu"), name_folder_in_errors(path), contextlib.ExitStack() as s:
        if limits is not None:
            limits.check_config(config, path)
            s.enter_context(LimitedTensors(limits, path, is_empty=is_empty))
        return CorefNetwork(config, path).float()


def check_encoder(config: Dict[str, Any], path: str, limits: Limits) -> None:
    """Check that a configuration describes no larger encoder than the limits allow.

    config (Dict[str, Any]): The configuration of a model; see CorefNetwork. Its layers
        outside the encoder are new, and may have any size.
    RAISES (ValueError): The encoder is larger, or the configuration is not valid.
    """
    settings = config["encoder_config"]
    with (
        torch.device("cpu"),
        torch.random.fork_rng(devices=[]),
        name_folder_in_errors(path),
    ):
        limits.check_config({"encoder_config": settings}, path)
        with LimitedTensors(limits, path, is_empty=True):
            make_block(config["encoder"], path).build(settings, path)


def build_network(checkpoint: Checkpoint, path: str) -> CorefNetwork:
    """Make a network with a checkpoint's weights, on the CPU, in float32.

    Check that the weights fit before allocating memory for the network's own.

    RAISES (ValueError): The weights do not fit the configuration, or are not finite.
    """
    found = checkpoint.tensors
    limits = Limits.from_tensors(found.values())
    # Initial weights that are overwritten at once must not advance the user's random
    # number generator.
    with torch.random.fork_rng(devices=[]):
        network = make_network(checkpoint.config, path, limits, is_empty=True)
        expected = network.state_dict()
        _check_fit(expected, found, path)
        is_assigned = _can_be_assigned(network, expected)
        if not is_assigned:
            network = make_network(checkpoint.config, path, limits)
    if is_assigned:
        # Copy the weights, since training changes them, but not the checkpoint.
        found = {k: t.to(expected[k].dtype, copy=True) for k, t in found.items()}
    network.load_state_dict(found, assign=is_assigned)
    _check_finite(path, network.state_dict())
    return network


def _check_fit(
    expected: Dict[str, Tensor], found: Dict[str, Tensor], path: str
) -> None:
    """Check the names and shapes of weights, and whether they are floating-point."""
    wrong = [
        f"{key} {_describe(found[key])} for {_describe(tensor)}"
        for key, tensor in expected.items()
        if key in found
        and (
            found[key].shape != tensor.shape
            or found[key].is_floating_point() != tensor.is_floating_point()
        )
    ]
    missing = [key for key in expected if key not in found]
    unexpected = [key for key in found if key not in expected]
    check_weights(path, missing, unexpected, wrong)


def _describe(tensor: Tensor) -> str:
    shape = tuple(tensor.shape)
    return f"{shape}" if tensor.is_floating_point() else f"{shape} {tensor.dtype}"


def _can_be_assigned(network: CorefNetwork, expected: Dict[str, Tensor]) -> bool:
    """Check whether assigning weights to an empty network completes it.

    Assigning is not possible if two names share one tensor, which would become two, or
    if a tensor that is not saved has no values.
    """
    names = [name for name, _ in network.named_parameters(remove_duplicate=False)]
    is_shared = len(names) > len([*network.parameters()])
    buffers = dict(network.named_buffers())
    return not is_shared and not any(
        buffers[name].is_meta for name in buffers.keys() - expected.keys()
    )


def check_weights(
    path: Union[str, Path],
    missing: Sequence[str],
    unexpected: Sequence[str] = (),
    wrong: Sequence[str] = (),
) -> None:
    """Check that the weights in a folder are complete and fit its configuration.

    missing, unexpected (Sequence[str]): The names of missing and unexpected weights.
    wrong (Sequence[str]): The names of weights with wrong shapes, with both shapes.
    RAISES (ValueError): There are missing, unexpected or wrong weights.
    """
    if missing or unexpected or wrong:
        raise ValueError(
            Errors.FC012.format(
                path=path,
                missing=_join(missing),
                unexpected=_join(unexpected),
                wrong=_join(wrong),
            )
        )


def _check_finite(path: Union[str, Path], tensors: Dict[str, Tensor]) -> None:
    """Check that all weights are finite."""
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
