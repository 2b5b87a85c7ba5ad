"""Encode word pieces with any model that transformers' AutoModel supports."""

import re
import warnings
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from ...errors import Warnings, check_setting
from ..batching import Batch, Segments
from ..blocks import register_block
from ..runtime import Runtime
from ..workers import MIN_SHARE, count_workers, map_side_by_side
from .layers import Bert, Run, is_bert, make_session
from .packed import Layout, find_positions, use_packed_attention
from .padding import choose_widths

# A CPU is no faster with more word pieces at once, and needs more memory.
MAX_CPU_PIECES = 1 << 11
# Settings that do not describe the architecture: custom code, weights to download,
# library versions, the labels of a classifier. One such as attn_implementation may name
# code on the hub, which transformers would run, and private ones may do the same.
_FOREIGN = re.compile(
    "_.*|.*_implementation|architectures|auto_map|backbone|backbone_kwargs|coref_head|"
    "dtype|id2label|label2id|num_labels|quantization_config|torch_dtype|"
    "transformers_version|use_pretrained_backbone|use_timm_backbone"
)


@register_block("spacy_fastcoref.Transformer.v1")
@dataclass(frozen=True)
class TransformerBlock:
    """Describe an encoder of transformers.

    name (Optional[str]): The folder or hub name of the encoder's weights, for a new
        model. A saved model has its own weights.
    learn_rate (float): The learning rate of the last layer, as a factor of the
        optimizer's. At 0 the encoder is not trained, and a step takes a fraction of the
        time.
    layer_decay (float): The learning rate of each layer, as a factor of the next
        layer's.
    frozen_layers (int): The number of first layers to freeze, together with the
        embeddings: they are not trained, and no gradients flow through them. An encoder
        whose layers share their weights is frozen as a whole.
    dropout (Optional[float]): The dropout rate of all layers in training. Attention has
        no dropout, since PyTorch's fast attention on a CPU does not support it. None
        for the rate of the update: `training.dropout` in a config, or `drop` in
        `nlp.update(drop=...)`.
    word_dropout (float): The share of word pieces whose embeddings are hidden in
        training.
    """

    name: Optional[str] = None
    learn_rate: float = 0.15
    layer_decay: float = 1.0
    frozen_layers: int = 0
    dropout: Optional[float] = 0.0
    word_dropout: float = 0.0

    def build(self, config: Dict[str, Any], path: str) -> "Transformer":
        """Make the encoder, without trained weights."""
        encoder_config: Any = SimpleNamespace(**clean_encoder_config(config))
        if not is_bert(encoder_config):
            encoder_config = read_encoder_config(config)
        n_layers, n_frozen = encoder_config.num_hidden_layers, self.frozen_layers
        is_valid = isinstance(n_frozen, int) and 0 <= n_frozen <= n_layers
        expected = f"a whole number up to {n_layers}, the layers of '{path}'"
        check_setting("frozen_layers", n_frozen, is_valid, expected)
        return Transformer(encoder_config)


def clean_encoder_config(config: Dict[str, Any]) -> Dict[str, Any]:
    """Drop the settings of transformers' config.json that do not describe the encoder.

    They refer to code, downloads or versions, also in nested configurations.
    """

    def clean(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: clean(inner)
                for key, inner in value.items()
                if not _FOREIGN.fullmatch(key)
            }
        return [clean(item) for item in value] if isinstance(value, list) else value

    return clean(config)


def read_encoder_config(config: Dict[str, Any]) -> Any:
    """Make a configuration object of transformers, without running a model's code."""
    from transformers import CONFIG_MAPPING, AutoConfig

    settings = clean_encoder_config(config)
    model_type = settings.pop("model_type", None)
    if model_type not in CONFIG_MAPPING:
        raise ValueError(f"transformers knows no encoder of the kind {model_type!r}")
    return AutoConfig.for_model(model_type, **settings)


