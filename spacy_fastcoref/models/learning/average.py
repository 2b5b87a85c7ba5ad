"""Several trained models -> one, by the mean of their weights."""

from dataclasses import replace
from typing import Any, Dict, Sequence

import torch

from ...errors import Errors
from ..checkpoints.checkpoint import Checkpoint

# What training alone has a use for, where an encoder came from, and what no weight
# depends on.
_IGNORED = frozenset(
    (
        "dropout",
        "frozen_layers",
        "layer_decay",
        "learn_rate",
        "min_mentions",
        "name",
        "word_dropout",
    )
)


def average_checkpoints(
    checkpoints: Sequence[Checkpoint], names: Sequence[str]
) -> Checkpoint:
    """Average the weights of models that went on from the same training.

    Models that were trained further in different ways from the same weights lie in one
    basin, and their mean is often better than each: see Wortsman et al. (2022), "Model
    soups". Models that began apart have no such mean.

    checkpoints (Sequence[Checkpoint]): The models.
    names (Sequence[str]): What they are called in messages.
    RETURNS (Checkpoint): A model like the first, in the type of its weights.
    RAISES (ValueError): They are not of the same layers, sizes and tokenizer.
    """
    first = checkpoints[0]
    for name, other in zip(names[1:], checkpoints[1:], strict=True):
        differences = _find_differences(first, other)
        if differences:
            raise ValueError(
                Errors.FC092.format(first=names[0], other=name, names=differences)
            )
    tensors = {}
    for key, tensor in first.tensors.items():
        same = torch.stack([other.tensors[key].float() for other in checkpoints])
        tensors[key] = same.mean(0).to(tensor.dtype)
    return replace(first, tensors=tensors)


def _find_differences(one: Checkpoint, other: Checkpoint) -> str:
    found = [
        key
        for key in sorted({*one.config, *other.config} - _IGNORED)
        if _strip(one.config.get(key)) != _strip(other.config.get(key))
    ]
    shapes: Dict[str, Any] = {key: t.shape for key, t in one.tensors.items()}
    if shapes != {key: t.shape for key, t in other.tensors.items()}:
        found.append("weights")
    if one.tokenizer != other.tokenizer:
        found.append("tokenizer")
    return ", ".join(found)


def _strip(value: Any) -> Any:
    """Leave out of blocks what makes no difference to the answers."""
    if not isinstance(value, dict):
        return value
    # A model from before there was a setting has none of it.
    return {
        key: _strip(value[key])
        for key in value
        if key not in _IGNORED and value[key] is not None
    }
