"""PyTorch's optimizers for the settings of the config's Thinc optimizer."""

import re
from typing import Any, Dict, List, Mapping, Tuple, Type

import torch
from thinc.api import Optimizer

from ...errors import Errors
from ..network.network import CorefNetwork

_LAYER = re.compile(r"\.(?:layer|layers|block|h)\.(\d+)\.")
OptimizerClass = Type[torch.optim.Optimizer]


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
