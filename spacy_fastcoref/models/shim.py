"""A Thinc shim that holds a PyTorch network and loads its weights at first use."""

import contextlib
import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union
from weakref import WeakSet

import numpy as np
import torch
from spacy.attrs import IS_TITLE, IS_UPPER, LENGTH
from spacy.tokens import Doc
from thinc.api import Optimizer, Shim, torch2xp, xp2torch
from torch import Tensor
from torch.optim.swa_utils import AveragedModel

from ..errors import Errors
from ..grammar.word_index import list_words
from ..span_groups import find_masked, read_group
from ..span_keys import CANDIDATES
from ..types import Links, Offsets
from .batching import Batch, Pieces
from .checkpoints.building import build_network
from .checkpoints.checkpoint import Checkpoint
from .checkpoints.sources import TrainedSource, check_name
from .encoders.pieces import PieceTokenizer
from .encoders.token_vectors import TokenVectors, take_tokens
from .encoders.word_features import SCHEME
from .learning.learner import Learner
from .network.network import CorefNetwork, read_tensors
from .network.pair_scorer import PairScorer
from .network.prediction import predict_links
from .network.train_scores import TrainScores
from .runtime import Runtime, choose_device, choose_dtype, is_forked, prepare_process
from .scorers.layers import set_precision

# One lock for all models, since a lock inside a model could not be pickled.
_LOADING = threading.RLock()
# The origin of a model that was loaded from bytes, for error messages.
_BYTES = "the bytes it was loaded from"
# The models in training. A forked process can't read their weights from a GPU, so they
# are copied to the CPU before a fork.
_LEARNING: "WeakSet[CorefShim]" = WeakSet()


def _copy_trained_weights() -> None:
    for shim in list(_LEARNING):
        shim.load()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_copy_trained_weights)


