"""Choose tensor sizes that are fast in half precision on a CPU."""

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

# The number of sizes between two powers of two, and the smallest difference.
_N_SIZES = 8
_LEAST_STEP = 32
# Larger inputs come in blocks of one size.
_MOST = 1 << 12
# Lengths are rounded up to a multiple of the first number for segments of more than
# _LONG pieces, and of the second for others.
_STEPS = 16, 4
_LONG = 128


def pad_rows(rows: Tensor) -> Tensor:
    """Add rows of zeros, so that products of them have one of a few shapes.

    rows (Tensor): Shape (n_rows, …).
    RETURNS (Tensor): Shape (n_rows or more, …), see choose_size.
    """
    size = choose_size(len(rows), rows)
    if size == len(rows):
        return rows
    # torch's own pad fills all of it with zeros first.
    padded = rows.new_empty((size, *rows.shape[1:]))
    padded[: len(rows)] = rows
    padded[len(rows) :] = 0
    return padded


def choose_size(n_rows: int, factor: Tensor) -> int:
    """Choose how many rows to multiply.

    On a CPU, oneDNN compiles a product in half precision when it first sees its shape,
    which takes longer than the product itself; and texts are all of another length.

    n_rows (int): The number of rows that there are.
    factor (Tensor): The tensor that they are multiplied with.
    RETURNS (int): A number that is not less, where products are compiled one of a few.
    """
    if n_rows > _MOST or not _is_compiled(factor):
        return n_rows
    step = max(_LEAST_STEP, (1 << max(n_rows - 1, 0).bit_length()) // (2 * _N_SIZES))
    return -(-n_rows // step) * step


def choose_widths(lengths: ArrayLike, factor: Tensor) -> np.ndarray:
    """Choose how many pieces of each segment attend to each other.

    On a CPU, attention in half precision takes up to twice as long where the number is
    odd, or no multiple of the tiles that it is computed in.

    lengths (ArrayLike): Shape (n_segments,), the number of pieces that there are.
    factor (Tensor): The tensor that they are multiplied with.
    RETURNS (numpy.ndarray): Shape (n_segments,), numbers that are not less.
    """
    lengths = np.asarray(lengths)
    if not _is_compiled(factor):
        return lengths
    steps = np.where(lengths > _LONG, *_STEPS)
    return -(-lengths // steps) * steps


def _is_compiled(factor: Tensor) -> bool:
    kind, dtype = factor.device.type, factor.dtype
    if torch.is_autocast_enabled(kind):
        dtype = torch.get_autocast_dtype(kind)
    return kind == "cpu" and dtype != torch.float32
