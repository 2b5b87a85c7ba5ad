"""The shim of an ensemble: several models in one Thinc model."""

from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
import srsly
from spacy.tokens import Doc
from thinc.api import Shim

from ..errors import Errors, name_bytes_in_errors
from ..files import replace_folder
from ..types import Links, Offsets
from .batching import Pieces
from .checkpoints.checkpoint import Checkpoint
from .network.ensemble import EnsembleNetwork
from .network.prediction import predict_links
from .shim import CorefShim, reject_gradients


class EnsembleShim(Shim):
    """Hold several models and predict with the mean of their scores.

    members (Dict[str, CorefShim]): The models by name, at least two, each with an
        encoder of its own.
    """

    def __init__(self, members: Dict[str, CorefShim]) -> None:
        super().__init__(None)
        self.members = members

    def __call__(
        self, docs: Sequence[Doc], is_train: bool, *, drop: float = 0.0
    ) -> Tuple[List[Links], Callable]:
        """Find the mentions of each Doc and their best antecedents; see CorefShim.

        RAISES (NotImplementedError): `is_train` is True.
        """
        if is_train:
            raise NotImplementedError(Errors.FC108.format(action="trained"))
        shims = [*self.members.values()]
        loaded = [shim.get_network() for shim in shims]
        network = EnsembleNetwork([network for network, _ in loaded])

        def encode(i: int) -> Tuple[Pieces, ...]:
            pairs = zip(shims, loaded, strict=True)
            return tuple(shim.encode(*parts, docs[i]) for shim, parts in pairs)

        lengths = [len(doc) for doc in docs]
        return predict_links(
            network, lengths, encode, shims[0].runtime
        ), reject_gradients

    def score_pairs(
        self, doc: Doc, pairs: Sequence[Tuple[Offsets, Offsets]]
    ) -> np.ndarray:
        """Score any pairs of spans of one Doc by the mean of the models' scores."""
        scores = [shim.score_pairs(doc, pairs) for shim in self.members.values()]
        return np.mean(scores, axis=0)

    def choose_weights(self, lang: str, path: Optional[str] = None) -> Optional[Path]:
        """Set the language of the models that name neither a path nor a language.

        RAISES (ValueError): A path is given, although each model has one of its own, or
            no weights ship for the language.
        """
        if path is not None:
            raise ValueError(Errors.FC003.format(path=path))
        for shim in self.members.values():
            shim.choose_weights(lang)
        return None

    def check_available(self) -> None:
        """Check weights and device; see CorefModel."""
        for shim in self.members.values():
            shim.check_available()

    def set_runtime(self, **settings: Any) -> None:
        """Change some fields of Runtime."""
        for shim in self.members.values():
            shim.set_runtime(**settings)

    def initialize(self) -> None:
        """Load the weights that are not loaded yet."""
        for shim in self.members.values():
            shim.initialize()

    def load(self) -> Checkpoint:
        """Raise an error: an ensemble has several checkpoints."""
        raise NotImplementedError(Errors.FC108.format(action="averaged or exported"))

    def set_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Raise an error: an ensemble has several checkpoints."""
        self.load()

    def get_training_state(self) -> Dict[str, Any]:
        """Return an empty state, since an ensemble is not trained."""
        return {}

    def to_device(self, device_type: str, device_id: int) -> None:
        """Do nothing, because the component's setting `device` decides the device."""

    def to_bytes(self) -> bytes:
        parts = {name: shim.to_bytes() for name, shim in self.members.items()}
        return srsly.msgpack_dumps(parts)

    def from_bytes(self, data: bytes) -> "EnsembleShim":
        with name_bytes_in_errors():
            parts = srsly.msgpack_loads(data)
            found = {name: Checkpoint.from_bytes(parts[name]) for name in self.members}
        return self._set_checkpoints(found)

    def to_disk(self, path: Union[str, Path]) -> None:
        with replace_folder(Path(path)) as new:
            for name, shim in self.members.items():
                shim.to_disk(new / name)

    def from_disk(self, path: Union[str, Path]) -> "EnsembleShim":
        folders = {name: Path(path) / name for name in self.members}
        found = {name: Checkpoint.from_disk(folders[name]) for name in folders}
        self._set_checkpoints(found)
        for name, shim in self.members.items():
            shim.origin = str(folders[name])
        return self

    def _set_checkpoints(self, checkpoints: Dict[str, Checkpoint]) -> "EnsembleShim":
        # Called after all checkpoints were read, so that a broken one replaces nothing.
        for name, shim in self.members.items():
            shim.set_checkpoint(checkpoints[name])
        return self
