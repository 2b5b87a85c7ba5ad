"""Validate the weights of model folders, and name the folder in error messages."""

import configparser
import contextlib
from pathlib import Path
from typing import Dict, Iterator, Sequence, Union

import torch
from safetensors import SafetensorError
from torch import Tensor

from ...errors import Errors, is_ours

# The errors that torch, transformers and Python raise for broken settings and files.
_REASONS = (
    configparser.Error,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    SafetensorError,
    TypeError,
    ValueError,
)
_NAMED = 5


@contextlib.contextmanager
def name_folder_in_errors(path: Union[str, Path]) -> Iterator[None]:
    """Name the model folder in errors raised within the context.

    Use it only around code that reads the folder's settings: elsewhere it would hide
    the errors of our own code.

    path (Union[str, Path]): The folder.
    YIELDS (None): Nothing; the context turns errors into ValueErrors.
    RAISES (ValueError): The folder is broken.
    """
    try:
        yield
    except _REASONS as error:
        if is_ours(error):
            raise
        reason = f"{type(error).__name__}, {error}"
        raise ValueError(Errors.FC011.format(path=path, reason=reason)) from error


def check_weights(
    path: Union[str, Path],
    missing: Sequence[str],
    unexpected: Sequence[str] = (),
    wrong: Sequence[str] = (),
) -> None:
    """Check that the weights in a folder are complete and fit its configuration.

    path (Union[str, Path]): The folder, for the error message.
    missing, unexpected (Sequence[str]): The names of missing and unexpected weights.
    wrong (Sequence[str]): The names of weights with wrong shapes, with both shapes.
    RAISES (ValueError): There are missing, unexpected or wrong weights.
    """
    if missing or unexpected or wrong:
        raise ValueError(
            Errors.FC012.format(
                path=path,
                missing=_list(missing),
                unexpected=_list(unexpected),
                wrong=_list(wrong),
            )
        )


def check_finite(path: Union[str, Path], tensors: Dict[str, Tensor]) -> None:
    """Check that all weights are finite.

    path (Union[str, Path]): The folder of the weights, for the error message.
    tensors (Dict[str, Tensor]): The weights by name.
    RAISES (ValueError): Some weights are infinite or NaN.
    """
    # The extremes of a tensor with NaN or infinity are not finite, and need no copy.
    broken = [
        name
        for name, tensor in tensors.items()
        if tensor.is_floating_point()
        and tensor.numel()
        and not torch.stack(tensor.aminmax()).isfinite().all()
    ]
    if broken:
        raise ValueError(Errors.FC100.format(path=path, names=_list(broken)))


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return (", ".join(names[:_NAMED]) or "none") + more
