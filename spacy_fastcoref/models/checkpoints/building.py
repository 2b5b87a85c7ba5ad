"""Configurations and weights -> networks."""

from typing import Any, Dict

import torch

from ..inference.network import CorefNetwork
from .checkpoint import Checkpoint
from .checks import check_finite, check_weights, name_folder_in_errors


def make_network(config: Dict[str, Any], path: str) -> CorefNetwork:
    """Make a network with random weights.

    config (Dict[str, Any]): What it is made of; see CorefNetwork.
    path (str): Where that was read, for messages.
    RETURNS (CorefNetwork): The network, on the CPU, in float32, whatever torch's
        defaults are.
    RAISES (ValueError): The configuration is not valid.
    """
    with torch.device("cpu"), name_folder_in_errors(path):
        return CorefNetwork(config, path).float()


def build_network(checkpoint: Checkpoint, path: str) -> CorefNetwork:
    """Make a network with a checkpoint's weights.

    checkpoint (Checkpoint): The model.
    path (str): Where it comes from, for messages.
    RETURNS (CorefNetwork): The network, on the CPU, in float32.
    RAISES (ValueError): The weights do not fit the configuration, or are not finite.
    """
    # Weights that are overwritten at once must not use up the user's random numbers.
    with torch.random.fork_rng(devices=[]):
        network = make_network(checkpoint.config, path)
    expected = network.state_dict()
    found = checkpoint.tensors
    wrong = [
        f"{key} {tuple(found[key].shape)} for {tuple(tensor.shape)}"
        for key, tensor in expected.items()
        if key in found and found[key].shape != tensor.shape
    ]
    missing = [key for key in expected if key not in found]
    unexpected = [key for key in found if key not in expected]
    check_weights(path, missing, unexpected, wrong)
    network.load_state_dict(found)
    check_finite(path, network.state_dict())
    return network
