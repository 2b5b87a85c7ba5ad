"""PyTorch's optimizers, with the settings of the config's Thinc optimizer."""

import re
import warnings
from collections import defaultdict
from typing import Any, Dict, List, Mapping, Optional, Tuple, Type

import torch
from thinc.api import Optimizer
from torch import Tensor

from ...errors import Errors, Warnings
from ..network.network import CorefNetwork

_LAYER = re.compile(r"\.(?:layer|layers|block|h)\.(\d+)\.")
OptimizerClass = Type[torch.optim.Optimizer]


class NetworkOptimizer:
    """Update a network's weights as the Thinc optimizer of the config would.

    Thinc's optimizers update one NumPy or CuPy array at a time. PyTorch's
    optimizers update all weights on the device of the network. Algorithm, learning
    rate schedule, betas, epsilon, L2 and gradient clipping are those of the config,
    see `choose_optimizer`. There are two differences: gradients are clipped by their
    common norm, before L2 is added; and L2 does not apply to biases and layer
    norms.

    encoder (Mapping[str, Any]): The settings of the encoder's block; see
        `group_parameters`. A learning rate of 0 freezes weights.
    """

    def __init__(self, network: CorefNetwork, encoder: Mapping[str, Any]) -> None:
        groups = group_parameters(network, encoder)
        self.groups = [group for group in groups if group["lr_factor"]]
        # Computing gradients is most of the work, and frozen weights do not need them.
        for group in groups:
            for parameter in group["params"]:
                parameter.requires_grad_(bool(group["lr_factor"]))
        self.parameters = [p for group in self.groups for p in group["params"]]
        # Made at the first step, because its class depends on the settings.
        self.optimizer: Optional[torch.optim.Optimizer] = None
        self._restored: Dict[str, Tensor] = {}
        self.n_steps = 0

    def step(self, settings: Optimizer) -> None:
        """Update the weights by their gradients, and clear the gradients.

        Gradients that are not finite, which can occur in half precision, are skipped
        with a warning. A step with them would set all weights to NaN.

        RAISES (ValueError): PyTorch has no equivalent of the optimizer.
        """
        optimizer = self._get_optimizer(*choose_optimizer(settings))
        for group in optimizer.param_groups:
            group["lr"] = float(settings.learn_rate) * group["lr_factor"]
            group["weight_decay"] = float(settings.L2) * group["decays"]
            if "betas" in group:
                group["betas"] = (float(settings.b1), float(settings.b2))
                group["eps"] = float(settings.eps)
        max_norm = float(settings.grad_clip or torch.inf)
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, max_norm)
        if norm.isfinite():
            optimizer.step()
            self.n_steps += 1
        else:
            warnings.warn(Warnings.FCW24.format(norm=float(norm)), stacklevel=2)
        optimizer.zero_grad(set_to_none=True)

    def get_state(self) -> Dict[str, Tensor]:
        """Get the state of the optimizer, such as the moments of Adam.

        RETURNS (Dict[str, Tensor]): The tensors, named by the number of the weight and
            PyTorch's name; empty for SGD, which has no state.
        """
        if self.optimizer is None:
            return self._restored
        return {
            f"{i}.{name}": value
            for i, values in self.optimizer.state_dict()["state"].items()
            for name, value in values.items()
            if isinstance(value, Tensor)
        }

    def set_state(self, state: Dict[str, Tensor]) -> None:
        """Replace the state of the optimizer."""
        self._restored = state
        self.n_steps += bool(state)
        if self.optimizer is not None:
            self._restore(self.optimizer)

    def _get_optimizer(
        self, make: OptimizerClass, settings: Dict[str, Any]
    ) -> torch.optim.Optimizer:
        """Get the optimizer, or make it if it is missing or its settings changed."""
        current = self.optimizer
        is_same = type(current) is make and settings.items() <= current.defaults.items()
        if is_same:
            return current
        new = make(self.groups, lr=0.0, **settings)
        if current is None:
            self._restore(new)
        self.optimizer = new
        return new

    def _restore(self, optimizer: torch.optim.Optimizer) -> None:
        """Load the state that was given to `set_state` into an optimizer."""
        values: Dict[int, Dict[str, Tensor]] = defaultdict(dict)
        for key, tensor in self._restored.items():
            i, name = key.split(".")
            values[int(i)][name] = tensor
        groups = optimizer.state_dict()["param_groups"]
        optimizer.load_state_dict({"state": dict(values), "param_groups": groups})
        self._restored = {}


