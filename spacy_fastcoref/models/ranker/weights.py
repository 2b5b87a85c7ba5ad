"""Collect the weights of a Thinc model by name, and set them."""

from typing import Dict, Iterator, Tuple

import numpy as np
from thinc.api import Model

from ...errors import Errors


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
    if param == "b":
        return shape[0] == node.get_dim("nO")
    sizes = {"nO": 0, "nI": len(shape) - 1} if param == "W" else {}
    return all(
        not node.has_dim(name) or node.get_dim(name) == shape[axis]
        for name, axis in sizes.items()
    )
