"""Train MPNet's last layers without computing the first ones each time.

python -m spacy coref train CONFIG … --code benchmarks/remember_frozen.py
    --components.fastcoref.model.encoder.frozen_layers 6

What frozen layers give for a segment is computed when it is first read, without
dropout, and kept in bfloat16: 1.5 kB a piece at a width of 768. It is no part of the
package, because it changes one kind of encoder in place.
"""

from typing import Callable, Dict

import numpy as np
import torch
from torch import Tensor, nn

from spacy_fastcoref.models.encoder import Transformer
from spacy_fastcoref.models.shapes import choose_widths

compute = Transformer.encode_padded
# What padding adds to its scores.
_HIDDEN = -1e4
_known: Dict[bytes, Tensor] = {}


def encode_padded(
    self: Transformer,
    ids: np.ndarray,
    mask: np.ndarray,
    move: Callable[[np.ndarray], Tensor],
) -> Tensor:
    """Encode segments side by side; see Transformer.encode_padded.

    ids (numpy.ndarray): Shape (n_segments, max_length), int64.
    mask (numpy.ndarray): Shape (n_segments, max_length), bool: what is no padding.
    move (Callable[[numpy.ndarray], Tensor]): Takes an array to the device.
    RETURNS (Tensor): Shape (n_pieces, width), of all that is no padding.
    """
    model = self.transformer
    layers = model.encoder.layer
    n_frozen = count_frozen(layers)
    if not (torch.is_grad_enabled() and n_frozen):
        return compute(self, ids, mask, move)
    width = min(int(choose_widths(mask.shape[1], self.weight)), self.max_length)
    n_missing = width - mask.shape[1]
    ids, mask = (np.pad(array, ((0, 0), (0, n_missing))) for array in (ids, mask))
    ids = np.where(mask, ids, self.pad_id)
    keys = [row[kept].tobytes() for row, kept in zip(ids, mask, strict=True)]
    new = [i for i, key in enumerate(keys) if key not in _known]
    if new:
        was_training = model.training
        model.eval()
        with torch.no_grad():
            states = model.embeddings(input_ids=move(ids[new]))
            states = run(model, layers[:n_frozen], states, move(mask[new]))
        model.train(was_training)
        for i, state in zip(new, states, strict=True):
            _known[keys[i]] = state[move(mask[i])].to(torch.bfloat16)
    states = torch.zeros((*ids.shape, self.width), device=self.weight.device)
    for row, key in zip(states, keys, strict=True):
        row[: len(_known[key])] = _known[key]
    inside = move(mask)
    return run(model, layers[n_frozen:], states, inside)[inside]


def run(
    model: nn.Module, layers: nn.ModuleList, states: Tensor, mask: Tensor
) -> Tensor:
    """Run some of the layers.

    model (nn.Module): Transformers' MPNetModel.
    layers (nn.ModuleList): The layers.
    states (Tensor): Shape (n_segments, length, width), what goes in.
    mask (Tensor): Shape (n_segments, length), bool: what is no padding.
    RETURNS (Tensor): The same shape.
    """
    with torch.no_grad():
        near = model.encoder.compute_position_bias(states)
        hidden = (~mask[:, None, None]).to(states) * _HIDDEN
    for layer in layers:
        states = layer(states, hidden, position_bias=near)[0]
    return states


def count_frozen(layers: nn.ModuleList) -> int:
    """Count the first layers that learn nothing.

    layers (nn.ModuleList): The encoder's layers.
    RETURNS (int): Their number.
    """
    learn = [any(p.requires_grad for p in layer.parameters()) for layer in layers]
    return learn.index(True) if True in learn else len(learn)


Transformer.encode_padded = encode_padded
