"""Validate the weights of model folders."""

from pathlib import Path
from typing import Dict, Sequence, Union

import torch
from torch import Tensor

from ...errors import Errors

_NAMED = 5


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
