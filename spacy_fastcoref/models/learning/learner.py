"""The training of a network: dropout, gradients, updates and averages."""

import re
import warnings
from collections import defaultdict
from typing import Any, Dict, List, Mapping, Optional, Tuple, Type

import torch
from thinc.api import Optimizer
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from ...errors import Errors, Warnings
from ..batching import Batch
from ..network.network import CorefNetwork
from ..network.train_scores import TrainScores, score_for_training
from ..runtime import Runtime, choose_dtype

# The attributes of attention layers for the query projection, and for the dropout of
# attention weights. A layer that projects queries may also call that "dropout".
_QUERIES = ("query", "q", "q_lin")
_ATTENTION_DROPOUT = ("attention_dropout", "attn_dropout")
_MOMENTS = "moments."
_AVERAGE = "average."


class Learner:
    """Train a network, which is in float32.

    encoder (Mapping[str, Any]): The settings of the encoder's block.
    """

    def __init__(self, network: CorefNetwork, encoder: Mapping[str, Any]) -> None:
        self.network = network
        groups = group_parameters(network, encoder)
        # Computing gradients is most of the work, and frozen weights do not need them.
        for group in groups:
            for parameter in group["params"]:
                parameter.requires_grad_(bool(group["lr_factor"]))
        self._groups = [group for group in groups if group["lr_factor"]]
        # Made at the first step, because its class depends on the settings.
        self.optimizer: Optional[torch.optim.Optimizer] = None
        # The state that the optimizer begins with.
        self._moments: Dict[str, Tensor] = {}
        # As in TransformerBlock, None stands for the rate of `nlp.update(drop=...)`.
        rates = encoder.get("dropout", 0.0), encoder.get("word_dropout", 0.0)
        if None in rates or any(rates):
            set_dropout(network.encoder.transformer, *rates)
        self.has_encoder_dropout = self._has_fixed_dropout = any(rates)
        # The running average of the weights, if the optimizer uses averages, and that
        # optimizer. After a state was restored, the next optimizer continues it.
        self.average: Optional[AveragedModel] = None
        self._averager: Optional[Optimizer] = None
        # Whether the weights have changed since they were last read.
        self.has_changed = False

    def set_drop(self, rate: float) -> None:
        """Set the dropout rate of the layers whose blocks have `dropout = null`."""
        self.has_encoder_dropout = self._has_fixed_dropout
        for name, layer in self.network.named_modules():
            if getattr(layer, "is_variable", False):
                layer.p = rate
                self.has_encoder_dropout |= name.startswith("encoder.") and rate > 0

    def score(self, batch: Batch, runtime: Runtime) -> List[TrainScores]:
        """Score a batch of documents for training."""
        self.network.train()
        self.network.encoder.train(self.has_encoder_dropout)
        device = self.network.device
        dtype = choose_dtype(runtime.precision, device, for_training=True)
        self.network.autocast_dtype = None if dtype == torch.float32 else dtype
        return score_for_training(self.network, batch, runtime)

    def finish_update(self, settings: Optimizer) -> None:
        """Update the weights by their gradients, as the config's optimizer would.

        Thinc's optimizers update one NumPy or CuPy array at a time, and PyTorch's all
        weights on the device of the network. There are two differences: gradients are
        clipped by their common norm, before L2 is added; and L2 does not apply to
        biases and layer norms.
        """
        optimizer = self._get_optimizer(*choose_optimizer(settings))
        for group in optimizer.param_groups:
            group["lr"] = float(settings.learn_rate) * group["lr_factor"]
            group["weight_decay"] = float(settings.L2) * group["decays"]
            if "betas" in group:
                group["betas"] = (float(settings.b1), float(settings.b2))
                group["eps"] = float(settings.eps)
        parameters = [p for group in self._groups for p in group["params"]]
        max_norm = float(settings.grad_clip or torch.inf)
        norm = torch.nn.utils.clip_grad_norm_(parameters, max_norm)
        # In half precision, gradients can be infinite, and would set weights to NaN.
        if norm.isfinite():
            optimizer.step()
        else:
            what = "the norm of its gradients"
            message = Warnings.FCW24.format(what=what, value=float(norm))
            warnings.warn(message, stacklevel=2)
        optimizer.zero_grad(set_to_none=True)
        self.has_changed = True
        if settings.averages is not None:
            if self.average is None or self._averager not in (None, settings):
                self.average = self._copy_weights()
            self._averager = settings
            self.average.update_parameters(self.network)

    def get_state(self) -> Dict[str, Tensor]:
        """Get the averages, and the moments of the optimizer, to resume training."""
        state = {f"{_MOMENTS}{name}": t for name, t in self._moments.items()}
        if self.optimizer is not None:
            moments = self.optimizer.state_dict()["state"]
            state = {
                f"{_MOMENTS}{i}.{name}": value
                for i, values in moments.items()
                for name, value in values.items()
                if isinstance(value, Tensor)
            }
        if self.average is not None:
            averages = self.average.state_dict()
            state.update((f"{_AVERAGE}{name}", t) for name, t in averages.items())
        return {name: tensor.detach().cpu().clone() for name, tensor in state.items()}

    def set_state(self, state: Dict[str, Tensor]) -> None:
        """Resume training from a state. The weights have to be those of that state."""
        self._moments, averages = (
            {key.removeprefix(p): t for key, t in state.items() if key.startswith(p)}
            for p in (_MOMENTS, _AVERAGE)
        )
        self.optimizer = None
        if averages:
            self.average = self._copy_weights()
            self.average.load_state_dict(averages)
            self._averager = None

    def _get_optimizer(
        self, make: Type[torch.optim.Optimizer], settings: Dict[str, Any]
    ) -> torch.optim.Optimizer:
        current = self.optimizer
        if type(current) is make and settings.items() <= current.defaults.items():
            return current
        self.optimizer = made = make(self._groups, lr=0.0, **settings)
        if current is None:
            moments: Dict[int, Dict[str, Tensor]] = defaultdict(dict)
            for key, tensor in self._moments.items():
                i, name = key.split(".")
                moments[int(i)][name] = tensor
            groups = made.state_dict()["param_groups"]
            made.load_state_dict({"state": dict(moments), "param_groups": groups})
        return made

    def _copy_weights(self) -> AveragedModel:
        return AveragedModel(self.network, multi_avg_fn=_update_averages)


