"""PyTorch's AdamW, driven by the optimizer of a spaCy config."""

import re
import warnings
from collections import defaultdict
from typing import Any, Dict, List

import torch
from thinc.api import Optimizer
from torch import Tensor

from ...errors import Warnings
from ..inference.network import CorefNetwork

_LAYER = re.compile(r"\.(?:layer|layers|block|h)\.(\d+)\.")


class NetworkOptimizer:
    """Update a network's weights.

    Thinc's own optimizer goes through NumPy or CuPy one array at a time; this one
    works wherever the network is. Learning rate and its schedule, betas, epsilon, L2
    and gradient clipping are those of the config's optimizer.

    network (CorefNetwork): The network.
    encoder_learn_rate (float): The encoder's share of the learning rate. What has 0
        gets no gradients from then on.
    layer_decay (float): What each layer gets of the learning rate of the next one.
    frozen_layers (int): How many of the encoder's first layers have a share of 0.
    scorer_learn_rate (float): The scorers' share of the learning rate.
    """

    def __init__(
        self,
        network: CorefNetwork,
        *,
        encoder_learn_rate: float,
        layer_decay: float,
        frozen_layers: int = 0,
        scorer_learn_rate: float = 1.0,
    ) -> None:
        groups = group_parameters(
            network,
            encoder_learn_rate=encoder_learn_rate,
            layer_decay=layer_decay,
            frozen_layers=frozen_layers,
            scorer_learn_rate=scorer_learn_rate,
        )
        self.groups = [group for group in groups if group["share"]]
        # What stays as it is needs no gradients, which are most of the work.
        for group in groups:
            for parameter in group["params"]:
                parameter.requires_grad_(bool(group["share"]))
        self.parameters = [p for group in self.groups for p in group["params"]]
        self.adam = torch.optim.AdamW(self.groups, lr=0.0, fused=True)

    def step(self, settings: Optimizer) -> None:
        """Update the weights by their gradients, and clear these.

        Gradients that are not finite, as in half precision, change nothing: one such
        step would leave no weight that is a number.

        settings (Optimizer): The config's optimizer.
        """
        for group in self.adam.param_groups:
            group["lr"] = float(settings.learn_rate) * group["share"]
            group["betas"] = (float(settings.b1), float(settings.b2))
            group["eps"] = float(settings.eps)
            group["weight_decay"] = float(settings.L2) * group["decays"]
        most = float(settings.grad_clip or torch.inf)
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, most)
        if norm.isfinite():
            self.adam.step()
        else:
            warnings.warn(Warnings.FCW24.format(norm=float(norm)), stacklevel=2)
        self.adam.zero_grad(set_to_none=True)

    def get_state(self) -> Dict[str, Tensor]:
        """Get the moments.

        RETURNS (Dict[str, Tensor]): Tensors by the weight's number and their name.
        """
        state = self.adam.state_dict()["state"]
        return {
            f"{i}.{name}": tensor
            for i, moments in state.items()
            for name, tensor in moments.items()
        }

    def set_state(self, state: Dict[str, Tensor]) -> None:
        """Replace the moments.

        state (Dict[str, Tensor]): What get_state returned.
        """
        moments: Dict[int, Dict[str, Tensor]] = defaultdict(dict)
        for key, tensor in state.items():
            i, name = key.split(".")
            moments[int(i)][name] = tensor
        groups = self.adam.state_dict()["param_groups"]
        self.adam.load_state_dict({"state": dict(moments), "param_groups": groups})


def group_parameters(
    network: CorefNetwork,
    *,
    encoder_learn_rate: float,
    layer_decay: float,
    frozen_layers: int = 0,
    scorer_learn_rate: float = 1.0,
) -> List[Dict[str, Any]]:
    """Group weights by their share of the learning rate.

    network (CorefNetwork): The network.
    encoder_learn_rate (float): The share of the encoder's last layer.
    layer_decay (float): What each layer gets of the share of the next one.
    frozen_layers (int): How many of the encoder's first layers, and the embeddings with
        them, have a share of 0.
    scorer_learn_rate (float): The share of all else.
    RETURNS (List[Dict[str, Any]]): The groups, as torch's optimizers take them; biases
        and norms do not decay. A layer that has a `learn_rate` gets this share of it.
    """
    own = {
        f"{name}.{key}": module.learn_rate
        for name, module in network.named_modules()
        for key, _ in module.named_parameters(recurse=False)
        if hasattr(module, "learn_rate")
    }
    encoder = dict(network.encoder.named_parameters())
    depths = {name: _find_depth(name) for name in encoder}
    n_layers = max(depths.values(), default=0)
    groups: Dict[Any, Dict[str, Any]] = {}
    for name, parameter in network.named_parameters():
        if not parameter.requires_grad:
            continue
        inner = name.removeprefix("encoder.")
        share = scorer_learn_rate * own.get(name, 1.0)
        if name not in own and inner != name and inner in depths:
            depth = depths[inner]
            is_frozen = depth <= frozen_layers and frozen_layers > 0
            rate = 0.0 if is_frozen else encoder_learn_rate
            share = rate * layer_decay ** (n_layers - depth)
        decays = float(parameter.ndim > 1)
        group = {"params": [], "share": share, "decays": decays}
        groups.setdefault((share, decays), group)["params"].append(parameter)
    return list(groups.values())


def _find_depth(name: str) -> int:
    """Count layers from the input: 0 for embeddings."""
    match = _LAYER.search(f".{name}")
    return 0 if match is None else int(match.group(1)) + 1
