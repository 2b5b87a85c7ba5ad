"""The settings and weights of a ranker, and its folder: JSON and safetensors."""

import json
import warnings
from dataclasses import dataclass, fields
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import safetensors.numpy
from spacy.tokens import Doc
from thinc.api import Model, to_numpy

from ...errors import Errors, Warnings, check_setting
from ..blocks import describe_block, make_block
from ..folders import CONFIG, WEIGHTS, add_sums, parse_config
from .annotation_values import ANNOTATION, AnnotationValues
from .network import make_network

FORMAT = "spacy_fastcoref.Ranker.v1"
# The storage format of packed weights.
FLOAT16 = "spacy_fastcoref.Float16.v1"
# The dimensions of weights in Thinc's layers: of linear, maxout and static layers,
# their biases, normalization and tables of embeddings.
_DIMS = {
    "W": ("nO", "nP", "nI", "nM"),
    "b": ("nO", "nP"),
    "G": ("nI",),
    "E": ("nV", "nO"),
}
# Context vectors of fewer tokens can be unlike the average.
_MIN_TOKENS = 30
# The least cosine of a document's average and that of training. With the pipeline of
# training it was above 0.19 for all of 2,851 documents, and with another one below 0.15
# for all of 48, of both signs.
_MIN_COSINE = 0.1
# Layers of words that may have settings, but no weights.
_FREE_LAYERS = 100
Tensors = Dict[str, np.ndarray]


@dataclass
class Settings:
    """Hold the blocks and sizes of a ranker; see the architecture for their meaning."""

    words: Dict[str, Any]
    hidden: Sequence[int] = (128, 64, 32)
    dropout: float = 0.2
    ensemble: int = 1
    max_sentences: int = 5
    max_dist: int = 50
    max_dist_match: int = 500
    is_ordered: bool = True
    annotation: Sequence[str] = ANNOTATION

    def __post_init__(self) -> None:
        is_rate = isinstance(self.dropout, (int, float)) and 0 <= self.dropout < 1
        has_widths = bool(self.hidden) and all(map(_is_count, self.hidden))
        is_known = set(self.annotation) <= set(ANNOTATION)
        checks = [
            ("words", bool(self.words), "at least one layer"),
            ("hidden", has_widths, "a list of widths of 1 or more"),
            ("dropout", is_rate, "a number from 0 to below 1"),
            ("annotation", is_known, f"some of {ANNOTATION}"),
        ]
        for name in ("ensemble", "max_sentences", "max_dist", "max_dist_match"):
            checks.append((name, _is_count(getattr(self, name)), "1 or more"))
        for name, is_valid, expected in checks:
            check_setting(name, getattr(self, name), is_valid, expected)

    def count_layers(self) -> int:
        """Count the layers with weights that the settings describe, at least."""
        values = (v for block in self.words.values() for v in vars(block).values())
        n_words = sum(len(one) for one in values if isinstance(one, (list, tuple)))
        # Each network has four layers for its inputs, and two of each further width.
        return len(self.words) + n_words + self.ensemble * (4 + 2 * len(self.hidden))


