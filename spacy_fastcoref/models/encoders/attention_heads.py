"""Split an encoder's attention into heads."""

from typing import Iterable, Iterator

from torch import Tensor, nn


def split_heads(
    hidden_states: Tensor, layers: Iterable[nn.Module], n_heads: int
) -> Iterator[Tensor]:
    """Give each head its queries, keys and values.

    hidden_states (Tensor): Shape (n_segments, length, width).
    layers (Iterable[nn.Module]): The query, key and value projections.
    n_heads (int): The number of heads.
    YIELDS (Tensor): Shape (n_segments, n_heads, length, head_width), one a layer.
    """
    for layer in layers:
        yield layer(hidden_states).unflatten(-1, (n_heads, -1)).transpose(1, 2)
