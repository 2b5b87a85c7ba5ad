"""Collect the weights of a Thinc model by name, and set them."""

from typing import Dict, Iterator, Tuple

import numpy as np
from thinc.api import Model

from ...errors import Errors

# The dimensions of weights in Thinc's layers: of linear, maxout and static layers,
# their biases, normalization and tables of embeddings.
_DIMS = {
    "W": ("nO", "nP", "nI", "nM"),
    "b": ("nO", "nP"),
    "G": ("nI",),
    "E": ("nV", "nO"),
}


def _iter_params(model: Model) -> Iterator[Tuple[str, Model, str]]:
    """Iterate over the weights, with a name by the place of their layer."""
    for number, node in enumerate(model.walk()):
        for param in node.param_names:
            yield f"{number}.{node.name}.{param}", node, param


def get_weights(model: Model) -> Dict[str, np.ndarray]:
    """Collect the weights of a model.

    model (Model): The model, initialized.
    RETURNS (Dict[str, numpy.ndarray]): Copies of the weights by name.
    """
    found = {}
    for name, node, param in _iter_params(model):
        if node.has_param(param):
            found[name] = np.array(node.ops.to_numpy(node.get_param(param)))
    return found


def set_weights(model: Model, weights: Dict[str, np.ndarray]) -> None:
    """Set the weights of a model.

    model (Model): The model.
    weights (Dict[str, numpy.ndarray]): What get_weights returned.
    RAISES (ValueError): A weight is missing or unknown.
    """
    params = {name: (node, param) for name, node, param in _iter_params(model)}
    missing = sorted(params.keys() - weights.keys())
    unexpected = sorted(weights.keys() - params.keys())
    if missing or unexpected:
        raise ValueError(
            Errors.FC012.format(
                path="ranker", missing=missing, unexpected=unexpected, wrong=[]
            )
        )
    wrong = [
        f"{name} {weights[name].shape}"
        for name, (node, param) in params.items()
        if not _fits(node, param, weights[name].shape)
    ]
    if wrong:
        raise ValueError(
            Errors.FC012.format(path="ranker", missing=[], unexpected=[], wrong=wrong)
        )
    for name, (node, param) in params.items():
        node.set_param(param, node.ops.asarray(weights[name], dtype="float32"))


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