class CorefShim(Shim):
    """Hold a coreference model, whose weights are loaded at first use.

    source (Any): The source of the weights; see checkpoints.sources. It is not used if
        from_bytes or from_disk load weights.
    """

    def __init__(self, source: Any) -> None:
        super().__init__(None)
        self.source = source
        self.runtime = Runtime()
        self.origin = _BYTES
        self.checkpoint: Optional[Checkpoint] = None
        # The checkpoint that replaces the one from the source, if any.
        self._given: Optional[Checkpoint] = None
        self._network: Optional[CorefNetwork] = None
        self._tokenizer: Optional[PieceTokenizer] = None
        self._built_for: Optional[Tuple] = None
        self._learner: Optional[Learner] = None
        self._average: Optional[AveragedModel] = None
        # The scorer of the last document whose pairs were scored.
        self._pair_scorer: Optional[PairScorer] = None

    def __call__(
        self,
        docs: Sequence[Doc],
        is_train: bool,
        vectors: Optional[Sequence] = None,
        *,
        drop: float = 0.0,
    ) -> Tuple[List[Links], Callable]:
        """Find the mentions of Docs and their best antecedents.

        vectors (Optional[Sequence]): The token vectors of each Doc, arrays of shape
            (n_tokens, width), if a tok2vec layer computes them.
        RETURNS (Tuple[List[Links], Callable]): The links of each Doc, in order, and a
            callback that raises an error; in training, the output of begin_update.
        """
        if is_train:
            return self.begin_update(docs, vectors, drop=drop)
        network, tokenizer = self.get_network()
        tensors = [None] * len(docs) if vectors is None else [*map(xp2torch, vectors)]
        links = predict_links(
            network,
            [len(doc) for doc in docs],
            lambda i: self.encode(network, tokenizer, docs[i], tensors[i]),
            self.runtime,
        )
        known = network.temperatures
        temperatures = (known.get(doc.lang_, known["default"]) for doc in docs)
        pairs = zip(links, temperatures, strict=True)
        return [replace(one, temperature=t) for one, t in pairs], reject_gradients

    def begin_update(
        self,
        docs: Sequence[Doc],
        vectors: Optional[Sequence] = None,
        *,
        drop: float = 0.0,
    ) -> Tuple[List[TrainScores], Callable]:
        """Score Docs for training; see __call__.

        RETURNS (Tuple[List[TrainScores], Callable]): The scores of each Doc, detached
            from the network, and a callback. The callback takes the gradients of each
            Doc's TrainScores.tensors, accumulates the gradients of the weights, and
            returns the gradients of the token vectors, if there are any.
        """
        learner, tokenizer = self.get_learner()
        tensors = [
            None if array is None else xp2torch(array, requires_grad=True)
            for array in ([None] * len(docs) if vectors is None else vectors)
        ]
        pieces = [
            self.encode(learner.network, tokenizer, *pair)
            for pair in zip(docs, tensors, strict=True)
        ]
        learner.set_drop(drop)
        scores = learner.score(Batch.from_pieces(pieces), self.runtime)

        def backprop(gradients: Sequence[Tuple[Tensor, ...]]) -> List[Any]:
            learner.backprop(scores, gradients)
            return [
                torch2xp(torch.zeros_like(tensor) if grad is None else grad)
                for tensor, grad in ((t, t.grad) for t in tensors if t is not None)
            ]

        return [s.detach() for s in scores], backprop

    def finish_update(self, optimizer: Optimizer) -> None:
        """Update the weights with the accumulated gradients; see Learner."""
        if self._learner is None:
            return
        self._learner.finish_update(optimizer)
        if optimizer.averages is not None:
            # spaCy passes these averages to use_params when it evaluates and saves.
            optimizer.averages[self._averages_key] = self._learner.average

    @contextlib.contextmanager
    def use_params(self, params: Dict[Any, Any]) -> Iterator[None]:
        """Predict and save with the averages of the weights within a context."""
        self._average = params.get(self._averages_key)
        try:
            yield
        finally:
            self._average = None

    @property
    def _averages_key(self) -> Tuple[int, str]:
        return (id(self), "coref")

    def get_learner(self) -> Tuple[Learner, Optional[PieceTokenizer]]:
        """Get the network in training, with its optimizer, and its tokenizer.

        Predictions also use this network from now on.

        RAISES (ValueError): The model does not exist or is broken, or the device is not
            available.
        """
        with _LOADING:
            if self._learner is None:
                checkpoint = self.load()
                device = choose_device(self.runtime.device)
                network = build_network(checkpoint, self.origin).to(device)
                self._learner = Learner(network, checkpoint.config["encoder"])
                _LEARNING.add(self)
                self._tokenizer = _make_tokenizer(checkpoint, network, self.origin)
            return self._learner, self._tokenizer

    def get_training_state(self) -> Dict[str, Tensor]:
        """Get moments and averages by name; see CorefModel."""
        return {} if self._learner is None else self._learner.get_state()

    def set_training_state(self, state: Dict[str, Tensor]) -> None:
        """Restore the state, after the weights were loaded; see CorefModel."""
        self.get_learner()[0].set_state(state)

    def score_pairs(
        self,
        doc: Doc,
        pairs: Sequence[Tuple[Offsets, Offsets]],
        vectors: Optional[Any] = None,
    ) -> np.ndarray:
        """Score any pairs of spans of one Doc; see CorefModel."""
        return self.get_pair_scorer(doc, vectors)(pairs)

    def get_pair_scorer(self, doc: Doc, vectors: Optional[Any] = None) -> PairScorer:
        """Get a scorer for pairs of spans of one Doc, or of its token vectors.

        Repeated calls for the same Doc reuse its encoding, as long as the Doc and the
        weights do not change.
        """
        network, tokenizer = self.get_network()
        tensor = None if vectors is None else xp2torch(vectors)
        pieces = self.encode(network, tokenizer, doc, tensor)
        scorer = self._pair_scorer
        # Training changes the weights of the network in place.
        is_fixed = self._learner is None and vectors is None
        if (
            scorer is None
            or not is_fixed
            or not scorer.fits(network, pieces, self.runtime)
        ):
            scorer = PairScorer(network, pieces, self.runtime)
        self._pair_scorer = scorer if is_fixed else None
        return scorer

    def encode(
        self,
        network: CorefNetwork,
        tokenizer: Optional[PieceTokenizer],
        doc: Doc,
        vectors: Optional[Tensor] = None,
    ) -> Pieces:
        """Convert a Doc to the input of the network: word pieces or token vectors.

        RAISES (ValueError): The model has no tokenizer, and there are no vectors.
        """
        if tokenizer is None and vectors is None:
            raise ValueError(Errors.FC085.format(path=self.origin))
        if tokenizer is None:
            pieces = take_tokens(doc, vectors)
        else:
            pieces = tokenizer.encode(list_words(doc), find_masked(doc))
        return read_doc(pieces, doc, network.readers, self.runtime)

    def initialize(self) -> None:
        """Load the weights that a training begins with.

        If a training has changed the weights, restore those from before it: the weights
        of from_bytes or from_disk, or else of the source. Otherwise, keep loaded
        weights.

        RAISES (ValueError): The model does not exist, or is broken.
        """
        with _LOADING:
            if self._learner is not None and self._learner.has_updated:
                self._replace(self._given or self.source.load())
            self._learner = None
            self.load()

    def load(self) -> Checkpoint:
        """Get the current weights, and load them if needed.

        RAISES (ValueError): The model does not exist, or is broken.
        """
        with _LOADING:
            if self.checkpoint is None:
                self.checkpoint = self.source.load()
                self.origin = self.source.path
            if self._average is not None:
                tensors = read_tensors(self._average.module)
                return self.checkpoint.with_tensors(tensors)
            if self._learner is not None and self._learner.has_changed:
                self._learner.has_changed = False
                tensors = read_tensors(self._learner.network)
                self.checkpoint = self.checkpoint.with_tensors(tensors)
            return self.checkpoint

    def get_network(self) -> Tuple[CorefNetwork, Optional[PieceTokenizer]]:
        """Get the network for predictions, on the device and in the precision set.

        It is called in inference mode only.

        RAISES (ValueError): The device is not available, or the weights do not fit the
            configuration.
        """
        prepare_process(self.runtime.n_threads)
        if self._learner is not None and not is_forked():
            average = self._average
            trained = self._learner.network if average is None else average.module
            return trained.eval(), self._tokenizer
        runtime = self.runtime
        wanted = (runtime.device, runtime.precision, runtime.runtime, is_forked())
        with _LOADING:
            if self._network is None or self._built_for != wanted:
                device = choose_device(self.runtime.device)
                checkpoint = self.load()
                network = build_network(checkpoint, self.origin)
                dtype = choose_dtype(self.runtime.precision, device)
                network.encoder.to(dtype)
                set_precision(network, dtype)
                self._tokenizer = _make_tokenizer(checkpoint, network, self.origin)
                self._network = network.to(device).eval()
                network.encoder.prepare(runtime.runtime)
                self._built_for = wanted
            return self._network, self._tokenizer

    def choose_weights(self, lang: str, path: Optional[str] = None) -> Optional[Path]:
        """Choose the weights to load at first use; see CorefModel."""
        if isinstance(self.source, TrainedSource):
            self.source = self.source.choose(lang, path)
            return None if self.source.name else Path(self.source.path)
        if path is not None:
            raise ValueError(Errors.FC003.format(path=path))
        return None

    def check_available(self) -> None:
        """Check weights and device; see CorefModel."""
        choose_device(self.runtime.device)
        if self.source.name is not None:
            check_name(self.source.name)

    def set_runtime(self, **settings: Any) -> None:
        """Change some fields of Runtime."""
        self.runtime = replace(self.runtime, **settings)

    def set_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Replace the configuration and the weights."""
        with _LOADING:
            self._given = checkpoint
            self._replace(checkpoint)

    def _replace(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self._network = self._built_for = self._learner = self._pair_scorer = None

    def to_device(self, device_type: str, device_id: int) -> None:
        """Do nothing: the component's setting `device` applies, and needs no CuPy."""

    def to_bytes(self) -> bytes:
        return self.load().to_bytes()

    def from_bytes(self, data: bytes) -> "CorefShim":
        self.set_checkpoint(Checkpoint.from_bytes(data))
        self.origin = _BYTES
        return self

    def to_disk(self, path: Union[str, Path]) -> None:
        self.load().to_disk(path)

    def from_disk(self, path: Union[str, Path]) -> "CorefShim":
        self.set_checkpoint(Checkpoint.from_disk(path))
        self.origin = str(path)
        return self

    def __getstate__(self) -> Dict[str, Any]:
        state = {k: None if k.startswith("_") else v for k, v in vars(self).items()}
        if self.checkpoint is not None:
            state["checkpoint"] = self.load().to_bytes()
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self.checkpoint is not None:
            self.set_checkpoint(Checkpoint.from_bytes(self.checkpoint))