@dataclass
class Description:
    """Hold what the folder of a ranker tells, beside its weights.

    values (Dict[str, List[str]]): See AnnotationValues.
    lang (Optional[str]): The language of training; None for several.
    context (Optional[List[float]]): The average of the context vectors of training, if
        the ranker reads them. The vectors of another pipeline have other meanings, even
        if they are as wide.
    """

    settings: Settings
    values: Dict[str, List[str]]
    lang: Optional[str] = None
    context: Optional[List[float]] = None

    def to_files(self, tensors: Tensors) -> Dict[str, bytes]:
        """Make the contents of the folder by file name, with checksums.

        tensors (Dict[str, numpy.ndarray]): The weights by name. They are written as
            float16 if that changes none of them.
        """
        words = self.settings.words.items()
        blocks = {name: describe_block(block) for name, block in words}
        config = {
            "format": FORMAT,
            "origin": {"lang": self.lang, "context": self.context},
            "settings": {**vars(self.settings), "words": blocks},
            "values": self.values,
        }
        text = json.dumps(config, indent=1, ensure_ascii=False) + "\n"
        smaller = round_to_half(tensors)
        if all(np.array_equal(smaller[name], tensors[name]) for name in tensors):
            tensors = smaller
        weights = safetensors.numpy.save(tensors)
        return add_sums({CONFIG: text.encode("utf8"), WEIGHTS: weights})

    def make_network(self) -> Model:
        """Make the networks, without weights."""
        settings, n_values = self.settings, AnnotationValues(self.values).width
        sizes = settings.hidden, settings.dropout, settings.ensemble
        return make_network(settings.words, n_values, *sizes)

    def check(self, doc: Doc) -> None:
        """Check that a document is like those of training, and warn of other vectors.

        RAISES (ValueError): It is in another language.
        """
        if self.lang is not None and doc.lang_ != self.lang:
            raise ValueError(Errors.FC195.format(lang=self.lang, found=doc.lang_))
        if self.context is None or len(doc) < _MIN_TOKENS:
            return
        tensor, expected = to_numpy(doc.tensor), np.array(self.context)
        # Of another width, the layer that reads them will tell.
        if tensor.shape == (len(doc), len(expected)):
            average = tensor.mean(axis=0)
            norms = np.linalg.norm(average) * np.linalg.norm(expected)
            if average @ expected < _MIN_COSINE * norms:
                warnings.warn(Warnings.FCW35, stacklevel=2)

    @classmethod
    def from_files(cls, files: Mapping[str, bytes]) -> Tuple["Description", Tensors]:
        """Read the contents of the folder and its weights, running no code from them.

        RAISES (Exception): They are broken, or those of another model; see
            refuse_broken.
        """
        config = parse_config(files[CONFIG], FORMAT)
        values = config["values"]
        # Raises an error for what is no table of values.
        AnnotationValues(values)
        tensors = safetensors.numpy.load(files[WEIGHTS])
        for name, tensor in tensors.items():
            if tensor.dtype.kind == "f" and not np.isfinite(tensor).all():
                raise ValueError(Errors.FC100.format(path=WEIGHTS, names=name))
        settings, known = config["settings"], {one.name for one in fields(Settings)}
        if settings.keys() != known:
            raise ValueError(f"{CONFIG} has settings other than {sorted(known)}")
        blocks = settings["words"].items()
        # Registered blocks alone, so that the folder runs no other code.
        words = {name: make_block(block, CONFIG) for name, block in blocks}
        settings = Settings(**{**settings, "words": words})
        # Nothing is made of a size that the weights do not have.
        if settings.count_layers() > len(tensors) + _FREE_LAYERS:
            raise ValueError(f"{CONFIG} describes more weights than there are")
        return cls(settings, values, **_read_origin(config.get("origin"))), tensors


def _read_origin(found: Any) -> Dict[str, Any]:
    """Read the language and the context vectors of training, if they are known."""
    origin = {"lang": None, "context": None} if found is None else found
    context = np.array(origin.get("context") or [0.0], dtype=np.float64)
    if (
        origin.keys() != {"lang", "context"}
        or not isinstance(origin["lang"], (str, type(None)))
        or context.ndim != 1
        or not np.isfinite(context).all()
    ):
        raise ValueError(f"{CONFIG} has an origin that is not valid: {origin}")
    return origin


def round_to_half(tensors: Tensors) -> Tensors:
    """Round weights to float16."""
    with np.errstate(over="ignore"):
        return {name: one.astype(np.float16) for name, one in tensors.items()}


def get_weights(model: Model) -> Tensors:
    """Collect copies of the weights of an initialized model by name."""
    return {
        name: np.array(node.ops.to_numpy(node.get_param(param)))
        for name, node, param in _iter_params(model)
        if node.has_param(param)
    }


def set_weights(model: Model, weights: Tensors) -> None:
    """Set the weights of a model to those that get_weights returned.

    RAISES (ValueError): A weight is missing or unknown, or has another shape.
    """
    params = {name: (node, param) for name, node, param in _iter_params(model)}
    missing = sorted(params.keys() - weights.keys())
    unexpected = sorted(weights.keys() - params.keys())
    wrong = [
        f"{name} {weights[name].shape}"
        for name, (node, param) in params.items()
        if name in weights and not _fits(node, param, weights[name].shape)
    ]
    if missing or unexpected or wrong:
        raise ValueError(
            Errors.FC012.format(
                path="ranker", missing=missing, unexpected=unexpected, wrong=wrong
            )
        )
    for name, (node, param) in params.items():
        node.set_param(param, node.ops.asarray(weights[name], dtype="float32"))


def _iter_params(model: Model) -> Iterator[Tuple[str, Model, str]]:
    for number, node in enumerate(model.walk()):
        for param in node.param_names:
            yield f"{number}.{node.name}.{param}", node, param


def _fits(node: Model, param: str, shape: Tuple[int, ...]) -> bool:
    """Check the shape of a weight by the widths of its layer that are known."""
    if node.has_param(param):
        return node.get_param(param).shape == shape
    # A layer that lacks a dimension answers False, and None if its size is open.
    dims = [name for name in _DIMS.get(param, ()) if node.has_dim(name) is not False]
    return len(shape) == len(dims) and all(
        size > 0 and node.maybe_get_dim(name) in (None, size)
        for name, size in zip(dims, shape, strict=True)
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
