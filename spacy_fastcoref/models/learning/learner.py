"""A network in training: gradients in, changed weights out."""

from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch
from thinc.api import Optimizer
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from ...batching import Batch
from ..inference.network import CorefNetwork
from ..inference.runtime import Runtime, find_training_dtype
from ..scorers.layers import iter_variable_dropout, mark_variable_dropout
from .optimizer import NetworkOptimizer
from .train_scores import TrainScores

# What makes queries has the dropout of attention weights.
_QUERIES = ("query", "q", "q_lin")
_OF_ATTENTION = ("attention_dropout", "attn_dropout")
_MOMENTS = "moments."
_AVERAGE = "average."


class Learner:
    """Train a network.

    network (CorefNetwork): The network, in float32.
    encoder (Dict[str, Any]): The settings of the encoder's block; the learning rates
        and dropout are used where they are given.
    """

    def __init__(self, network: CorefNetwork, encoder: Dict[str, Any]) -> None:
        self.network = network
        self.optimizer = NetworkOptimizer(
            network,
            encoder_learn_rate=encoder.get("learn_rate", 1.0),
            layer_decay=encoder.get("layer_decay", 1.0),
            frozen_layers=encoder.get("frozen_layers", 0),
            scorer_learn_rate=encoder.get("scorer_learn_rate", 1.0),
        )
        # What TransformerBlock.dropout is: None for the rate of `nlp.update(drop=...)`.
        dropout = encoder.get("dropout", 0.0)
        word_dropout = encoder.get("word_dropout", 0.0)
        if dropout is None or dropout or word_dropout:
            set_dropout(network.encoder.transformer, dropout, word_dropout)
        self._has_fixed_dropout = bool(dropout or word_dropout)
        self.has_encoder_dropout = self._has_fixed_dropout
        # The running mean of the weights, once an optimizer asks for it, and which one;
        # none yet, if it is of a state that was restored.
        self.average: Optional[AveragedModel] = None
        self._averager: Optional[Optimizer] = None
        # Whether the weights are others than when they were last read.
        self.has_changed = False

    @property
    def has_updated(self) -> bool:
        """Whether the weights were updated."""
        return self.optimizer.n_steps > 0

    def set_drop(self, rate: float) -> None:
        """Set the dropout rate of the layers whose blocks set none.

        rate (float): The rate, that of `nlp.update(drop=...)`.
        """
        layers = [*iter_variable_dropout(self.network)]
        for layer in layers:
            layer.p = rate
        varies = any(True for _ in iter_variable_dropout(self.network.encoder))
        self.has_encoder_dropout = self._has_fixed_dropout or (varies and rate > 0)

    def score(self, batch: Batch, runtime: Runtime) -> List[TrainScores]:
        """Score a batch of documents.

        batch (Batch): The documents.
        runtime (Runtime): The precision, for the encoder, and the batch size.
        RETURNS (List[TrainScores]): The scores of each document.
        """
        self.network.train()
        self.network.encoder.train(self.has_encoder_dropout)
        dtype = find_training_dtype(runtime.precision, self.network.device)
        self.network.autocast_dtype = None if dtype == torch.float32 else dtype
        return self.network.score_for_training(batch, runtime)

    def backprop(
        self,
        scores: Sequence[TrainScores],
        gradients: Sequence[Tuple[Tensor, ...]],
    ) -> None:
        """Add to the gradients of the weights.

        scores (Sequence[TrainScores]): What `score` returned.
        gradients (Sequence[Tuple[Tensor, ...]]): For each document those of
            TrainScores.tensors.
        """
        outputs = [tensor for s in scores for tensor in s.tensors]
        given = [tensor for group in gradients for tensor in group]
        # Documents without words have no part in the network.
        pairs = [p for p in zip(outputs, given, strict=True) if p[0].requires_grad]
        if pairs:
            torch.autograd.backward(*zip(*pairs, strict=True))

    def finish_update(self, optimizer: Optimizer) -> None:
        """Change the weights.

        optimizer (Optimizer): The config's optimizer, for its settings.
        """
        self.optimizer.step(optimizer)
        self.has_changed = True
        if optimizer.averages is not None:
            if self.average is None or self._averager not in (None, optimizer):
                self.average = AveragedModel(self.network, multi_avg_fn=_average)
            self._averager = optimizer
            self.average.update_parameters(self.network)

    def get_state(self) -> Dict[str, Tensor]:
        """Get what later steps depend on, beside the weights.

        RETURNS (Dict[str, Tensor]): The optimizer's moments and the averages, on the
            CPU.
        """
        state = {
            f"{_MOMENTS}{name}": tensor
            for name, tensor in self.optimizer.get_state().items()
        }
        if self.average is not None:
            averages = self.average.state_dict()
            state.update((f"{_AVERAGE}{name}", t) for name, t in averages.items())
        return {name: tensor.detach().cpu().clone() for name, tensor in state.items()}

    def set_state(self, state: Dict[str, Tensor]) -> None:
        """Go on from a state, with the weights of that time.

        state (Dict[str, Tensor]): What get_state returned.
        """
        moments, averages = (
            {key.removeprefix(p): t for key, t in state.items() if key.startswith(p)}
            for p in (_MOMENTS, _AVERAGE)
        )
        self.optimizer.set_state(moments)
        if averages:
            self.average = AveragedModel(self.network, multi_avg_fn=_average)
            self.average.load_state_dict(averages)
            self._averager = None


def set_dropout(
    transformer: nn.Module, dropout: Optional[float], word_dropout: float
) -> None:
    """Set an encoder's dropout rates.

    transformer (torch.nn.Module): A model of transformers.
    dropout (Optional[float]): The rate of all layers except attention, which gets 0,
        since PyTorch's fast attention on a CPU has no dropout; None for a rate that
        Learner.set_drop sets.
    word_dropout (float): The share of word pieces whose embeddings are zeroed in
        training.
    """
    embeddings = transformer.get_input_embeddings()
    for name, module in transformer.named_modules():
        if isinstance(module, nn.Dropout):
            layer, _, own = name.rpartition(".")
            layer = transformer.get_submodule(layer)
            makes_queries = any(hasattr(layer, query) for query in _QUERIES)
            is_attention = own in _OF_ATTENTION or (own == "dropout" and makes_queries)
            module.p = 0.0 if is_attention else dropout or 0.0
            if dropout is None and not is_attention:
                mark_variable_dropout(module)

    def hide(module: nn.Module, inputs: Any, embedded: Tensor) -> Tensor:
        # Of a copy, as for averages, only this module is the copy's.
        if not module.training:
            return embedded
        kept = torch.rand(embedded.shape[:-1], device=embedded.device) >= word_dropout
        return embedded * kept[..., None]

    if word_dropout:
        embeddings.register_forward_hook(hide)


def read_tensors(network: CorefNetwork) -> Dict[str, Tensor]:
    """Read a network's weights.

    network (CorefNetwork): The network.
    RETURNS (Dict[str, Tensor]): Copies on the CPU.
    """
    return {
        name: tensor.detach().cpu().clone().contiguous()
        for name, tensor in network.state_dict().items()
    }


@torch.no_grad()
def _average(means: List[Tensor], weights: List[Tensor], n_steps: Tensor) -> None:
    """Move each mean towards the weights, as Thinc's optimizer does."""
    share = 1.0 - min((1.0 + int(n_steps)) / (10.0 + int(n_steps)), 0.9999)
    for mean, weight in zip(means, weights, strict=True):
        mean.lerp_(weight, share)