def choose_optimizer(settings: Optimizer) -> Tuple[OptimizerClass, Dict[str, Any]]:
    """Choose the PyTorch optimizer that is equivalent to a Thinc optimizer.

    | Thinc | PyTorch |
    | --- | --- |
    | Adam, L2_is_weight_decay | AdamW |
    | Adam | Adam, weight_decay added to the gradients |
    | RAdam (`use_radam`), L2_is_weight_decay | RAdam, decoupled_weight_decay |
    | RAdam | RAdam, weight_decay added to the gradients |
    | SGD (both betas 0) | SGD, for which both kinds of L2 are the same |

    Thinc's RAdam counts steps from 2. PyTorch's counts from 1, as in the paper.

    RETURNS (Tuple[Type[torch.optim.Optimizer], Dict[str, Any]]): The class, and the
        settings that are the same in each step.
    RAISES (ValueError): There is no equivalent.
    """
    kind = type(settings).__name__
    is_thinc = isinstance(settings, Optimizer)
    if not is_thinc or type(settings).__call__ is not Optimizer.__call__:
        reason = f"{kind} is not thinc.api.Optimizer"
        raise ValueError(Errors.FC122.format(reason=reason))
    b1, b2 = float(settings.b1), float(settings.b2)
    is_decoupled = bool(settings.L2_is_weight_decay)
    if settings.use_radam:
        return torch.optim.RAdam, {"decoupled_weight_decay": is_decoupled}
    if b1 > 0 and b2 > 0:
        make = torch.optim.AdamW if is_decoupled else torch.optim.Adam
        return make, {"fused": True}
    if b1 == 0 and b2 == 0:
        return torch.optim.SGD, {}
    reason = f"its beta1 is {b1} and its beta2 {b2}, of which one alone is 0"
    raise ValueError(Errors.FC122.format(reason=reason))


def group_parameters(
    network: CorefNetwork, encoder: Mapping[str, Any]
) -> List[Dict[str, Any]]:
    """Group the weights by the factor of their learning rate.

    encoder (Mapping[str, Any]): The settings of the encoder's block: `learn_rate`,
        `layer_decay` and `frozen_layers` of a TransformerBlock, `scorer_learn_rate` of
        a TokenVectorsBlock.
    RETURNS (List[Dict[str, Any]]): The parameter groups for PyTorch's optimizers.
        "lr_factor" is the factor of the learning rate; for layers with an attribute
        `learn_rate` it is `scorer_learn_rate` multiplied by that. "decays" is 1 if
        L2 applies, and 0 for biases and norms.
    """
    learn_rate, layer_decay, scorer_learn_rate = (
        encoder.get(key, 1.0)
        for key in ("learn_rate", "layer_decay", "scorer_learn_rate")
    )
    frozen_layers = encoder.get("frozen_layers", 0)
    layer_rates = {
        f"{name}.{key}": module.learn_rate
        for name, module in network.named_modules()
        for key, _ in module.named_parameters(recurse=False)
        if hasattr(module, "learn_rate")
    }
    depths = {
        f"encoder.{name}": _find_depth(name)
        for name, _ in network.encoder.named_parameters()
    }
    n_layers = max(depths.values(), default=0)
    groups: Dict[Any, Dict[str, Any]] = {}
    for name, parameter in network.named_parameters():
        if not parameter.requires_grad:
            continue
        factor = scorer_learn_rate * layer_rates.get(name, 1.0)
        if name in depths:
            is_frozen = depths[name] <= frozen_layers and frozen_layers > 0
            rate = 0.0 if is_frozen else learn_rate
            factor = rate * layer_decay ** (n_layers - depths[name])
        decays = float(parameter.ndim > 1)
        group = {"params": [], "lr_factor": factor, "decays": decays}
        groups.setdefault((factor, decays), group)["params"].append(parameter)
    return list(groups.values())


def _find_depth(name: str) -> int:
    """Find the layer of a weight: 0 for embeddings, 1 for the first layer."""
    match = _LAYER.search(f".{name}")
    return 0 if match is None else int(match.group(1)) + 1
