"""An ensemble: several models in one, which predicts with the mean of their scores."""

from functools import reduce
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
import torch
from spacy.tokens import Doc
from torch import Tensor

from ..errors import Errors
from ..types import Links, Offsets
from .batching import Batch, Pieces
from .checkpoints.checkpoint import FILES, Checkpoint
from .folders import SUMS, SavedModel, add_sums
from .model import NetworkModel, reject_gradients
from .network.links import find_links
from .network.network import CorefNetwork
from .network.prediction import predict_links
from .runtime import Runtime
from .scorers.mention_vectors import MentionVectors


class EnsembleModel(SavedModel):
    """Predict with the mean of the scores of several models; see CorefModel."""

    def __init__(self, members: Dict[str, NetworkModel]) -> None:
        layers = [*members.values()]
        super().__init__("coref_ensemble", _forward, init=_init, layers=layers)
        self.members = members

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

    def get_file_names(self) -> Tuple[str, ...]:
        return tuple(f"{name}/{file}" for name in self.members for file in FILES)

    def make_files(self) -> Dict[str, bytes]:
        files = {}
        for name, model in self.members.items():
            made = model.make_files()
            files |= {f"{name}/{file}": made[file] for file in (*FILES, SUMS)}
        return add_sums(files)

    def set_files(self, files: Dict[str, bytes], origin: str) -> None:
        found = [
            Checkpoint.from_files({file: files[f"{name}/{file}"] for file in FILES})
            for name in self.members
        ]
        # Once all were read, so that a broken one replaces nothing.
        for (name, model), checkpoint in zip(self.members.items(), found, strict=True):
            model.set_checkpoint(checkpoint)
            model.origin = str(Path(origin) / name)


# At module level, so that the model can be pickled.
def _forward(
    model: EnsembleModel, docs: Sequence[Doc], is_train: bool
) -> Tuple[List[Links], Callable]:
    if is_train:
        raise NotImplementedError(Errors.FC108.format(action="trained"))
    runtime = model.layers[0].runtime
    loaded = [one.get_network() for one in model.layers]
    network = EnsembleNetwork([network for network, _ in loaded])

    def read_all(group: List[int]) -> List[List[Pieces]]:
        return [[read(docs[i], None, runtime) for _, read in loaded] for i in group]

    lengths = [len(doc) for doc in docs]
    return predict_links(network, lengths, read_all, runtime), reject_gradients


def _init(model: EnsembleModel, X: Any = None, Y: Any = None) -> None:
    for one in model.layers:
        one.restore()


class EnsembleNetwork:
    """Score mentions and pairs by the mean of the scores of several networks.

    The network with the smallest maximum span length decides how many mentions are
    kept, because only spans up to that length are scored by all networks.

    networks (Sequence[CorefNetwork]): The networks, on one device.
    """

    def __init__(self, networks: Sequence[CorefNetwork]) -> None:
        self.networks = networks
        self.max_segment_len = max(network.max_segment_len for network in networks)
        widths = [network.max_span_length for network in networks]
        self.width = min(widths)
        self.pruner = widths.index(self.width)

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return self.networks[0].device

    def predict(self, docs: Sequence[List[Pieces]], runtime: Runtime) -> List[Links]:
        """Find the links of documents, each in the word pieces of each network."""
        shared = [reduce(np.intersect1d, [p.tokens for p in pieces]) for pieces in docs]
        batches = [
            Batch.from_pieces([*map(Pieces.keep_words, pieces, shared)])
            for pieces in zip(*docs, strict=True)
        ]
        batch = batches[self.pruner]
        if not len(batch.first):
            return [Links.empty() for _ in docs]
        words = self._map_networks(
            lambda network, batch: network.encode_words(batch, runtime), batches
        )
        bands = self._map_networks(CorefNetwork.score_mentions, batches, words)
        band = _average([band[:, : self.width] for band in bands])
        mentions = self.networks[self.pruner].choose_mentions(batch, band)
        vectors = self._map_networks(
            lambda network, words: network.represent_mentions(words, mentions)[0], words
        )
        return find_links(batch, mentions, vectors, self.score_pairs, runtime)

    def score_pairs(
        self, scores: Tensor, vectors: Sequence[MentionVectors], *args: Any
    ) -> Tensor:
        """Score some mentions with others; see CorefNetwork.score_pairs.

        vectors (Sequence[MentionVectors]): Those of each network.
        """
        pairs = self._map_networks(
            lambda network, own: network.score_pairs(scores, own, *args), vectors
        )
        return _average(pairs)

    def _map_networks(self, function: Callable, *parts: Sequence) -> List:
        return [*map(function, self.networks, *parts)]


def _average(scores: Sequence[Tensor]) -> Tensor:
    # In place, because a novel has many pairs. All networks have -inf for the same
    # spans and pairs.
    return reduce(Tensor.add_, scores).div_(len(scores))