def _make_tokenizer(
    checkpoint: Checkpoint, network: CorefNetwork, path: str
) -> Optional[PieceTokenizer]:
    """Make a checkpoint's tokenizer; None for a model that reads token vectors."""
    if not checkpoint.tokenizer:
        return None
    if isinstance(network.encoder, TokenVectors):
        reason = "the encoder reads vectors of tokens, and no word pieces"
        raise ValueError(Errors.FC093.format(path=path, reason=reason))
    n_pieces = len(network.encoder.weight)
    return PieceTokenizer(checkpoint.tokenizer, path, n_pieces)


def read_doc(
    pieces: Pieces, doc: Doc, readers: Sequence[Callable], runtime: Runtime
) -> Pieces:
    """Add the features that the network reads from a Doc to its word pieces.

    doc (Doc): The document. If it has spans["coref_mentions"], only these spans can be
        mentions.
    RAISES (ValueError): The model does not know the annotation scheme of the settings
        or the Doc.
    """
    # Whether a token is capitalized, and not a single letter such as "I".
    title, upper, length = doc.to_array([IS_TITLE, IS_UPPER, LENGTH]).T
    pieces.is_name = (((title | upper) > 0) & (length > 1))[pieces.tokens]
    for read in readers:
        for name, codes in read(doc, runtime).items():
            pieces.codes[name] = codes[pieces.tokens]
    if runtime.scheme is not None and SCHEME not in pieces.codes:
        raise ValueError(Errors.FC019.format(scheme=runtime.scheme, available="none"))
    if CANDIDATES in doc.spans:
        spans = [(span.start, span.end) for span in read_group(doc, CANDIDATES)]
        return replace(pieces, candidates=spans)
    return pieces


def reject_gradients(d_links: Any) -> None:
    """Raise an error, since predictions have no gradients."""
    raise NotImplementedError(Errors.FC006)
