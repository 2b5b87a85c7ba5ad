"""Choose tensor sizes that are fast in half precision on a CPU."""

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

# The number of sizes from one power of two to the next, and the least difference
# between two sizes.
_N_SIZES = 8
_LEAST_STEP = 32
# Larger inputs are not padded, since they come in blocks of one size.
_MOST = 1 << 12
# Round up the lengths of segments of more than _LONG word pieces to a multiple of the
# first number, and those of other segments to a multiple of the second.
_STEPS = 16, 4
# The shortest segment on a GPU.
_LEAST_GPU = 64
_LONG = 128


def pad_rows(rows: Tensor) -> Tensor:
    """Add rows of zeros, so that few shapes of products are compiled."""
    size = choose_size(len(rows), rows)
    if size == len(rows):
        return rows
    # torch's own pad would fill the whole tensor with zeros first.
    padded = rows.new_empty((size, *rows.shape[1:]))
    padded[: len(rows)] = rows
    padded[len(rows) :] = 0
    return padded


def choose_size(n_rows: int, factor: Tensor) -> int:
    """Choose the number of rows to multiply, so that few shapes are compiled.

    On a CPU, oneDNN compiles a product in half precision for each new shape.
    """
    if n_rows > _MOST or not _is_compiled(factor):
        return n_rows
    step = max(_LEAST_STEP, (1 << max(n_rows - 1, 0).bit_length()) // (2 * _N_SIZES))
    return -(-n_rows // step) * step


def choose_widths(lengths: ArrayLike, factor: Tensor) -> np.ndarray:
    """Choose the length of each segment with padding, so that attention is fast.

    A GPU attends in segments of one length at once. On a CPU, attention in half
    precision takes up to twice as long if the kernel's tiles do not divide the length.
    """
    lengths = np.asarray(lengths)
    if factor.device.type == "cuda":
        powers = np.ceil(np.log2(np.maximum(lengths, _LEAST_GPU)))
        return 1 << powers.astype(np.int64)
    if not _is_compiled(factor):
        return lengths
    steps = np.where(lengths > _LONG, *_STEPS)
    return -(-lengths // steps) * steps


def _is_compiled(factor: Tensor) -> bool:
    if not factor.is_cpu:
        return False
    is_cast = torch.is_autocast_enabled("cpu")
    dtype = torch.get_autocast_dtype("cpu") if is_cast else factor.dtype
    return dtype != torch.float32
