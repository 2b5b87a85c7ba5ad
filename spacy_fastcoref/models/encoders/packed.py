"""Compute attention within segments that are concatenated without padding."""

import inspect
from dataclasses import dataclass
from typing import Any, List, Optional, Tuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from ..runtime import has_capability
from .padding import choose_size, choose_widths

# The most attention scores to compute at once, so that they fit into a core's cache.
_MAX_SCORES = 3 << 19


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    is_piece: Tensor,
    has_padding: bool,
    scaling: Optional[float] = None,
    dropout: float = 0.0,
) -> Tensor:
    """Compute attention within segments of equal length.

    query, key, value (Tensor): Shape (n_segments, n_heads, length, head_width), as in
        the output.
    is_piece (Tensor): Shape (n_segments, length), bool, False for padding.
    """
    if scaling is None:
        scaling = query.shape[-1] ** -0.5
    # With AMX the fused kernel is faster forward, two to four times slower backward.
    # CPUs without bfloat16 have not been measured.
    if (
        not dropout
        and query.is_cpu
        and query.dtype == torch.bfloat16
        and query.shape[2] ** 2 <= _MAX_SCORES
        and has_capability("avx512_bf16")
        and (query.requires_grad or not has_capability("amx_bf16"))
    ):
        return _attend_unfused(query, key, value, is_piece, scaling)
    mask = is_piece[:, None, None] if has_padding else None
    return scaled_dot_product_attention(
        query, key, value, attn_mask=mask, dropout_p=dropout, scale=scaling
    )


def _attend_unfused(
    query: Tensor, key: Tensor, value: Tensor, is_piece: Tensor, scaling: float
) -> Tensor:
    """Compute attention with matrix products, in half the time of torch's kernel."""
    n_heads, length = query.shape[1:3]
    hidden = torch.zeros_like(is_piece, dtype=query.dtype)
    hidden = hidden.masked_fill_(~is_piece, -torch.inf)
    heads = (
        hidden[:, None].expand(-1, n_heads, -1).reshape(-1, 1, length),
        query.flatten(0, 1),
        key.flatten(0, 1).transpose(1, 2),
        value.flatten(0, 1),
    )
    n_at_once = _MAX_SCORES // length**2
    groups = zip(*(side.split(n_at_once) for side in heads), strict=True)
    if torch.is_grad_enabled():
        # Under autocast the softmax would return float32.
        with torch.autocast("cpu", enabled=False):
            steps = [
                torch.baddbmm(mask, one, other, alpha=scaling).softmax(-1) @ content
                for mask, one, other, content in groups
            ]
            return torch.cat(steps).view_as(query)
    attended = torch.empty_like(heads[-1])
    # Reuse these buffers: allocating new ones takes as long as the products.
    shape = 2, min(n_at_once, len(attended)), length, length
    scores, weights = query.new_empty(shape)
    outs = attended.split(n_at_once)
    for (mask, one, other, content), out in zip(groups, outs, strict=True):
        n = len(out)
        torch.baddbmm(mask, one, other, alpha=scaling, out=scores[:n])
        torch.softmax(scores[:n], -1, out=weights[:n])
        torch.bmm(weights[:n], content, out=out)
    return attended.view_as(query)


_NAME = "spacy_fastcoref.packed"


def use_packed_attention(model: nn.Module) -> bool:
    """Make an encoder attend within concatenated segments, if it supports this.

    Encoders with their own attention, or without an argument for positions, do not.
    """
    try:
        from transformers import AttentionInterface, AttentionMaskInterface
    except ImportError:
        # transformers before 4.56 can't replace the attention of a model.
        return False
    if (
        not getattr(model, "_supports_attention_backend", False)
        or find_positions(model) is None
        or "position_ids" not in inspect.signature(model.forward).parameters
    ):
        return False
    AttentionInterface.register(_NAME, attend_packed)
    AttentionMaskInterface.register(_NAME, lambda *args, **kwargs: None)
    model.set_attn_implementation(_NAME)
    return True


def find_positions(model: nn.Module) -> Optional[nn.Embedding]:
    """Find the position embeddings of an encoder, if it has some."""
    embeddings = getattr(model, "embeddings", None)
    table = getattr(embeddings, "position_embeddings", None)
    return table if isinstance(table, nn.Embedding) else None


@dataclass(frozen=True)
class Layout:
    """Describe the layout of concatenated segments.

    steps, is_piece (numpy.ndarray): Shape (n_rows,), the index of each word piece in
        its segment, and whether a row is a word piece and not padding.
    runs (List[Tuple[int, int, bool]]): For each run of segments of one width, in order:
        the number of segments, the width, and whether it includes padding.
    """

    steps: np.ndarray
    is_piece: np.ndarray
    runs: List[Tuple[int, int, bool]]

    @classmethod
    def from_lengths(cls, lengths: np.ndarray, factor: Tensor) -> "Layout":
        """Concatenate segments, the longest first.

        factor (Tensor): A tensor with the encoder's device and dtype.
        """
        widths = choose_widths(lengths, factor)
        cuts = np.flatnonzero(np.diff(widths)) + 1
        ends = np.cumsum(widths)
        n_rows = int(ends[-1])
        steps = np.arange(n_rows) - np.repeat(ends - widths, widths)
        is_piece = steps < np.repeat(lengths, widths)
        n_missing = choose_size(n_rows, factor) - n_rows
        runs = [
            (len(run), int(run[0]), bool((run > found).any()))
            for run, found in zip(
                np.split(widths, cuts), np.split(lengths, cuts), strict=True
            )
        ]
        return cls(
            np.pad(np.where(is_piece, steps, 0), (0, n_missing)),
            np.pad(is_piece, (0, n_missing)),
            runs,
        )


def attend_packed(
    module: Optional[nn.Module],
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Optional[Tensor],
    scaling: Optional[float] = None,
    dropout: float = 0.0,
    layout: Optional[Layout] = None,
    is_piece: Optional[Tensor] = None,
    **kwargs: Any,
) -> Tuple[Tensor, None]:
    """Compute attention within concatenated segments, all segments of a width at once.

    query, key, value (Tensor): Shape (1, n_heads, n_rows, head_width).
    is_piece (Tensor): The layout's `is_piece` on the device.
    RETURNS (Tuple[Tensor, None]): A tensor of shape (1, n_rows, n_heads, head_width),
        and None in place of attention weights.
    """
    n_heads, n_rows, width = query.shape[1:]
    outputs: List[Tensor] = []
    begin = 0
    for n_segments, length, has_padding in layout.runs:
        end = begin + n_segments * length
        shape = n_heads, n_segments, length, width
        parts = [
            side[0, :, begin:end].reshape(shape).transpose(0, 1)
            for side in (query, key, value)
        ]
        attended = attend(
            *parts,
            is_piece=is_piece[begin:end].view(n_segments, length),
            has_padding=has_padding,
            scaling=scaling,
            dropout=dropout,
        )
        outputs.append(attended.transpose(1, 2).reshape(-1, n_heads, width))
        begin = end
    if begin < n_rows:
        outputs.append(query.new_zeros((n_rows - begin, n_heads, width)))
    # Most batches have a single run of full segments, and need no copy.
    return (torch.cat(outputs) if len(outputs) > 1 else outputs[0])[None], None