class Transformer(nn.Module):
    """Encode word pieces with a Bert, or with another model of transformers."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.is_longformer = config.model_type == "longformer"
        self.is_bert = self.is_packed = is_bert(config)
        if self.is_bert:
            self.transformer = Bert(config)
        else:
            from transformers import AutoModel

            self.transformer = AutoModel.from_config(config).to(torch.float32)
            if self.is_longformer:
                use_window_attention(self.transformer)
            self.is_packed = use_packed_attention(self.transformer)
            if getattr(self.transformer, "pooler", None) is not None:
                # Only classifiers need the pooler; no scorer reads it.
                self.transformer.pooler = None
        self.width = config.hidden_size
        self.pad_id = config.pad_token_id or 0
        table = find_positions(self.transformer)
        # RoBERTa's positions begin after that of padding.
        padding = getattr(table, "padding_idx", None)
        self.first_position = 0 if padding is None else padding + 1
        # The length of the longest segment.
        self.max_length: Optional[int] = None
        if table is not None:
            self.max_length = len(table.weight) - self.first_position
        # Runs all layers of a Bert instead of its modules.
        self.run_layers: Optional[Run] = None

    @property
    def weight(self) -> Tensor:
        """Get the word embeddings, for the device and dtype of the encoder."""
        return self.transformer.get_input_embeddings().weight

    def prepare(self, setting: Optional[str]) -> None:
        """Prepare the layers, on their device and in their precision, for predictions.

        setting (Optional[str]): Runtime.runtime; None to run modules, which a caller
            observes.
        """
        self.run_layers = None
        for layer in self.transformer.encoder["layer"] if self.is_bert else ():
            layer.join(setting is not None)
        weight = self.weight
        reason: Optional[object] = None
        if self.is_bert and weight.is_cpu and weight.dtype == torch.float32:
            if setting not in (None, "torch"):
                try:
                    self.run_layers = make_session(self.transformer)
                except ImportError as error:
                    reason = error if setting == "onnx" else None
                except Exception as error:
                    # The library is of another version, whatever that raises.
                    reason = error
        elif setting == "onnx":
            reason = "it runs encoders like BERT, in float32 on a CPU"
        if reason is not None:
            warnings.warn(Warnings.FCW41.format(reason=reason), stacklevel=2)

    def encode(
        self,
        batch: Batch,
        runtime: Runtime,
        max_segment_len: int,
        move: Callable[[np.ndarray], Tensor],
    ) -> Tensor:
        """Encode documents in groups of segments of similar length.

        RETURNS (Tensor): Shape (n_pieces, width), in the encoder's precision.
        """
        segments = Segments.from_ends(
            batch.piece_ends, max_segment_len, runtime.segment_overlap or 0
        )
        choose, encode = segments.pack, self.encode_padded
        if self.is_packed:
            # Groups of a fixed size, so that the kernels of products are compiled once.
            widths = choose_widths(segments.lengths, self.weight)
            choose = partial(segments.fill, sizes=widths)
            encode = self.encode_packed
        budget = runtime.max_tokens_in_batch
        if self.weight.device.type == "cpu":
            budget = min(budget, MAX_CPU_PIECES)
        n_workers = count_workers(self.weight.device)
        if n_workers > 1:
            # Split the batch between the workers.
            share = -(-len(batch.ids) // n_workers)
            budget = min(budget, max(share, MIN_SHARE))

        def encode_group(group: np.ndarray) -> Tuple[np.ndarray, Tensor]:
            at, mask, kept = segments.get_positions(group)
            encoded, is_piece = encode(batch.ids[at], mask, move)
            at, kept = at[mask], kept[mask]
            # By index, not by mask: torch would wait for the GPU to count the mask.
            return at[kept], encoded[move(np.flatnonzero(is_piece)[kept])]

        groups = list(choose(budget))
        vectors = None
        for at, encoded in map_side_by_side(encode_group, groups, n_workers):
            if vectors is None:
                vectors = encoded.new_empty(len(batch.ids), self.width)
            vectors[move(at)] = encoded
        return vectors

    def encode_packed(
        self, ids: np.ndarray, mask: np.ndarray, move: Callable[[np.ndarray], Tensor]
    ) -> Tuple[Tensor, np.ndarray]:
        """Concatenate segments without padding, and encode them.

        ids, mask (numpy.ndarray): Shape (n_segments, max_length), of which the mask is
            False for padding. Segments of equal length are adjacent.
        RETURNS (Tuple[Tensor, numpy.ndarray]): Shape (n_rows, width), and which rows
            are word pieces and not padding.
        """
        layout = Layout.from_lengths(mask.sum(1), self.weight)
        flat = np.full(len(layout.steps), self.pad_id)
        flat[layout.is_piece] = ids[mask]
        positions = layout.steps + self.first_position
        inputs = move(flat), move(positions)
        is_piece = move(layout.is_piece)
        if self.is_bert:
            run = self.run_layers or self.transformer
            encoded = run(self.transformer.embeddings(*inputs), layout, is_piece)
        else:
            encoded = self.transformer(
                input_ids=inputs[0][None],
                position_ids=inputs[1][None],
                layout=layout,
                is_piece=is_piece,
            )[0][0]
        return encoded, layout.is_piece

    def encode_padded(
        self, ids: np.ndarray, mask: np.ndarray, move: Callable[[np.ndarray], Tensor]
    ) -> Tuple[Tensor, np.ndarray]:
        """Encode segments as a padded batch; see encode_packed."""
        width = int(choose_widths(mask.shape[1], self.weight))
        if self.max_length is not None:
            # In some kinds of encoders, padding takes up positions, too.
            width = min(width, self.max_length)
        if self.is_longformer:
            # Pad to an even length. transformers would do so too, but log a message
            # each time.
            width += width % 2
        n_missing = width - mask.shape[1]
        ids, mask = (np.pad(array, ((0, 0), (0, n_missing))) for array in (ids, mask))
        ids = np.where(mask, ids, self.pad_id)
        encoded = self.transformer(
            input_ids=move(ids), attention_mask=move(mask.astype(np.int64))
        ).last_hidden_state
        return encoded.flatten(0, 1), mask


# The number of queries in a block, in windows: so few that not many scores outside the
# windows are computed and masked.
_BLOCK_WINDOWS = 2


class WindowAttention(nn.Module):
    """Attend to the neighbours of each word piece (Beltagy et al. 2020, section 3.1).

    The layer replaces a LongformerSelfAttention, with the same output and the same
    names of weights. It has no global attention, which coreference does not use, and
    does not pad every text to full windows.
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
        self, hidden_states: Tensor, attention_mask: Tensor, **_: Any
    ) -> Tuple[Tensor]:
        """Compute attention within the window of each word piece.

        hidden_states (Tensor): Shape (n_segments, length, width), as in the output.
        attention_mask (Tensor): Shape (n_segments, length), negative for padding.
        """
        n_segments, length, width = hidden_states.shape
        query, key, value = (
            layer(hidden_states).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
            for layer in (self.query, self.key, self.value)
        )
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
