"""Compute MPNet's relative attention (Song et al. 2020) in PyTorch."""

from typing import Any, Optional, Tuple

from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from .attention import split_heads


class RelativeAttention(nn.Module):
    """Attend to all word pieces of a segment, with relative position biases.

    See Song et al. (2020), section 2.3. The layer replaces one of transformers, with
    the same output and the same names of weights. The layer of transformers needs more
    memory: it stores all attention weights several times. The position biases are not
    trained, since their gradient would need as much memory.

    layer (nn.Module): The MPNetSelfAttention to replace.
    """

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        for name in ("q", "k", "v", "o"):
            setattr(self, name, getattr(layer, name))
        self.n_heads = layer.num_attention_heads
        self.dropout = layer.dropout
        self.train(layer.training)

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Optional[Tensor],
        *biases: Optional[Tensor],
        **_: Any,
    ) -> Tuple[Tensor]:
        """Compute attention with position biases.

        hidden_states (Tensor): Shape (n_segments, length, width).
        attention_mask (Optional[Tensor]): Shape (n_segments, 1, 1 or length, length),
            added to the attention scores to mask padding.
        *biases (Optional[Tensor]): The last one has the position biases, shape
            (n_segments, n_heads, length, length), the same for all segments. Older
            versions of transformers pass a mask of heads before it, which is None.
        RETURNS (Tuple[Tensor]): One tensor of shape (n_segments, length, width).
        """
        query, key, value = split_heads(
            hidden_states, (self.q, self.k, self.v), self.n_heads
        )
        bias = biases[-1][:1].detach().to(query.dtype)
        if attention_mask is not None:
            bias = bias + attention_mask.to(query.dtype)
        attended = scaled_dot_product_attention(
            query,
            key,
            value,
            attn_mask=bias.expand(len(query), -1, -1, -1),
            dropout_p=self.dropout.p if self.training else 0.0,
        )
        return (self.o(attended.transpose(1, 2).flatten(2)),)


def use_relative_attention(model: nn.Module) -> None:
    """Replace MPNet's attention.

    model (nn.Module): An MPNetModel of transformers, changed in place.
    """
    for layer in model.encoder.layer:
        layer.attention.attn = RelativeAttention(layer.attention.attn)
