"""The Thinc models of coreference: types.CorefModel on top of a shim."""

from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
from spacy.tokens import Doc
from thinc.api import Model, Shim
from torch import Tensor

from ..errors import Errors
from ..files import replace_folder
from ..types import CorefModel, Links, Offsets
from .checkpoints.checkpoint import Checkpoint
from .learning.loss import get_gradients

DROPOUT = "dropout_rate"
_TOK2VEC = "tok2vec"


class ShimModel(Model[List[Doc], List[Links]], CorefModel):
    """Wrap a shim, which holds the weights, as a Thinc model.

    The attribute "dropout_rate" is the rate of `nlp.update(drop=...)`: blocks whose own
    `dropout` is null use it.

    name (str): The model's name.
    forward (Callable): Thinc's forward function; module-level, so that models can be
        pickled.
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

        Several calls for one Doc encode it once.

        doc (Doc): The document.
        pairs (Sequence[Tuple[Offsets, Offsets]]): The later span of each pair first, as
            token offsets.
        RETURNS (numpy.ndarray): Shape (n_pairs,), float32, the log-odds of a link; NaN
            where a span starts or ends in white space.
        RAISES (ValueError): The Doc has no token vectors, for a model that needs them.
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
        scores (List[TrainScores]): What `begin_update` returned for the documents.
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
        """Choose the weights that are loaded at first use.

        lang (str): The pipeline's language.
        path (Optional[str]): A folder or hub name. It is read at first use: a saved
            pipeline does not need it again.
        RAISES (ValueError): The model takes no path, or no weights ship for the
            language.
        """
        self.shim.choose_weights(lang, path)

    def get_checkpoint(self) -> Checkpoint:
        """Get configuration and weights, loading them if necessary.

        RETURNS (Checkpoint): The checkpoint.
        RAISES (NotImplementedError): The model is an ensemble.
        """
        return self.shim.load()

    def set_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Replace configuration and weights.

        checkpoint (Checkpoint): The checkpoint.
        RAISES (NotImplementedError): The model is an ensemble.
        """
        self.shim.set_checkpoint(checkpoint)

    def get_training_state(self) -> Dict[str, Tensor]:
        """Get what training needs to resume, beside the weights.

        RETURNS (Dict[str, Tensor]): The optimizer's state and the averages, by name;
            none before the first step.
        """
        return self.shim.get_training_state()

    def set_training_state(self, state: Dict[str, Tensor]) -> None:
        """Resume training with the weights that the model has.

        state (Dict[str, Tensor]): What `get_training_state` returned.
        """
        self.shim.set_training_state(state)

    def to_disk(self, path: Union[str, Path]) -> None:
        """Save the model as a folder of safetensors and JSON, whole or not at all.

        path (Union[str, Path]): The folder; one that exists is replaced.
        """
        if self.tok2vec is None:
            self.shim.to_disk(path)
            return
        with replace_folder(Path(path)) as new:
            self.shim.to_disk(new)
            self.tok2vec.to_disk(new / _TOK2VEC)

    def from_disk(self, path: Union[str, Path]) -> "ShimModel":
        """Load the model's folder, running no code from it.

        path (Union[str, Path]): The folder.
        RETURNS (ShimModel): This object.
        RAISES (ValueError): The folder is broken; the model is then as it was.
        """
        self.shim.from_disk(path)
        if self.tok2vec is not None:
            file = Path(path) / _TOK2VEC
            # Early versions saved it beside the model's folder.
            self.tok2vec.from_disk(
                file if file.exists() else file.parents[1] / _TOK2VEC
            )
        return self

    def _copy(self, seen: Optional[Dict[int, Any]] = None) -> "ShimModel":
        # Thinc's own makes a plain Model, without our methods.
        seen = {} if seen is None else seen
        layers = [seen.setdefault(id(x), x._copy(seen)) for x in self.layers]
        shim = seen.setdefault(id(self.shim), self.shim.copy())
        copied = ShimModel(
            self.name, self._func, shim=shim, init=self.init, tok2vec=None
        )
        copied._layers = layers
        copied.attrs.update(self.attrs)
        return copied


def compute_vectors(tok2vec: Model, docs: Sequence[Doc]) -> List[Any]:
    """Compute the token vectors of Docs for a prediction.

    tok2vec (Model[List[Doc], List[Floats2d]]): A listener or the model's own layer.
    docs (Sequence[Doc]): The documents.
    RETURNS (List[Floats2d]): The vectors of each document, shape (n_tokens, width).
    RAISES (ValueError): There are none.
    """
    vectors, _ = call_tok2vec(tok2vec, docs, is_train=False)
    for doc, array in zip(docs, vectors, strict=True):
        # What a listener returns if no component before it has computed any.
        if len(doc) and not array.any():
            raise ValueError(Errors.FC007.format(reason="all vectors are zero"))
    return vectors


def call_tok2vec(
    tok2vec: Model, docs: Sequence[Doc], is_train: bool
) -> Tuple[List[Any], Any]:
    """Call the layer that computes token vectors.

    tok2vec (Model[List[Doc], List[Floats2d]]): The layer.
    docs (Sequence[Doc]): The documents.
    is_train (bool): Whether gradients will come back.
    RETURNS (Tuple[List[Floats2d], Callable]): The vectors and their callback.
    RAISES (ValueError): It is a listener, and no component provides the vectors.
    """
    try:
        return tok2vec(docs, is_train)
    except ValueError as error:
        # spaCy's messages do not say which component needs the vectors.
        raise ValueError(Errors.FC007.format(reason=error)) from error
