"""Split an encoder's attention into heads."""

from typing import Iterable, Iterator

from torch import Tensor, nn


def split_heads(
    hidden_states: Tensor, layers: Iterable[nn.Module], n_heads: int
) -> Iterator[Tensor]:
    """Compute the queries, keys and values of each head.

    hidden_states (Tensor): Shape (n_segments, length, width).
    layers (Iterable[nn.Module]): The query, key and value projections.
    n_heads (int): The number of heads.
    YIELDS (Tensor): The output of each projection, in order; shape (n_segments,
        n_heads, length, head_width).
    """
    for layer in layers:
        yield layer(hidden_states).unflatten(-1, (n_heads, -1)).transpose(1, 2)
