"""Compute Longformer's sliding window attention (Beltagy et al. 2020) in PyTorch."""

from typing import Any, Optional, Tuple

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

# The number of queries in a block, in windows: so few that not many scores outside the
# windows are computed and masked.
_BLOCK_WINDOWS = 2


class WindowAttention(nn.Module):
    """Attend to the neighbours of each word piece (Beltagy et al. 2020, section 3.1).

    The layer replaces one of transformers, with the same output and the same names of
    weights. It has no global attention, which coreference does not use. The layer of
    transformers is slower: it pads every text to full windows, and multiplies in small
    chunks.

    layer (nn.Module): The LongformerSelfAttention to replace.
    """

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        for name in ("query", "key", "value"):
            setattr(self, name, getattr(layer, name))
            # Not used, but checkpoints have these weights.
            setattr(self, f"{name}_global", getattr(layer, f"{name}_global"))
        self.n_heads = layer.num_heads
        self.reach = layer.one_sided_attn_window_size
        # A module, so that Learner can set the rate as in other encoders.
        self.dropout = nn.Dropout(layer.dropout)
        self.train(layer.training)

    def forward(
        self, hidden_states: Tensor, attention_mask: Optional[Tensor] = None, **_: Any
    ) -> Tuple[Tensor]:
        """Compute attention within the window of each word piece.

        hidden_states (Tensor): Shape (n_segments, length, width).
        attention_mask (Optional[Tensor]): Shape (n_segments, length), negative for
            padding.
        RETURNS (Tuple[Tensor]): One tensor of shape (n_segments, length, width).
        """
        n_segments, length, width = hidden_states.shape
        query, key, value = (
            layer(hidden_states).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
        is_piece = torch.ones(
            (n_segments, length), dtype=torch.bool, device=hidden_states.device
        )
        if attention_mask is not None:
            is_piece = attention_mask.view(n_segments, length) >= 0
        index = torch.arange(length, device=hidden_states.device)
        n_rows = max(1, _BLOCK_WINDOWS * 2 * self.reach)
        blocks = []
        for begin in range(0, length, n_rows):
            rows = slice(begin, min(begin + n_rows, length))
            columns = slice(max(0, begin - self.reach), rows.stop + self.reach)
            distance = (index[rows, None] - index[columns]).abs()
            mask = (distance <= self.reach) & is_piece[:, None, columns]
            # Padding attends to itself: a row without keys would become NaN.
            mask = (mask | (distance == 0))[:, None]
            blocks.append(
                scaled_dot_product_attention(
                    query[:, :, rows],
                    key[:, :, columns],
                    value[:, :, columns],
                    attn_mask=mask,
                    dropout_p=self.dropout.p if self.training else 0.0,
                )
            )
        attended = torch.cat(blocks, 2).transpose(1, 2)
        return (attended.reshape(n_segments, length, width),)


def use_window_attention(model: nn.Module) -> None:
    """Replace the attention of a LongformerModel of transformers, in place."""
    for layer in model.encoder.layer:
        layer.attention.self = WindowAttention(layer.attention.self)
    # The model pads texts to a multiple of this, which WindowAttention does not need.
    model.config.attention_window = [2] * len(model.encoder.layer)
