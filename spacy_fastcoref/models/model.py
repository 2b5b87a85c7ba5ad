"""The Thinc model of coreference, which loads its weights at first use."""

import contextlib
import os
import pickle
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple
from weakref import WeakSet

import numpy as np
from spacy.tokens import Doc
from spacy.util import minibatch
from thinc.api import Model, Optimizer, torch2xp, xp2torch
from torch import Tensor, zeros_like
from torch.optim.swa_utils import AveragedModel

from ..errors import Errors
from ..types import Offsets
from .batching import Batch
from .checkpoints.building import build_network
from .checkpoints.checkpoint import FILES, Checkpoint
from .checkpoints.sources import TrainedSource, find_folder
from .checkpoints.storage import Stored, collect_inputs, get_storage
from .encoders.pieces import DocReader
from .folders import BYTES, SUMS, SavedModel, add_sums, hide_folders
from .learning.learner import Learner
from .learning.loss import compute_loss
from .network.network import CorefNetwork, read_tensors
from .network.pair_scorer import PairScorer
from .network.prediction import predict_links
from .runtime import Runtime, choose_device, choose_dtype, is_forked, prepare_process
from .scorers.layers import set_precision
from .workers import run_with_one_thread

DROPOUT = "dropout_rate"
_TOK2VEC = "tok2vec"
_INT8 = "spacy_fastcoref.Int8Groups.v1"
_BATCH = 32
# One lock for all models, since a lock inside a model could not be pickled.
_LOADING = threading.RLock()
# The models in training. A forked process can't read their weights from a GPU, so they
# are copied to the CPU before a fork.
_LEARNING: "WeakSet[NetworkModel]" = WeakSet()


def _copy_trained_weights() -> None:
    for model in list(_LEARNING):
        model.get_checkpoint()


def _leave_training() -> None:
    """Let models predict with the copied weights, until they are trained here, too."""
    for model in list(_LEARNING):
        model._learner = None
    _LEARNING.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_copy_trained_weights, after_in_child=_leave_training)


