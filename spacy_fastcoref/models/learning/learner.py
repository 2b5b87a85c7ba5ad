"""The training of a network: dropout, gradients, updates and averages."""

from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import torch
from thinc.api import Optimizer
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from ..batching import Batch
from ..network.network import CorefNetwork
from ..network.train_scores import TrainScores
from ..runtime import Runtime, choose_training_dtype
from .optimizer import NetworkOptimizer

# The attributes of attention layers for the query projection, and for the dropout of
# attention weights. A layer that projects queries may also call that "dropout".
_QUERIES = ("query", "q", "q_lin")
_ATTENTION_DROPOUT = ("attention_dropout", "attn_dropout")
_MOMENTS = "moments."
_AVERAGE = "average."


class Learner:
    """Train a network.

    network (CorefNetwork): The network, in float32.
    encoder (Mapping[str, Any]): The settings of the encoder's block, which may have
        learning rates and dropout rates.
    """

    def __init__(self, network: CorefNetwork, encoder: Mapping[str, Any]) -> None:
        self.network = network
        self.optimizer = NetworkOptimizer(network, encoder)
        # As in TransformerBlock, None stands for the rate of `nlp.update(drop=...)`.
        dropout = encoder.get("dropout", 0.0)
        word_dropout = encoder.get("word_dropout", 0.0)
        if dropout is None or dropout or word_dropout:
            set_dropout(network.encoder.transformer, dropout, word_dropout)
        self._has_fixed_dropout = bool(dropout or word_dropout)
        self.has_encoder_dropout = self._has_fixed_dropout
        # The running average of the weights, if the optimizer uses averages, and that
        # optimizer. After a state was restored, the next optimizer continues it.
        self.average: Optional[AveragedModel] = None
        self._averager: Optional[Optimizer] = None
        # Whether the weights have changed since they were last read.
        self.has_changed = False

    @property
    def has_updated(self) -> bool:
        """Whether the weights were updated at least once."""
        return self.optimizer.n_steps > 0

    def set_drop(self, rate: float) -> None:
        """Set the dropout rate of the layers whose blocks have `dropout = null`.

        rate (float): The rate of `nlp.update(drop=...)`.
        """
        for layer in _iter_variable(self.network):
            layer.p = rate
        varies = any(True for _ in _iter_variable(self.network.encoder))
        self.has_encoder_dropout = self._has_fixed_dropout or (varies and rate > 0)

    def score(self, batch: Batch, runtime: Runtime) -> List[TrainScores]:
        """Score a batch of documents for training."""
        self.network.train()
        self.network.encoder.train(self.has_encoder_dropout)
        dtype = choose_training_dtype(runtime.precision, self.network.device)
        self.network.autocast_dtype = None if dtype == torch.float32 else dtype
        return self.network.score_for_training(batch, runtime)

    def backprop(
        self,
        scores: Sequence[TrainScores],
        gradients: Sequence[Tuple[Tensor, ...]],
    ) -> None:
        """Backpropagate gradients to the weights, and add them to the ones there.

        gradients (Sequence[Tuple[Tensor, ...]]): The gradients of each document, one
            for each of TrainScores.tensors.
        """
        outputs = [tensor for s in scores for tensor in s.tensors]
        all_gradients = [tensor for group in gradients for tensor in group]
        # The scores of documents without words do not depend on the weights.
        pairs = zip(outputs, all_gradients, strict=True)
        pairs = [pair for pair in pairs if pair[0].requires_grad]
        if pairs:
            torch.autograd.backward(*zip(*pairs, strict=True))

    def finish_update(self, optimizer: Optimizer) -> None:
        """Update the weights by their gradients."""
        self.optimizer.step(optimizer)
        self.has_changed = True
        if optimizer.averages is not None:
            if self.average is None or self._averager not in (None, optimizer):
                self.average = self._copy_weights()
            self._averager = optimizer
            self.average.update_parameters(self.network)

    def get_state(self) -> Dict[str, Tensor]:
        """Get what training needs to resume, except for the weights.

        RETURNS (Dict[str, Tensor]): The state of the optimizer and the averages, on the
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
        """Resume training from a state. The weights have to be those of that state."""
        moments, averages = (
            {key.removeprefix(p): t for key, t in state.items() if key.startswith(p)}
            for p in (_MOMENTS, _AVERAGE)
        )
        self.optimizer.set_state(moments)
        if averages:
            self.average = self._copy_weights()
            self.average.load_state_dict(averages)
            self._averager = None

    def _copy_weights(self) -> AveragedModel:
        return AveragedModel(self.network, multi_avg_fn=_update_averages)


def _iter_variable(network: nn.Module) -> Iterator[nn.Dropout]:
    """Iterate over the dropout layers whose rate is that of `nlp.update(drop=...)`."""
    for layer in network.modules():
        if getattr(layer, "is_variable", False):
            yield layer


def set_dropout(
    transformer: nn.Module, dropout: Optional[float], word_dropout: float
) -> None:
    """Set the dropout rates of an encoder of transformers.

    A rate of None is set later, by `Learner.set_drop`. Attention always gets 0, because
    PyTorch's fast attention on a CPU does not support dropout. `word_dropout` is the
    proportion of word pieces whose embeddings are set to 0 in training.
    """
    embeddings = transformer.get_input_embeddings()
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
        # Not `embeddings`: in a copy of the network, as for averages, that is still the
        # original's module.
        if not module.training:
            return embedded
        kept = torch.rand(embedded.shape[:-1], device=embedded.device) >= word_dropout
        return embedded * kept[..., None]

    if word_dropout:
        embeddings.register_forward_hook(drop_words)


@torch.no_grad()
def _update_averages(
    averages: List[Tensor], weights: List[Tensor], n_steps: Tensor
) -> None:
    """Move each average towards the weights, at the rate of Thinc's optimizer."""
    rate = 1.0 - min((1.0 + int(n_steps)) / (10.0 + int(n_steps)), 0.9999)
    for average, weight in zip(averages, weights, strict=True):
        average.lerp_(weight, rate)
