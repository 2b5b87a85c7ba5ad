"""The Thinc model of coreference, which implements types.CorefModel with a shim."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np
import srsly
from spacy.tokens import Doc
from spacy.util import minibatch
from thinc.api import Model, Shim
from torch import Tensor

from ..errors import Errors, name_bytes_in_errors
from ..types import CorefModel, Links, Offsets
from .checkpoints.checkpoint import Checkpoint
from .checkpoints.rounding import collect_inputs
from .checkpoints.storage import Stored, get_storage
from .folders import (
    SUMS,
    add_sums,
    compute_sum,
    hide_folders,
    name_folder_in_errors,
    read_folder,
    write_folder,
)
from .learning.loss import get_gradients

DROPOUT = "dropout_rate"
_SHIM, _TOK2VEC = "shim", "tok2vec"
_INT8 = "spacy_fastcoref.Int8Groups.v1"
_BATCH = 32


class ShimModel(Model[List[Doc], List[Links]], CorefModel):
    """Wrap a shim, which holds the weights, as a Thinc model; see CorefModel.

    The attribute "dropout_rate" is the rate of `nlp.update(drop=...)`, for blocks
    that have `dropout = null`.

    name (str): The model's name.
    shim (Shim): A CorefShim or an EnsembleShim.
    tok2vec (Optional[Model[List[Doc], List[Floats2d]]]): The layer that computes the
        token vectors; None if the shim has an encoder of its own.
    """

    def __init__(self, name: str, shim: Shim, tok2vec: Optional[Model] = None) -> None:
        layers = [] if tok2vec is None else [tok2vec]
        super().__init__(
            name,
            _forward,
            init=_init,
            layers=layers,
            shims=[shim],
            attrs={DROPOUT: 0.0},
        )

    @property
    def shim(self) -> Any:
        """The shim that holds the weights."""
        return self.shims[0]

    @property
    def tok2vec(self) -> Optional[Model]:
        """The layer that computes the token vectors, if there is one."""
        return self.layers[0] if self.layers else None

    def score_pairs(
        self, doc: Doc, pairs: Sequence[Tuple[Offsets, Offsets]]
    ) -> np.ndarray:
        # The Doc is encoded once for consecutive calls.
        if self.tok2vec is None:
            return self.shim.score_pairs(doc, pairs)
        (vectors,) = _compute_vectors(self.tok2vec, [doc])
        return self.shim.score_pairs(doc, pairs, vectors)

    def get_loss(
        self, golds: Sequence[Any], scores: Any, **weights: float
    ) -> Tuple[float, Any]:
        return get_gradients(scores, golds, **weights)

    def set_runtime(self, **settings: Any) -> None:
        self.shim.set_runtime(**settings)

    def choose_weights(self, lang: str, path: Optional[str] = None) -> Optional[Path]:
        return self.shim.choose_weights(lang, path)

    def check_available(self) -> None:
        self.shim.check_available()

    def get_checkpoint(self) -> Checkpoint:
        return self.shim.load()

    def set_checkpoint(self, checkpoint: Checkpoint) -> None:
        self.shim.set_checkpoint(checkpoint)

    def get_training_state(self) -> Dict[str, Tensor]:
        return self.shim.get_training_state()

    def set_training_state(self, state: Dict[str, Tensor]) -> None:
        self.shim.set_training_state(state)

    def pack(
        self, storage: Optional[str] = None, docs: Optional[Iterable[Doc]] = None
    ) -> Tuple[str, Dict[str, bytes]]:
        name = _INT8 if storage is None else storage
        checkpoint = self.get_checkpoint()
        encode = get_storage(name, "storage").encode
        inputs = None
        if docs is not None:
            network, _ = self.shim.get_network()
            network.encoder.prepare(None)
            with collect_inputs(network) as inputs:
                for batch in minibatch(docs, _BATCH):
                    self.predict(batch)
        stored = Stored(name, encode(checkpoint.tensors, inputs))
        config = hide_folders(checkpoint.config)
        packed = Checkpoint(config, {}, checkpoint.tokenizer, stored)
        return name, packed.make_files()

    def to_bytes(self) -> bytes:
        """Write the model as bytes, with checksums.

        RETURNS (bytes): The shim's and the layer's in one msgpack.
        """
        layer = b"" if self.tok2vec is None else self.tok2vec.to_bytes()
        parts = {_SHIM: self.shim.to_bytes(), _TOK2VEC: layer}
        return srsly.msgpack_dumps({**parts, SUMS: compute_sum(layer)})

    def from_bytes(self, bytes_data: bytes) -> "ShimModel":
        """Read the model from bytes, running no code from them.

        RETURNS (ShimModel): This object.
        RAISES (ValueError): The bytes are broken; the model is then as it was.
        """
        with name_bytes_in_errors():
            parts = srsly.msgpack_loads(bytes_data)
            if compute_sum(parts[_TOK2VEC]) != parts[SUMS]:
                raise ValueError(f"the checksum of {_TOK2VEC} is not the right one")
            if bool(parts[_TOK2VEC]) != (self.tok2vec is not None):
                raise ValueError(f"{_TOK2VEC} is of another model")
            self.shim.from_bytes(parts[_SHIM])
            if self.tok2vec is not None:
                self.tok2vec.from_bytes(parts[_TOK2VEC])
        return self

    def to_disk(self, path: Union[str, Path]) -> None:
        """Save the model as a folder of safetensors and JSON.

        If saving fails, a folder that was there is left unchanged.
        """
        if self.tok2vec is None:
            self.shim.to_disk(path)
        else:
            files = {**self.shim.load().make_files(), _TOK2VEC: self.tok2vec.to_bytes()}
            del files[SUMS]
            write_folder(path, add_sums(files))

    def from_disk(self, path: Union[str, Path]) -> "ShimModel":
        """Load the model from a folder, without running code from it.

        RETURNS (ShimModel): The model itself.
        RAISES (ValueError): The folder is broken. The shim is then unchanged.
        """
        if self.tok2vec is None:
            self.shim.from_disk(path)
        else:
            layer = read_folder(Path(path), [_TOK2VEC])[_TOK2VEC]
            self.shim.from_disk(path)
            with name_folder_in_errors(path):
                self.tok2vec.from_bytes(layer)
        return self

    def _copy(self, seen: Optional[Dict[int, Any]] = None) -> "ShimModel":
        # Thinc's method makes a plain Model, without the methods of this class.
        plain = super()._copy(seen)
        copied = ShimModel(self.name, plain.shims[0], *plain.layers)
        copied.attrs.update(plain.attrs)
        return copied


# At module level, so that the model can be pickled.
def _forward(
    model: ShimModel, docs: Sequence[Doc], is_train: bool
) -> Tuple[List[Any], Callable]:
    """Compute the Links of Docs, or in training the TrainScores for the loss."""
    shim, drop = model.shim, model.attrs[DROPOUT]
    if model.tok2vec is None:
        return shim(docs, is_train, drop=drop)
    if not is_train:
        return shim(docs, is_train, _compute_vectors(model.tok2vec, docs))
    vectors, backprop_vectors = _call_tok2vec(model.tok2vec, docs, is_train)
    scores, backprop = shim(docs, is_train, vectors, drop=drop)

    def backprop_all(gradients: Sequence[Any]) -> List[Doc]:
        backprop_vectors(backprop(gradients))
        return []

    return scores, backprop_all


def _init(model: ShimModel, X: Any = None, Y: Any = None) -> None:
    """Load the weights, or make them once the width of token vectors is known."""
    tok2vec = model.tok2vec
    if tok2vec is not None:
        tok2vec.initialize(X=X)
        known = tok2vec.has_dim("nO")
        width = tok2vec.get_dim("nO") if known else tok2vec.predict(X)[0].shape[1]
        model.shim.source = replace(model.shim.source, width=width)
    model.shim.initialize()


def _compute_vectors(tok2vec: Model, docs: Sequence[Doc]) -> List[Any]:
    """Compute the token vectors of Docs for a prediction.

    RAISES (ValueError): The Docs have no vectors.
    """
    vectors, _ = _call_tok2vec(tok2vec, docs, is_train=False)
    for doc, array in zip(docs, vectors, strict=True):
        # A listener returns zeros if no component before it has computed vectors.
        if len(doc) and not array.any():
            raise ValueError(Errors.FC007.format(reason="all vectors are zero"))
    return vectors


def _call_tok2vec(
    tok2vec: Model, docs: Sequence[Doc], is_train: bool
) -> Tuple[List[Any], Any]:
    """Call the layer, which may be a listener that no component provides for."""
    try:
        return tok2vec(docs, is_train)
    except ValueError as error:
        # spaCy's message does not say which component needs the vectors.
        raise ValueError(Errors.FC007.format(reason=error)) from error