class NetworkModel(SavedModel):
    """Hold a network, whose weights are loaded at first use; see CorefModel.

    The attribute "dropout_rate" is the rate of `nlp.update(drop=...)`.

    source (Any): The source of the weights; see checkpoints.sources. It is not used if
        from_bytes or from_disk load weights.
    tok2vec (Optional[Model[List[Doc], List[Floats2d]]]): The layer that computes the
        token vectors; None if the network has an encoder of its own.
    """

    def __init__(self, source: Any, tok2vec: Optional[Model] = None) -> None:
        layers = [] if tok2vec is None else [tok2vec]
        attrs = {DROPOUT: 0.0}
        super().__init__("coref", _forward, init=_init, layers=layers, attrs=attrs)
        self.source = source
        self.runtime = Runtime()
        self.origin = BYTES
        self.checkpoint: Optional[Checkpoint] = None
        # The checkpoint that replaces the one from the source, if any.
        self._given: Optional[Checkpoint] = None
        self._network: Optional[CorefNetwork] = None
        self._read: Optional[DocReader] = None
        self._built_for: Optional[Tuple] = None
        self._learner: Optional[Learner] = None
        self._average: Optional[AveragedModel] = None
        self._averages_key = id(self), "coref"
        # The scorer of the last document whose pairs were scored, and its input.
        self._pair_scorer: Tuple[Any, Any] = None, None

    @property
    def tok2vec(self) -> Optional[Model]:
        """The layer that computes the token vectors, if there is one."""
        return self.layers[0] if self.layers else None

    def get_loss(
        self, golds: Sequence[Any], scores: Any, **weights: float
    ) -> Tuple[float, Any]:
        loss = compute_loss(scores, golds, **weights)
        return float(loss.detach()), loss

    def finish_update(self, optimizer: Optimizer) -> None:
        if self._learner is not None:
            self._learner.finish_update(optimizer)
            if optimizer.averages is not None:
                # spaCy passes these averages to use_params when it evaluates and saves.
                optimizer.averages[self._averages_key] = self._learner.average
        super().finish_update(optimizer)

    @contextlib.contextmanager
    def use_params(self, params: Dict[Any, Any]) -> Iterator[None]:
        self._average = params.get(self._averages_key)
        try:
            with super().use_params(params):
                yield
        finally:
            self._average = None

    def get_learner(self) -> Tuple[Learner, DocReader]:
        """Get the network in training, which predictions use from now on, too."""
        with _LOADING:
            if self._learner is None:
                network = self._load_network(copies=True)
                network.to(choose_device(self.runtime.device))
                encoder = self.get_checkpoint().config["encoder"]
                self._learner = Learner(network, encoder)
                _LEARNING.add(self)
            return self._learner, self._read

    def _load_network(self, *, copies: bool = False) -> CorefNetwork:
        """Make a network of the current weights, on the CPU, and what reads Docs."""
        checkpoint = self.get_checkpoint()
        network = build_network(checkpoint, self.origin, copies=copies)
        parts = checkpoint.tokenizer, network.encoder, network.readers
        self._read = DocReader(*parts, self.origin)
        return network

    def get_training_state(self) -> Dict[str, Tensor]:
        return {} if self._learner is None else self._learner.get_state()

    def set_training_state(self, state: Dict[str, Tensor]) -> None:
        self.get_learner()[0].set_state(state)

    def score_pairs(
        self, doc: Doc, pairs: Sequence[Tuple[Offsets, Offsets]]
    ) -> np.ndarray:
        network, read = self.get_network()
        (vectors,), _ = self.compute_vectors([doc])
        pieces = read(doc, vectors, self.runtime)
        # Calls for one document, pair by pair, reuse its encoding; but training changes
        # the weights of the network in place.
        key = network, pickle.dumps(pieces), self.runtime
        if self._learner is not None or self._pair_scorer[0] != key:
            self._pair_scorer = key, PairScorer(network, pieces, self.runtime)
        return self._pair_scorer[1](pairs)

    def compute_vectors(
        self, docs: Sequence[Doc], is_train: bool = False
    ) -> Tuple[List[Optional[Tensor]], Optional[Callable]]:
        """Compute the token vectors of Docs, and the callback for their gradients, by
        the layer; without one, they are None."""
        if self.tok2vec is None:
            return [None] * len(docs), None
        try:
            arrays, backprop = self.tok2vec(docs, is_train)
        except ValueError as error:
            # spaCy's message does not say which component needs the vectors.
            raise ValueError(Errors.FC007.format(reason=error)) from error
        for doc, array in zip(docs, arrays, strict=True):
            # A listener returns zeros if no component before it has computed vectors.
            if not is_train and len(doc) and not array.any():
                raise ValueError(Errors.FC007.format(reason="all vectors are zero"))
        return [xp2torch(array, requires_grad=is_train) for array in arrays], backprop

    def restore(self) -> None:
        """Load the weights that a training begins with.

        If a training has changed the weights, restore those from before it: the weights
        of from_bytes or from_disk, or else of the source.
        """
        with _LOADING:
            if self._learner is not None:
                self._replace(self._given or self.source.load())
            self._learner = None
            self.get_checkpoint()

    def get_checkpoint(self) -> Checkpoint:
        """Get the current weights, and load them if needed."""
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

    def get_network(self) -> Tuple[CorefNetwork, DocReader]:
        """Get the network for predictions, on the device and in the precision set."""
        prepare_process(self.runtime.n_threads)
        if self._learner is not None:
            average = self._average
            trained = self._learner.network if average is None else average.module
            return trained.eval(), self._read
        runtime = self.runtime
        wanted = runtime.device, runtime.precision, runtime.runtime, is_forked()
        if self._built_for != wanted:
            # On a busy machine, each operation would wait for a thread that is late.
            run_with_one_thread(partial(self._build, wanted))
        with _LOADING:
            return self._network, self._read

    def _build(self, wanted: Tuple) -> None:
        with _LOADING:
            if self._built_for == wanted:
                return
            device = choose_device(self.runtime.device)
            network = self._load_network()
            dtype = choose_dtype(self.runtime.precision, device)
            network.encoder.to(dtype)
            set_precision(network, dtype)
            self._network = network.to(device).eval()
            network.encoder.prepare(self.runtime.runtime)
            self._built_for = wanted

    def choose_weights(self, lang: str, path: Optional[str] = None) -> Optional[Path]:
        if isinstance(self.source, TrainedSource):
            self.source = self.source.choose(lang, path)
            return None if self.source.name else Path(self.source.path)
        return super().choose_weights(lang, path)

    def check_available(self) -> None:
        choose_device(self.runtime.device)
        if self.source.name is not None:
            find_folder(self.source.name, fetch=False)

    def set_runtime(self, **settings: Any) -> None:
        self.runtime = replace(self.runtime, **settings)

    def set_checkpoint(self, checkpoint: Checkpoint) -> None:
        with _LOADING:
            self._given = checkpoint
            self._replace(checkpoint)

    def _replace(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self._network = self._built_for = self._learner = None
        self._pair_scorer = None, None

    def pack(
        self, storage: Optional[str] = None, docs: Any = None
    ) -> Tuple[str, Dict[str, bytes]]:
        name = storage or _INT8
        checkpoint = self.get_checkpoint()
        encode = get_storage(name, "storage").encode
        inputs = None
        if docs is not None:
            network, _ = self.get_network()
            network.encoder.prepare(None)
            with collect_inputs(network) as inputs:
                for batch in minibatch(docs, _BATCH):
                    self.predict(batch)
        stored = Stored(name, encode(checkpoint.tensors, inputs))
        config = hide_folders(checkpoint.config)
        packed = Checkpoint(config, {}, checkpoint.tokenizer, stored)
        return name, packed.make_files()

    def get_file_names(self) -> Tuple[str, ...]:
        return FILES if self.tok2vec is None else (*FILES, _TOK2VEC)

    def make_files(self) -> Dict[str, bytes]:
        files = self.get_checkpoint().make_files()
        if self.tok2vec is None:
            return files
        del files[SUMS]
        return add_sums({**files, _TOK2VEC: self.tok2vec.to_bytes()})

    def set_files(self, files: Dict[str, bytes], origin: str) -> None:
        checkpoint = Checkpoint.from_files(files)
        if self.tok2vec is not None:
            self.tok2vec.from_bytes(files[_TOK2VEC])
        elif _TOK2VEC in files:
            raise ValueError(f"{_TOK2VEC} is of another model")
        self.set_checkpoint(checkpoint)
        self.origin = origin

    def __reduce__(self) -> Tuple:
        # As files, of which weights that are stored in 8 bits are small.
        files = None if self.checkpoint is None else self.get_checkpoint().make_files()
        state = dict(self.attrs), self.runtime, self.origin, files
        return type(self), (self.source, *self.layers), state

    def __setstate__(self, state: Tuple) -> None:
        attrs, self.runtime, self.origin, files = state
        self.attrs.update(attrs)
        if files is not None:
            self.set_checkpoint(Checkpoint.from_files(files))


# At module level, so that the model can be pickled.
def _forward(
    model: NetworkModel, docs: Sequence[Doc], is_train: bool
) -> Tuple[List[Any], Callable]:
    """Find the Links of Docs; in training, compute the TrainScores for the loss."""
    vectors, backprop_vectors = model.compute_vectors(docs, is_train)
    if not is_train:
        network, read = model.get_network()
        links = predict_links(
            network,
            [len(doc) for doc in docs],
            lambda group: [read(docs[i], vectors[i], model.runtime) for i in group],
            model.runtime,
        )
        known = network.calibrations
        for one, doc in zip(links, docs, strict=True):
            one.calibration = known.get(doc.lang_, known["default"])
        return links, reject_gradients
    learner, read = model.get_learner()
    pairs = zip(docs, vectors, strict=True)
    pieces = [read(*pair, model.runtime) for pair in pairs]
    learner.set_drop(model.attrs[DROPOUT])
    scores = learner.score(Batch.from_pieces(pieces), model.runtime)

    def backprop(loss: Tensor) -> List[Doc]:
        # The scores of documents without words do not depend on the weights.
        if loss.requires_grad:
            loss.backward()
        if backprop_vectors is not None:
            grads = (zeros_like(t) if t.grad is None else t.grad for t in vectors)
            backprop_vectors([torch2xp(grad) for grad in grads])
        return []

    return scores, backprop


def _init(model: NetworkModel, X: Any = None, Y: Any = None) -> None:
    tok2vec = model.tok2vec
    if tok2vec is not None:
        tok2vec.initialize(X=X)
        known = tok2vec.has_dim("nO")
        width = tok2vec.get_dim("nO") if known else tok2vec.predict(X)[0].shape[1]
        encoder = replace(model.source.encoder, width=width)
        model.source = replace(model.source, encoder=encoder)
    model.restore()


def reject_gradients(d_links: Any) -> None:
    """Raise an error, since predictions have no gradients."""
    raise NotImplementedError(Errors.FC006)
