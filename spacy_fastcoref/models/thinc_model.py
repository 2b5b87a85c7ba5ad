"""The Thinc model of coreference, which implements types.CorefModel with a shim."""

from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np
import srsly
from spacy.tokens import Doc
from spacy.util import minibatch
from thinc.api import Model, Shim
from torch import Tensor

from ..errors import Errors, name_bytes_in_errors
from ..files import replace_folder
from ..types import CorefModel, Links, Offsets
from .checkpoints.checkpoint import Checkpoint
from .checkpoints.rounding import collect_inputs
from .checkpoints.storage import Stored, get_storage
from .folders import SUMS, compute_sum, find_changed, name_folder_in_errors, read_file
from .learning.loss import get_gradients

DROPOUT = "dropout_rate"
_SHIM, _TOK2VEC = "shim", "tok2vec"
_INT8 = "spacy_fastcoref.Int8Groups.v1"
_BATCH = 32


class ShimModel(Model[List[Doc], List[Links]], CorefModel):
    """Wrap a shim, which holds the weights, as a Thinc model.

    The attribute "dropout_rate" is the rate of `nlp.update(drop=...)`, for blocks
    that have `dropout = null`.

    name (str): The model's name.
    forward (Callable): Thinc's forward function. It is defined at module level, so
        that the model can be pickled.
    shim (Shim): A CorefShim or an EnsembleShim.
    init (Optional[Callable]): Thinc's function for `initialize`.
    tok2vec (Optional[Model[List[Doc], List[Floats2d]]]): The layer that computes the
        token vectors; None if the shim has an encoder of its own.
    """

    def __init__(
        self,
        name: str,
        forward: Any,
        *,
        shim: Shim,
        init: Any = None,
        tok2vec: Optional[Model] = None,
    ) -> None:
        layers = [] if tok2vec is None else [tok2vec]
        attrs = {DROPOUT: 0.0}
        super().__init__(
            name, forward, init=init, layers=layers, shims=[shim], attrs=attrs
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
        """Score any pairs of spans of one Doc.

        The Doc is encoded once for consecutive calls.

        doc (Doc): The document.
        pairs (Sequence[Tuple[Offsets, Offsets]]): The later and the earlier span of
            each pair, as token offsets.
        RETURNS (numpy.ndarray): Shape (n_pairs,), float32, the log-odds of a link; NaN
            if a span starts or ends in white space.
        RAISES (ValueError): The model needs token vectors and the Doc has none.
        """
        if self.tok2vec is None:
            return self.shim.score_pairs(doc, pairs)
        (vectors,) = compute_vectors(self.tok2vec, [doc])
        return self.shim.score_pairs(doc, pairs, vectors)

    def get_loss(
        self, golds: Sequence[Any], scores: Any, **weights: float
    ) -> Tuple[float, Any]:
        """Compute the loss of a batch and its gradients.

        golds (Sequence[AlignedGold]): The gold annotation of each document.
        scores (List[TrainScores]): The scores that `begin_update` returned.
        **weights (float): See learning.loss.get_gradients.
        RETURNS (Tuple[float, List[Tuple[Tensor, ...]]]): The loss, averaged over
            mentions, and the gradients of each document's scores.
        """
        return get_gradients(scores, golds, **weights)

    def set_runtime(self, **settings: Any) -> None:
        """Change where and how the model computes.

        **settings (Any): Fields of Runtime.
        """
        self.shim.set_runtime(**settings)

    def choose_weights(self, lang: str, path: Optional[str] = None) -> None:
        """Choose the weights to load at first use.

        lang (str): The pipeline's language.
        path (Optional[str]): A folder or a name on the hub. It is read at first use; a
            saved pipeline does not need it any more.
        RAISES (ValueError): The model takes no path, or no weights ship for the
            language.
        """
        self.shim.choose_weights(lang, path)

    def get_checkpoint(self) -> Checkpoint:
        """Get the configuration and the weights, and load them if necessary.

        RETURNS (Checkpoint): The checkpoint.
        RAISES (NotImplementedError): The model is an ensemble.
        """
        return self.shim.load()

    def set_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Replace the configuration and the weights.

        checkpoint (Checkpoint): The checkpoint.
        RAISES (NotImplementedError): The model is an ensemble.
        """
        self.shim.set_checkpoint(checkpoint)

    def pack(
        self, storage: Optional[str] = None, docs: Optional[Iterable[Doc]] = None
    ) -> Tuple[str, Dict[str, bytes]]:
        """Make the files of the model's folder, with weights in fewer bits.

        storage (Optional[str]): The registered format of the weights; None for 8 bits.
        docs (Optional[Iterable[Doc]]): Documents for which rounding keeps the outputs
            of linear layers close.
        RETURNS (Tuple[str, Dict[str, bytes]]): The name of the format, and the contents
            of the files by name.
        RAISES (ValueError): There is no such format.
        """
        name = _INT8 if storage is None else storage
        checkpoint = self.get_checkpoint()
        encode = get_storage(name, "storage").encode
        inputs = None if docs is None else self.collect_inputs(docs)
        stored = Stored(name, encode(checkpoint.tensors, inputs))
        packed = Checkpoint(checkpoint.config, {}, checkpoint.tokenizer, stored)
        return name, packed.make_files()

    def get_training_state(self) -> Dict[str, Tensor]:
        """Get what training needs to resume, except for the weights.

        RETURNS (Dict[str, Tensor]): The state of the optimizer and the averages, by
            name; empty before the first update.
        """
        return self.shim.get_training_state()

    def set_training_state(self, state: Dict[str, Tensor]) -> None:
        """Resume training from a state. The weights have to be those of that state.

        state (Dict[str, Tensor]): What `get_training_state` returned.
        """
        self.shim.set_training_state(state)

    def collect_inputs(self, docs: Iterable[Doc]) -> Dict[str, Tensor]:
        """Predict Docs, and sum up what linear layers are applied to.

        docs (Iterable[Doc]): The documents.
        RETURNS (Dict[str, Tensor]): See rounding.collect_inputs.
        """
        network, _ = self.shim.get_network()
        with collect_inputs(network) as inputs:
            for batch in minibatch(docs, _BATCH):
                self.predict(batch)
        return inputs

    def to_bytes(self) -> bytes:
        """Write the model as bytes, with checksums.

        RETURNS (bytes): The shim's and the layer's in one msgpack.
        """
        layer = b"" if self.tok2vec is None else self.tok2vec.to_bytes()
        parts = {_SHIM: self.shim.to_bytes(), _TOK2VEC: layer}
        return srsly.msgpack_dumps({**parts, SUMS: compute_sum(layer)})

    def from_bytes(self, bytes_data: bytes) -> "ShimModel":
        """Read the model from bytes, running no code from them.

        bytes_data (bytes): What to_bytes wrote.
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

        path (Union[str, Path]): The folder. An existing folder is replaced.
        """
        if self.tok2vec is None:
            self.shim.to_disk(path)
            return
        layer = self.tok2vec.to_bytes()
        with replace_folder(Path(path)) as new:
            self.shim.to_disk(new)
            (new / _TOK2VEC).write_bytes(layer)
            with (new / SUMS).open("a", encoding="utf8") as file:
                file.write(f"{compute_sum(layer)}  {_TOK2VEC}\n")

    def from_disk(self, path: Union[str, Path]) -> "ShimModel":
        """Load the model from a folder, without running code from it.

        path (Union[str, Path]): The folder.
        RETURNS (ShimModel): The model itself.
        RAISES (ValueError): The folder is broken. The shim is then unchanged.
        """
        layer = b"" if self.tok2vec is None else _read_layer(Path(path))
        self.shim.from_disk(path)
        if self.tok2vec is not None:
            with name_folder_in_errors(path):
                self.tok2vec.from_bytes(layer)
        return self

    def _copy(self, seen: Optional[Dict[int, Any]] = None) -> "ShimModel":
        # Thinc's method would make a plain Model, without the methods of this class.
        seen = {} if seen is None else seen
        layers = [seen.setdefault(id(x), x._copy(seen)) for x in self.layers]
        shim = seen.setdefault(id(self.shim), self.shim.copy())
        copied = ShimModel(
            self.name, self._func, shim=shim, init=self.init, tok2vec=None
        )
        copied._layers = layers
        copied.attrs.update(self.attrs)
        return copied


def _read_layer(path: Path) -> bytes:
    """Read the layer that computes the token vectors from a model's folder."""
    file = path / _TOK2VEC
    with name_folder_in_errors(path):
        # Early versions saved it beside the model's folder.
        layer = read_file(file if file.exists() else file.parents[1] / _TOK2VEC)
        sums = read_file(path / SUMS) if (path / SUMS).exists() else None
    if sums is not None and find_changed({_TOK2VEC: layer}, sums):
        raise ValueError(Errors.FC140.format(path=path, name=_TOK2VEC, sums=SUMS))
    return layer


def compute_vectors(tok2vec: Model, docs: Sequence[Doc]) -> List[Any]:
    """Compute the token vectors of Docs for a prediction.

    tok2vec (Model[List[Doc], List[Floats2d]]): A listener, or the model's own layer.
    docs (Sequence[Doc]): The documents.
    RETURNS (List[Floats2d]): The vectors of each document, shape (n_tokens, width).
    RAISES (ValueError): The Docs have no vectors.
    """
    vectors, _ = call_tok2vec(tok2vec, docs, is_train=False)
    for doc, array in zip(docs, vectors, strict=True):
        # A listener returns zeros if no component before it has computed vectors.
        if len(doc) and not array.any():
            raise ValueError(Errors.FC007.format(reason="all vectors are zero"))
    return vectors


def call_tok2vec(
    tok2vec: Model, docs: Sequence[Doc], is_train: bool
) -> Tuple[List[Any], Any]:
    """Call the layer that computes token vectors.

    tok2vec (Model[List[Doc], List[Floats2d]]): The layer.
    docs (Sequence[Doc]): The documents.
    is_train (bool): Whether the callback will be called.
    RETURNS (Tuple[List[Floats2d], Callable]): The vectors of each document, and the
        callback for their gradients.
    RAISES (ValueError): The layer is a listener, and no component provides the
        vectors.
    """
    try:
        return tok2vec(docs, is_train)
    except ValueError as error:
        # spaCy's message does not say which component needs the vectors.
        raise ValueError(Errors.FC007.format(reason=error)) from error
