"""The settings and weights of a ranker, in a folder of JSON and safetensors."""

import json
import warnings
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import safetensors.numpy
from thinc.api import Model

from ...errors import Errors, Warnings, check_setting
from ..blocks import describe_block, make_block
from ..folders import CONFIG, WEIGHTS, add_sums, parse_config
from .candidates import Candidates
from .features import ANNOTATION, ATTRS, SLOTS, Values
from .words import StaticWords, read_tensors

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
# Of tags and dependencies in fewer mentions, all can be rare ones.
_MIN_HEADS = 8
_LABELS = {"tag": "tags", "dep": "dependencies"}
# Context vectors of fewer tokens can be unlike the average.
_MIN_TOKENS = 30
# The least cosine of a document's average and that of training. With the pipeline of
# training it was above 0.19 for all of 2,851 documents, and with another one below 0.15
# for all of 48, of both signs.
_MIN_COSINE = 0.1
# The fields of Settings that are not saved among the settings.
_NOT_SETTINGS = ("blacklist", "conv_dict", "values", "lang", "context")
Tensors = Dict[str, np.ndarray]


@dataclass
class Settings:
    """Hold the settings of the architecture, NeuralCoref's, and what training told.

    values (Dict[str, List[str]]): See features.
    lang (Optional[str]): The language of training; None for several.
    context (Optional[List[float]]): The average of the context vectors of training, if
        the ranker reads them. The vectors of another pipeline have other meanings, even
        if they are as wide.
    """

    words: Dict[str, Any]
    hidden: Sequence[int] = (128, 64, 32)
    dropout: float = 0.2
    ensemble: int = 1
    max_sentences: int = 5
    max_dist: int = 50
    max_dist_match: int = 500
    is_ordered: bool = True
    annotation: Sequence[str] = ANNOTATION
    blacklist: bool = False
    conv_dict: Dict[str, Sequence[str]] = field(default_factory=dict)
    values: Values = field(default_factory=dict)
    lang: Optional[str] = None
    context: Optional[List[float]] = None

    def __post_init__(self) -> None:
        is_rate = isinstance(self.dropout, (int, float)) and 0 <= self.dropout < 1
        has_widths = bool(self.hidden) and all(map(_is_count, self.hidden))
        is_known = set(self.annotation) <= set(ANNOTATION)
        counts = ("ensemble", "max_sentences", "max_dist", "max_dist_match")
        checks = [
            ("words", self.words, "at least one layer"),
            ("hidden", has_widths, "a list of widths of 1 or more"),
            ("dropout", is_rate, "a number from 0 to below 1"),
            ("annotation", is_known, f"some of {ANNOTATION}"),
            *((name, _is_count(getattr(self, name)), "1 or more") for name in counts),
        ]
        for name, is_valid, expected in checks:
            check_setting(name, getattr(self, name), is_valid, expected)

    def to_files(self, network: Model, is_packed: bool = False) -> Dict[str, bytes]:
        """Make the contents of the folder by file name, with checksums."""
        settings = {k: one for k, one in vars(self).items() if k not in _NOT_SETTINGS}
        words = {name: describe_block(block) for name, block in self.words.items()}
        config = {
            "format": FORMAT,
            "origin": {"lang": self.lang, "context": self.context},
            "settings": {**settings, "words": words},
            "values": self.values,
        }
        text = json.dumps(config, indent=1, ensure_ascii=False) + "\n"
        tensors = get_weights(network)
        with np.errstate(over="ignore"):
            halves = {name: one.astype(np.float16) for name, one in tensors.items()}
        # They are also written so if that changes none of them.
        if is_packed or all(np.array_equal(halves[k], tensors[k]) for k in tensors):
            tensors = halves
        weights = safetensors.numpy.save(tensors)
        return add_sums({CONFIG: text.encode("utf8"), WEIGHTS: weights})

    def check(self, candidates: Candidates) -> None:
        """Check that a document has the language, annotation and vectors of those of
        training, and that some of its tags and dependencies are known."""
        doc, heads = candidates.doc, candidates.facts.heads
        if self.lang is not None and doc.lang_ != self.lang:
            expected, found = (f"the language '{n}'" for n in (self.lang, doc.lang_))
            raise ValueError(Errors.FC195.format(expected=expected, found=found))
        kinds = map(type, self.words.values())
        if StaticWords in kinds and not doc.vocab.vectors_length:
            raise ValueError(Errors.FC190.format(missing="static vectors"))
        used = {slot.split()[1] for slot in self.values if self.values[slot]}
        # Entities may be missing: a text can have none.
        names = [name for name in ANNOTATION if name in used and name != "entity"]
        missing = [name for name in names if not doc.has_annotation(name.upper())]
        if missing and len(doc):
            raise ValueError(Errors.FC190.format(missing=", ".join(missing)))
        for name, kind in _LABELS.items() if len(heads) >= _MIN_HEADS else ():
            common = self.values.get(f"head {name}")
            ids = np.unique(doc.to_array(ATTRS[name])[heads]).tolist()
            labels = [doc.vocab.strings[one] for one in ids if one]
            if common and not set(labels) & set(common):
                found, expected = ", ".join(labels[:3]) or "none", ", ".join(common[:5])
                message = Errors.FC196.format(name=kind, found=found, known=expected)
                raise ValueError(message)
        if self.context is None or not len(doc):
            return
        average, known = read_tensors([doc]).mean(axis=0), np.array(self.context)
        if len(average) != len(known):
            expected, found = (f"vectors of {len(v)} numbers" for v in (known, average))
            raise ValueError(Errors.FC195.format(expected=expected, found=found))
        norms = np.linalg.norm(average) * np.linalg.norm(known)
        if len(doc) >= _MIN_TOKENS and average @ known < _MIN_COSINE * norms:
            warnings.warn(Warnings.FCW35, stacklevel=2)

    @classmethod
    def from_files(cls, files: Mapping[str, bytes]) -> Tuple["Settings", Tensors]:
        """Read the contents of the folder and its weights; see SavedModel.set_files."""
        config = parse_config(files[CONFIG], FORMAT)
        tensors = safetensors.numpy.load(files[WEIGHTS])
        for name, tensor in tensors.items():
            if tensor.dtype.kind == "f" and not np.isfinite(tensor).all():
                raise ValueError(Errors.FC100.format(path=WEIGHTS, names=name))
        values, origin, settings = (config[k] for k in ("values", "origin", "settings"))
        is_known = set(SLOTS).issuperset(values)
        if not is_known or not all(isinstance(one, list) for one in values.values()):
            raise ValueError(f"{CONFIG} has values other than those of {SLOTS}")
        context = np.array(origin["context"] or [0.0], dtype=np.float64)
        if context.ndim != 1 or not np.isfinite(context).all():
            raise ValueError(f"{CONFIG} has an origin that is not valid: {origin}")
        # Registered blocks alone, so that the folder runs no other code.
        blocks = settings["words"].items()
        words = {name: make_block(block, CONFIG) for name, block in blocks}
        settings = cls(**{**settings, "words": words}, values=values, **origin)
        # Nothing is made of a size that the weights do not have.
        n_layers = settings.ensemble * len(settings.hidden)
        n_layers += sum(len(getattr(one, "widths", ())) for one in words.values())
        if n_layers > len(tensors):
            raise ValueError(f"{CONFIG} describes more weights than there are")
        return settings, tensors


def get_weights(model: Model) -> Tensors:
    """Collect copies of the weights of an initialized model by name."""
    return {
        name: np.array(node.ops.to_numpy(node.get_param(param)))
        for name, node, param in _iter_params(model)
    }


def set_weights(model: Model, weights: Tensors) -> None:
    """Set the weights of a model to those that get_weights returned, if they fit."""
    params = {name: (node, param) for name, node, param in _iter_params(model)}
    shapes = {name: weights[name].shape for name in params.keys() & weights.keys()}
    missing = sorted(params.keys() - weights.keys())
    unexpected = sorted(weights.keys() - params.keys())
    wrong = [f"{k} {one}" for k, one in shapes.items() if not _fits(*params[k], one)]
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
    # A layer that lacks a dimension answers False, and None if its size is open.
    dims = [name for name in _DIMS.get(param, ()) if node.has_dim(name) is not False]
    return len(shape) == len(dims) and all(
        size > 0 and node.maybe_get_dim(name) in (None, size)
        for name, size in zip(dims, shape, strict=True)
    )


def _is_count(value: Any) -> bool:
    return type(value) is int and value > 0
