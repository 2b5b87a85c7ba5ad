"""Attention: PyTorch's fused kernel, or matrix products where these are faster."""

from typing import Optional

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from ..runtime import has_capability

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

    query, key, value (Tensor): Shape (n_segments, n_heads, length, head_width).
    is_piece (Tensor): Shape (n_segments, length), bool, False for padding.
    RETURNS (Tensor): Shape (n_segments, n_heads, length, head_width).
    """
    if scaling is None:
        scaling = query.shape[-1] ** -0.5
    if not dropout and _is_unfused_faster(query):
        return _attend_unfused(query, key, value, is_piece, scaling)
    mask = is_piece[:, None, None] if has_padding else None
    return scaled_dot_product_attention(
        query, key, value, attn_mask=mask, dropout_p=dropout, scale=scaling
    )


def _is_unfused_faster(query: Tensor) -> bool:
    # With AMX the fused kernel is faster forward, two to four times slower backward.
    # CPUs without bfloat16 have not been measured.
    return (
        query.is_cpu
        and query.dtype == torch.bfloat16
        and query.shape[2] ** 2 <= _MAX_SCORES
        and has_capability("avx512_bf16")
        and (query.requires_grad or not has_capability("amx_bf16"))
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
            steps = [_attend_with_gradients(*group, scaling) for group in groups]
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


def _attend_with_gradients(
    mask: Tensor, one: Tensor, other: Tensor, content: Tensor, scaling: float
) -> Tensor:
    """Compute attention and keep the attention weights for the gradients."""
    weights = torch.baddbmm(mask, one, other, alpha=scaling).softmax(-1)
    return torch.bmm(weights, content)