def set_dropout(
    transformer: nn.Module, dropout: Optional[float], word_dropout: float
) -> None:
    """Set the dropout rates of an encoder; `Learner.set_drop` sets those of None."""
    for name, module in transformer.named_modules():
        if isinstance(module, nn.Dropout):
            layer, _, attribute = name.rpartition(".")
            layer = transformer.get_submodule(layer)
            has_query = any(hasattr(layer, query) for query in _QUERIES)
            is_attention = attribute in _ATTENTION_DROPOUT or (
                attribute == "dropout" and has_query
            )
            module.p = 0.0 if is_attention else dropout or 0.0
            module.is_variable = dropout is None and not is_attention

    def drop_words(module: nn.Module, inputs: Any, embedded: Tensor) -> Tensor:
        # In a copy of the network, as for averages, the module is another one.
        if not module.training:
            return embedded
        kept = torch.rand(embedded.shape[:-1], device=embedded.device) >= word_dropout
        return embedded * kept[..., None]

    if word_dropout:
        transformer.get_input_embeddings().register_forward_hook(drop_words)


@torch.no_grad()
def _update_averages(
    averages: List[Tensor], weights: List[Tensor], n_steps: Tensor
) -> None:
    """Move each average towards the weights, at the rate of Thinc's optimizer."""
    rate = 1.0 - min((1.0 + int(n_steps)) / (10.0 + int(n_steps)), 0.9999)
    torch._foreach_lerp_(averages, weights, rate)


_LAYER = re.compile(r"\.(?:layer|layers|block|h)\.(\d+)\.")
OptimizerClass = Type[torch.optim.Optimizer]


def choose_optimizer(settings: Optimizer) -> Tuple[OptimizerClass, Dict[str, Any]]:
    """Choose the PyTorch optimizer for that of Thinc, and its fixed settings.

    Thinc's RAdam counts steps from 2. PyTorch's counts from 1, as in the paper.
    """
    if type(settings).__call__ is not Optimizer.__call__:
        reason = f"{type(settings).__name__} is not thinc.api.Optimizer"
        raise ValueError(Errors.FC122.format(reason=reason))
    b1, b2 = float(settings.b1), float(settings.b2)
    is_decoupled = bool(settings.L2_is_weight_decay)
    if settings.use_radam:
        return torch.optim.RAdam, {"decoupled_weight_decay": is_decoupled}
    if b1 > 0 and b2 > 0:
        make = torch.optim.AdamW if is_decoupled else torch.optim.Adam
        return make, {"fused": True}
    if b1 == 0 and b2 == 0:
        # Both kinds of L2 are the same for it.
        return torch.optim.SGD, {}
    reason = f"its beta1 is {b1} and its beta2 {b2}, of which one alone is 0"
    raise ValueError(Errors.FC122.format(reason=reason))


def group_parameters(
    network: CorefNetwork, encoder: Mapping[str, Any]
) -> List[Dict[str, Any]]:
    """Group the weights for PyTorch's optimizers.

    "lr_factor" is the factor of the learning rate, which layers of scorers can have as
    `learn_rate`. "decays" is 1 if L2 applies, and 0 for biases and norms.
    """
    rates = "learn_rate", "layer_decay", "scorer_learn_rate"
    learn_rate, layer_decay, scorer_learn_rate = (encoder.get(r, 1.0) for r in rates)
    frozen_layers = encoder.get("frozen_layers", 0)
    layer_rates = {
        f"{name}.{key}": module.learn_rate
        for name, module in network.named_modules()
        for key, _ in module.named_parameters(recurse=False)
        if hasattr(module, "learn_rate")
    }
    depths = {}
    for name, _ in network.encoder.named_parameters():
        match = _LAYER.search(f".{name}")
        # 0 for embeddings, 1 for the first layer.
        depths[f"encoder.{name}"] = 0 if match is None else int(match[1]) + 1
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
