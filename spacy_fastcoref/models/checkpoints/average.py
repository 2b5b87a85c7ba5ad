"""The average of the weights of several trained models."""

from typing import Any, Dict, Sequence

import torch

from ...errors import Errors
from .checkpoint import Checkpoint

# The settings that models may differ in: those that affect only training, the source of
# the encoder, and those that can be changed without training again.
_IGNORED = frozenset(
    (
        "dropout",
        "frozen_layers",
        "layer_decay",
        "learn_rate",
        "min_mentions",
        "name",
        "calibration",
        "word_dropout",
    )
)


def average_checkpoints(
    checkpoints: Sequence[Checkpoint], names: Sequence[str]
) -> Checkpoint:
    """Average the weights of models that continued the same training.

    Models that were fine-tuned in different ways from the same weights can be
    averaged, and the average is often better than each of them; see Wortsman et al.
    (2022), "Model soups". The average of models with different initial weights is
    useless.

    RETURNS (Checkpoint): The averaged weights, with the configuration and the
        dtypes of the first model.
    RAISES (ValueError): The models differ in their layers, sizes or tokenizer.
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
        versions = torch.stack([other.tensors[key].float() for other in checkpoints])
        tensors[key] = versions.mean(0).to(tensor.dtype)
    return first.with_tensors(tensors)


def _find_differences(one: Checkpoint, other: Checkpoint) -> str:
    """List the settings, and `weights` or `tokenizer`, that two models differ in."""
    found = [
        key
        for key in sorted({*one.config, *other.config} - _IGNORED)
        if _drop_ignored(one.config.get(key)) != _drop_ignored(other.config.get(key))
    ]
    shapes: Dict[str, Any] = {key: t.shape for key, t in one.tensors.items()}
    if shapes != {key: t.shape for key, t in other.tensors.items()}:
        found.append("weights")
    if one.tokenizer != other.tokenizer:
        found.append("tokenizer")
    return ", ".join(found)


def _drop_ignored(value: Any) -> Any:
    """Drop the settings of a block that models may differ in."""
    if not isinstance(value, dict):
        return value
    # None counts as missing, because models from before a setting existed lack it.
    return {
        key: _drop_ignored(value[key])
        for key in value
        if key not in _IGNORED and value[key] is not None
    }
