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
        attrs = ["NORM", "PREFIX", "SUFFIX", "SHAPE"]
        return MultiHashEmbed(self.width, attrs, list(self.rows), False)


@register_block("spacy_fastcoref.StaticWords.v1")
@dataclass
class StaticWords:
    """Project the static vectors of the pipeline."""

    width: int = 64

    def build(self) -> Words:
        return chain(StaticVectors(self.width), ragged2list())


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
            attrs={_CONTEXT: True},
        )


def convert_words(
    layer: Words,
    docs: Sequence[Doc],
    vectors: Sequence[Floats2d],
    conversions: Mapping[str, Sequence[str]],
) -> None:
    """Replace the vectors of rare words, in lower case, by averages of those of other
    words. Vectors that depend on the context stay."""
    if not conversions or _CONTEXT in layer.attrs:
        return
    vocab = docs[0].vocab
    kinds = [Doc(vocab, words=list(words)) for words in conversions.values()]
    averages = {
        vocab.strings.add(word): of_kinds.mean(axis=0)
        for word, of_kinds in zip(conversions, layer.predict(kinds), strict=True)
    }
    for doc, found in zip(docs, vectors, strict=True):
        for i, form in enumerate(doc.to_array(LOWER).tolist()):
            if form in averages:
                found[i] = averages[form]


def read_tensors(docs: Sequence[Doc]) -> Floats2d:
    """Read the context vectors of all words."""
    tensors = [to_numpy(doc.tensor) for doc in docs if len(doc)]
    if any(tensor.ndim != 2 or not tensor.size for tensor in tensors):
        raise ValueError(Errors.FC190.format(missing="context vectors (doc.tensor)"))
    return np.ascontiguousarray(np.concatenate(tensors), dtype=np.float32)


def _init_context(model: Words, X: Any = None, Y: Any = None) -> None:
    model.layers[0].initialize(X=read_tensors(X))


def _forward_context(
    model: Words, docs: List[Doc], is_train: bool
) -> Tuple[List[Floats2d], Callable]:
    vectors, backprop = model.layers[0](read_tensors(docs), is_train)
    bounds = np.cumsum([len(doc) for doc in docs])[:-1]

    def finish(d_vectors: Sequence[Floats2d]) -> List[Doc]:
        backprop(np.concatenate(list(d_vectors)))
        return docs

    return np.split(vectors, bounds), finish
