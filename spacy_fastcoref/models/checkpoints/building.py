"""Build networks from configurations and weights."""

import contextlib
from typing import Any, Dict, Optional

import torch
from torch import Tensor

from ..blocks import make_block
from ..inference.network import CorefNetwork
from .checkpoint import Checkpoint
from .checks import check_finite, check_weights, name_folder_in_errors
from .limits import LimitedTensors, Limits


def make_network(
    config: Dict[str, Any],
    path: str,
    limits: Optional[Limits] = None,
    *,
    is_empty: bool = False,
) -> CorefNetwork:
    """Make a network with random weights.

    config (Dict[str, Any]): The configuration; see CorefNetwork.
    path (str): Where it was read, for messages.
    limits (Optional[Limits]): How large the network may be; None for any size, where
        the configuration is the user's own.
    is_empty (bool): Whether to leave out the values of the weights, so that these take
        no memory. Only with limits.
    RETURNS (CorefNetwork): The network, on the CPU, in float32, whatever torch's
        defaults are.
    RAISES (ValueError): The configuration is not valid, or asks for more than the
        limits.
    """
    with torch.device("cpu"), name_folder_in_errors(path), contextlib.ExitStack() as s:
        if limits is not None:
            limits.check_config(config, path)
            s.enter_context(LimitedTensors(limits, path, is_empty=is_empty))
        return CorefNetwork(config, path).float()


def check_encoder(config: Dict[str, Any], path: str, limits: Limits) -> None:
    """Check that an encoder needs no more weights than there are.

    config (Dict[str, Any]): The configuration; see CorefNetwork. Its other layers are
        new, and may have any size.
    path (str): Where the encoder comes from, for messages.
    limits (Limits): How large the encoder may be.
    RAISES (ValueError): It is larger, or the configuration is not valid.
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
    """Make a network with a checkpoint's weights.

    No memory is allocated for weights before these are known to fit.

    checkpoint (Checkpoint): The model.
    path (str): Where it comes from, for messages.
    RETURNS (CorefNetwork): The network, on the CPU, in float32.
    RAISES (ValueError): The weights do not fit the configuration, or are not finite.
    """
    found = checkpoint.tensors
    limits = Limits.from_tensors(found.values())
    # Weights that are overwritten at once must not use up the user's random numbers.
    with torch.random.fork_rng(devices=[]):
        network = make_network(checkpoint.config, path, limits, is_empty=True)
        expected = network.state_dict()
        _check_fit(expected, found, path)
        is_assigned = _can_be_assigned(network, expected)
        if not is_assigned:
            network = make_network(checkpoint.config, path, limits)
    if is_assigned:
        # Copied: training changes them, and the checkpoint stays as it is.
        found = {k: t.to(expected[k].dtype, copy=True) for k, t in found.items()}
    network.load_state_dict(found, assign=is_assigned)
    check_finite(path, network.state_dict())
    return network


def _check_fit(
    expected: Dict[str, Tensor], found: Dict[str, Tensor], path: str
) -> None:
    """Check that weights have the names, shapes and kinds of types of a network's."""
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
    """Tell whether a network without values has all of them once it has its weights.

    Not where two names share one tensor, which would become two, nor where a tensor
    that is not saved has no values.
    """
    names = [name for name, _ in network.named_parameters(remove_duplicate=False)]
    is_shared = len(names) > len([*network.parameters()])
    buffers = dict(network.named_buffers())
    return not is_shared and not any(
        buffers[name].is_meta for name in buffers.keys() - expected.keys()
    )
