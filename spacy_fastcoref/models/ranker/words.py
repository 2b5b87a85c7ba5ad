"""Blocks that turn the words of Docs into vectors for the ranker.

Each has a method `build`, which makes the layer, and the `width` of its vectors.
"""

from dataclasses import dataclass
from typing import Any, Callable, List, Mapping, Sequence, Tuple

import numpy as np
from spacy.attrs import LOWER
from spacy.ml.models.tok2vec import MultiHashEmbed
from spacy.ml.staticvectors import StaticVectors
from spacy.tokens import Doc
from thinc.api import Model, Relu, chain, ragged2list, to_numpy
from thinc.types import Floats2d

from ...errors import Errors
from ..blocks import register_block

# The attribute of layers whose vectors depend on the context.
_CONTEXT = "reads_context"
Words = Model[List[Doc], List[Floats2d]]


@register_block("spacy_fastcoref.HashWords.v1")
@dataclass
class HashWords:
    """Embed the form, prefix, suffix and shape of words, for any pipeline.

    rows (Sequence[int]): The rows of the tables of forms, prefixes, suffixes and
        shapes.
    """

    width: int = 64
    rows: Sequence[int] = (4000, 1000, 2000, 500)

    def build(self) -> Words:
        attrs: Any = ["NORM", "PREFIX", "SUFFIX", "SHAPE"]
        return MultiHashEmbed(self.width, attrs, list(self.rows), False)


@register_block("spacy_fastcoref.StaticWords.v1")
@dataclass
class StaticWords:
    """Project the static vectors of the pipeline."""

    width: int = 64

    def build(self) -> Words:
        layer = chain(StaticVectors(self.width), ragged2list())
        return Model("static_words", _forward_static, layers=[layer], init=_init_static)


@register_block("spacy_fastcoref.ContextWords.v1")
@dataclass
class ContextWords:
    """Squeeze the context vectors of the pipeline, `doc.tensor`, as Coreferee does.

    A pipeline has them if a tok2vec or transformer component comes before.

    widths (Sequence[int]): The widths of the layers; the last one is that of the
        vectors.
    """

    widths: Sequence[int] = (64, 32, 16)

    @property
    def width(self) -> int:
        """The width of the vectors."""
        return self.widths[-1]

    def build(self) -> Words:
        below = [None, *self.widths[:-1]]
        layers = [Relu(*widths) for widths in zip(self.widths, below, strict=True)]
        squeezer = chain(*layers) if len(layers) > 1 else layers[0]
        return Model(
            "context_words",
            _forward_context,
            init=_init_context,
            layers=[squeezer],
            attrs={"width": self.width, _CONTEXT: True},
        )


def predict_words(
    layer: Words, docs: List[Doc], conversions: Mapping[str, Sequence[str]]
) -> List[Floats2d]:
    """Compute the vectors of words, with other words in place of rare ones.

    conversions (Mapping[str, Sequence[str]]): For each rare word, in lower case, the
        words whose average stands for it. Vectors that depend on the context stay.
    """
    vectors = layer.predict(docs)
    if not conversions or not docs or _CONTEXT in layer.attrs:
        return vectors
    vocab, kinds = docs[0].vocab, list(conversions.values())
    (of_kinds,) = layer.predict([Doc(vocab, words=[w for one in kinds for w in one])])
    sizes = np.array([len(one) for one in kinds])
    averages = np.add.reduceat(of_kinds, np.cumsum(sizes) - sizes) / sizes[:, None]
    ids = np.array([vocab.strings.add(w) for w in conversions], dtype=np.uint64)
    order = np.argsort(ids)
    found = []
    for doc, old in zip(docs, vectors, strict=True):
        forms = doc.to_array([LOWER]).reshape(-1)
        rows = order[np.minimum(np.searchsorted(ids[order], forms), len(ids) - 1)]
        is_rare = (ids[rows] == forms)[:, None]
        found.append(np.where(is_rare, averages[rows].astype(np.float32), old))
    return found


def _init_static(model: Words, X: Any = None, Y: Any = None) -> None:
    _check_vectors(model, X or ())
    model.layers[0].initialize(X=X)


def _forward_static(
    model: Words, docs: List[Doc], is_train: bool
) -> Tuple[List[Floats2d], Callable]:
    _check_vectors(model, docs)
    return model.layers[0](docs, is_train)


def _check_vectors(model: Words, docs: Sequence[Doc]) -> None:
    for doc in docs[:1]:
        if not doc.vocab.vectors_length:
            raise ValueError(Errors.FC190.format(missing="static vectors"))
        _check_width("static vectors", doc.vocab.vectors_length, model)


def _init_context(model: Words, X: Any = None, Y: Any = None) -> None:
    model.layers[0].initialize(X=None if X is None else _read_tensors(X))


def _forward_context(
    model: Words, docs: List[Doc], is_train: bool
) -> Tuple[List[Floats2d], Callable]:
    if not any(map(len, docs)):
        none = np.zeros((0, model.attrs["width"]), dtype=np.float32)
        return [none for _ in docs], lambda d_vectors: docs
    tensors = _read_tensors(docs)
    _check_width("context vectors", tensors.shape[1], model)
    vectors, backprop = model.layers[0](tensors, is_train)
    bounds = np.cumsum([len(doc) for doc in docs])[:-1]

    def finish(d_vectors: Sequence[Floats2d]) -> List[Doc]:
        backprop(np.concatenate(list(d_vectors)))
        return docs

    return np.split(vectors, bounds), finish


def _check_width(what: str, found: int, model: Words) -> None:
    """Check the width of vectors by the weights of the first layer that has some."""
    weights = (node.get_param("W") for node in model.walk() if node.has_param("W"))
    expected = next((weight.shape[1] for weight in weights), found)
    if found != expected:
        message = Errors.FC197.format(what=what, found=found, expected=expected)
        raise ValueError(message)


def _read_tensors(docs: Sequence[Doc]) -> Floats2d:
    tensors = [to_numpy(doc.tensor) for doc in docs if len(doc)]
    if any(tensor.ndim != 2 or not tensor.size for tensor in tensors):
        raise ValueError(Errors.FC190.format(missing="context vectors (doc.tensor)"))
    return np.ascontiguousarray(np.concatenate(tensors), dtype=np.float32)
