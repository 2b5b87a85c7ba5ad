"""Segments end to end, without padding: each piece attends to its own segment alone."""

import inspect
from itertools import groupby
from typing import Any, List, Optional, Tuple

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

try:
    from transformers import AttentionInterface, AttentionMaskInterface
except ImportError:
    # Older than 4.56: no model can be told how to attend.
    AttentionInterface = AttentionMaskInterface = None

_NAME = "spacy_fastcoref.packed"


def use_packed_attention(model: nn.Module) -> bool:
    """Make an encoder attend within segments that stand end to end.

    Everything but attention sees one piece at a time, so nothing is spent on padding.

    model (nn.Module): A model of transformers.
    RETURNS (bool): Whether it can be done: not with encoders that have attention of
        their own, or positions that can't be passed.
    """
    embeddings = getattr(model, "embeddings", None)
    if (
        AttentionInterface is None
        or not getattr(model, "_supports_attention_backend", False)
        or not isinstance(
            getattr(embeddings, "position_embeddings", None), nn.Embedding
        )
        or "position_ids" not in inspect.signature(model.forward).parameters
    ):
        return False
    AttentionInterface.register(_NAME, attend_packed)
    AttentionMaskInterface.register(_NAME, _make_no_mask)
    model.set_attn_implementation(_NAME)
    return True


def find_first_position(model: nn.Module) -> int:
    """Find the position of a segment's first piece: RoBERTa's counts from its padding.

    model (nn.Module): A model for which use_packed_attention returned True.
    RETURNS (int): The position.
    """
    padding = model.embeddings.position_embeddings.padding_idx
    return 0 if padding is None else padding + 1


def attend_packed(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Optional[Tensor],
    scaling: Optional[float] = None,
    dropout: float = 0.0,
    segment_lengths: Tuple[int, ...] = (),
    **kwargs: Any,
) -> Tuple[Tensor, None]:
    """Attend within segments, those of one length at once.

    module (nn.Module): The layer.
    query, key, value (Tensor): Shape (1, n_heads, n_pieces, head_width).
    attention_mask (Optional[Tensor]): None: there is no padding.
    scaling (Optional[float]): What products are multiplied by.
    dropout (float): The dropout rate of the attention.
    segment_lengths (Tuple[int, ...]): The segments' lengths, in order; equal ones side
        by side.
    RETURNS (Tuple[Tensor, None]): Shape (1, n_pieces, n_heads, head_width).
    """
    n_heads, width = query.shape[1], query.shape[3]
    outputs: List[Tensor] = []
    begin = 0
    for length, same in groupby(segment_lengths):
        n_segments = len(list(same))
        end = begin + n_segments * length
        shape = n_heads, n_segments, length, width
        parts = [
            side[0, :, begin:end].reshape(shape).transpose(0, 1)
            for side in (query, key, value)
        ]
        attended = scaled_dot_product_attention(
            *parts, dropout_p=dropout, scale=scaling
        )
        outputs.append(attended.transpose(1, 2).reshape(-1, n_heads, width))
        begin = end
    return torch.cat(outputs)[None], None


def _make_no_mask(*args: Any, **kwargs: Any) -> None:
    return None
