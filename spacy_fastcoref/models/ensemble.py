"""An ensemble: several models in one, which predicts with the mean of their scores."""

from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
import srsly
from spacy.tokens import Doc
from thinc.api import Model

from ..errors import Errors, name_bytes_in_errors
from ..files import replace_folder
from ..types import CorefModel, Links, Offsets
from .batching import Pieces
from .checkpoints.checkpoint import Checkpoint
from .model import NetworkModel, reject_gradients
from .network.ensemble import EnsembleNetwork
from .network.prediction import predict_links


class EnsembleModel(Model[List[Doc], List[Links]], CorefModel):
    """Predict with the mean of the scores of several models; see CorefModel.

    members (Dict[str, NetworkModel]): The models by name, at least two, each with an
        encoder of its own.
    """

    def __init__(self, members: Dict[str, NetworkModel]) -> None:
        layers = [*members.values()]
        super().__init__("coref_ensemble", _forward, init=_init, layers=layers)
        self.names = [*members]

    @property
    def members(self) -> Dict[str, NetworkModel]:
        """The models by name."""
        return dict(zip(self.names, self.layers, strict=True))

    def score_pairs(
        self, doc: Doc, pairs: Sequence[Tuple[Offsets, Offsets]]
    ) -> np.ndarray:
        scores = [model.score_pairs(doc, pairs) for model in self.layers]
        return np.mean(scores, axis=0)

    def get_loss(
        self, golds: Sequence[Any], scores: Any, **weights: float
    ) -> Tuple[float, Any]:
        raise NotImplementedError(Errors.FC108.format(action="trained"))

    def choose_weights(self, lang: str, path: Optional[str] = None) -> Optional[Path]:
        # Each model has a path of its own, or else the weights of the language.
        super().choose_weights(lang, path)
        for model in self.layers:
            model.choose_weights(lang)
        return None

    def check_available(self) -> None:
        for model in self.layers:
            model.check_available()

    def set_runtime(self, **settings: Any) -> None:
        for model in self.layers:
            model.set_runtime(**settings)

    def to_bytes(self) -> bytes:
        """Write the models' bytes by name in one msgpack."""
        parts = {name: model.to_bytes() for name, model in self.members.items()}
        return srsly.msgpack_dumps(parts)

    def from_bytes(self, bytes_data: bytes) -> "EnsembleModel":
        """Read what to_bytes wrote; see NetworkModel."""
        with name_bytes_in_errors():
            parts = srsly.msgpack_loads(bytes_data)
            found = [Checkpoint.from_bytes(parts[name]) for name in self.names]
        # Once all were read, so that a broken one replaces nothing.
        for model, checkpoint in zip(self.layers, found, strict=True):
            model.set_checkpoint(checkpoint)
        return self

    def to_disk(self, path: Union[str, Path]) -> None:
        """Save each model in a folder of its name; see NetworkModel."""
        with replace_folder(Path(path)) as new:
            for name, model in self.members.items():
                model.to_disk(new / name)

    def from_disk(self, path: Union[str, Path]) -> "EnsembleModel":
        """Load what to_disk saved; see NetworkModel."""
        found = [Checkpoint.from_disk(Path(path) / name) for name in self.names]
        for (name, model), checkpoint in zip(self.members.items(), found, strict=True):
            model.set_checkpoint(checkpoint)
            model.origin = str(Path(path) / name)
        return self

    def _copy(self, seen: Optional[Dict[int, Any]] = None) -> "EnsembleModel":
        return EnsembleModel({name: m._copy(seen) for name, m in self.members.items()})


# At module level, so that the model can be pickled.
def _forward(
    model: EnsembleModel, docs: Sequence[Doc], is_train: bool
) -> Tuple[List[Links], Callable]:
    if is_train:
        raise NotImplementedError(Errors.FC108.format(action="trained"))
    loaded = [one.get_network() for one in model.layers]
    network = EnsembleNetwork([network for network, _ in loaded])

    def encode(i: int) -> Tuple[Pieces, ...]:
        pairs = zip(model.layers, loaded, strict=True)
        return tuple(one.encode(*parts, docs[i]) for one, parts in pairs)

    lengths = [len(doc) for doc in docs]
    runtime = model.layers[0].runtime
    return predict_links(network, lengths, encode, runtime), reject_gradients


def _init(model: EnsembleModel, X: Any = None, Y: Any = None) -> None:
    for one in model.layers:
        one.restore()
