"""BERT and RoBERTa without transformers, and their layers in ONNX Runtime."""

from typing import Any, Callable, List, Optional

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .packed import Layout, attend_packed

_MODEL_TYPES = "bert", "roberta", "xlm-roberta"
_SIZES = (
    "vocab_size",
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
    "max_position_embeddings",
    "type_vocab_size",
)
# The most attention scores of a head that ONNX Runtime computes at once. It keeps the
# memory that it has used.
_MAX_SCORES = 1 << 18
_OPSET, _IR_VERSION = 20, 9

# From the embeddings of word pieces, shape (n_rows, width), their layout, and its
# `is_piece` on the device, to the vectors.
Run = Callable[[Tensor, Layout, Tensor], Tensor]


def is_bert(config: Any) -> bool:
    """Tell whether a configuration describes a Bert, with no size left to a default."""
    settings = vars(config)
    sizes = [settings.get(name) for name in _SIZES]
    if not all(type(size) is int and size > 0 for size in sizes):
        return False
    pad, eps = settings.get("pad_token_id"), settings.get("layer_norm_eps")
    return (
        config.model_type in _MODEL_TYPES
        and settings.get("hidden_act") == "gelu"
        and settings.get("position_embedding_type") in (None, "absolute")
        and not settings.get("is_decoder")
        and type(pad) is int
        and 0 <= pad < min(config.vocab_size, config.max_position_embeddings)
        and type(eps) is float
        and config.hidden_size % config.num_attention_heads == 0
    )


class Bert(nn.Module):
    """Encode word pieces; the weights have transformers' names.

    config (Any): A configuration of which `is_bert` is true.
    """

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        self.embeddings = _Embeddings(config)
        layers = [_Layer(config) for _ in range(config.num_hidden_layers)]
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(layers)})

    def get_input_embeddings(self) -> nn.Embedding:
        """Get the vectors of word pieces, as from a model of transformers."""
        return self.embeddings.word_embeddings

    def forward(self, hidden: Tensor, layout: Layout, is_piece: Tensor) -> Tensor:
        """Run the layers; see Run."""
        for layer in self.encoder["layer"]:
            hidden = layer(hidden, layout, is_piece)
        return hidden


class _Embeddings(nn.Module):
    def __init__(self, config: Any) -> None:
        super().__init__()
        width, pad = config.hidden_size, config.pad_token_id
        first = None if config.model_type == "bert" else pad
        self.word_embeddings = nn.Embedding(config.vocab_size, width, pad)
        self.position_embeddings = nn.Embedding(
            config.max_position_embeddings, width, first
        )
        self.token_type_embeddings = nn.Embedding(config.type_vocab_size, width)
        self.LayerNorm = nn.LayerNorm(width, config.layer_norm_eps)
        # Learner sets the rate.
        self.dropout = nn.Dropout(0.0)

    def forward(self, ids: Tensor, positions: Tensor) -> Tensor:
        words = self.word_embeddings(ids) + self.token_type_embeddings.weight[0]
        words = words + self.position_embeddings(positions)
        return self.dropout(self.LayerNorm(words))


class _Layer(nn.Module):
    def __init__(self, config: Any) -> None:
        super().__init__()
        width, inner = config.hidden_size, config.intermediate_size
        self.n_heads = config.num_attention_heads
        sides = {name: nn.Linear(width, width) for name in ("query", "key", "value")}
        self.attention = nn.ModuleDict(
            {"self": nn.ModuleDict(sides), "output": _Output(width, config)}
        )
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(width, inner)})
        self.output = _Output(inner, config)
        # Weights and biases of query, key and value, for one product in predictions.
        self.joined: Optional[List[Tensor]] = None
        self._others: List[Tensor] = []

    def join(self, is_wanted: bool) -> None:
        """Make the weights of query, key and value parts of one tensor, or not."""
        self.joined = [] if is_wanted else None
        if self.joined is None:
            return
        sides = self.attention["self"].values()
        for name in ("weight", "bias"):
            joined = torch.cat([getattr(side, name).detach() for side in sides])
            for side, rows in zip(sides, joined.chunk(3), strict=True):
                getattr(side, name).data = rows
            self.joined.append(joined)
        parts = self.attention["output"], self.intermediate, self.output
        self._others = [weight for part in parts for weight in part.parameters()]

    def forward(self, hidden: Tensor, layout: Layout, is_piece: Tensor) -> Tensor:
        shape = len(hidden), 3, self.n_heads, -1
        if self.joined is None:
            sides = [side(hidden) for side in self.attention["self"].values()]
            heads = torch.stack(sides, 1).view(shape)
        else:
            heads = F.linear(hidden, *self.joined).view(shape)
        attended, _ = attend_packed(
            None,
            *heads.permute(1, 2, 0, 3)[:, None],
            None,
            layout=layout,
            is_piece=is_piece,
        )
        attended = attended.reshape(hidden.shape)
        if self.joined is None:
            hidden = self.attention["output"](attended, hidden)
            return self.output(F.gelu(self.intermediate["dense"](hidden)), hidden)
        # Calls of modules take a tenth of the time of a short text.
        out, out_bias, norm, shift, up, up_bias, down, down_bias, *last = self._others
        width, eps = hidden.shape[1:], self.output.LayerNorm.eps
        attended = F.linear(attended, out, out_bias)
        hidden = F.layer_norm(attended + hidden, width, norm, shift, eps)
        inner = F.linear(F.gelu(F.linear(hidden, up, up_bias)), down, down_bias)
        return F.layer_norm(inner + hidden, width, *last, eps)


class _Output(nn.Module):
    def __init__(self, n_in: int, config: Any) -> None:
        super().__init__()
        self.dense = nn.Linear(n_in, config.hidden_size)
        self.LayerNorm = nn.LayerNorm(config.hidden_size, config.layer_norm_eps)
        self.dropout = nn.Dropout(0.0)

    def forward(self, inputs: Tensor, hidden: Tensor) -> Tensor:
        return self.LayerNorm(self.dropout(self.dense(inputs)) + hidden)


def make_session(model: Bert) -> Run:
    """Load the layers into ONNX Runtime, whose products of few rows are faster."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # The package runs several groups side by side; see workers.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.graph_optimization_level = level
    session = onnxruntime.InferenceSession(
        _make_graph(model), options, providers=["CPUExecutionProvider"]
    )

    def run(hidden: Tensor, layout: Layout, is_piece: Tensor) -> Tensor:
        outputs, begin = [], 0
        # In float32, segments have no padding.
        for n_segments, length, _ in layout.runs:
            end = begin + n_segments * length
            rows = hidden[begin:end].view(n_segments, length, -1)
            for part in rows.split(max(1, _MAX_SCORES // length**2)):
                (encoded,) = session.run(None, {"hidden": part.numpy()})
                outputs.append(torch.from_numpy(encoded).flatten(0, 1))
            begin = end
        return torch.cat(outputs) if len(outputs) > 1 else outputs[0]

    return run


def _make_graph(model: Bert) -> bytes:
    """Write the layers as a model of ONNX.

    Its input and its output, "hidden" and the last node's, have the shape (n_segments,
    length, width).
    """
    from onnx import TensorProto, helper, numpy_helper

    n_heads, width = model.config.num_attention_heads, model.config.hidden_size
    nodes: List[Any] = []
    constants: List[Any] = []

    def add(kind: str, *inputs: Any, n_outputs: int = 1, **attributes: Any) -> Any:
        names = []
        for value in inputs:
            if not isinstance(value, str):
                name = f"constant_{len(constants)}"
                constants.append(numpy_helper.from_array(np.asarray(value), name))
                value = name
            names.append(value)
        outputs = [f"{kind}_{len(nodes)}_{i}" for i in range(n_outputs)]
        nodes.append(helper.make_node(kind, names, outputs, **attributes))
        return outputs if n_outputs > 1 else outputs[0]

    def multiply(rows: str, weight: Tensor, bias: Tensor) -> str:
        product = add("MatMul", rows, np.ascontiguousarray(weight.detach().T))
        return add("Add", product, bias.detach())

    def finish(layer: _Output, rows: str, hidden: str) -> str:
        total = add("Add", multiply(rows, *layer.dense.parameters()), hidden)
        norm = layer.LayerNorm
        sides = (side.detach() for side in norm.parameters())
        return add("LayerNormalization", total, *sides, epsilon=norm.eps)

    def split_heads(rows: str, *order: int) -> str:
        return add("Transpose", add("Reshape", rows, heads), perm=order)

    heads = np.array([0, 0, n_heads, width // n_heads])
    scale = np.float32((width // n_heads) ** -0.5)
    hidden = "hidden"
    for layer in model.encoder["layer"]:
        projected = multiply(hidden, *layer.joined)
        query, key, value = add("Split", projected, n_outputs=3, axis=2, num_outputs=3)
        scores = add(
            "MatMul", split_heads(query, 0, 2, 1, 3), split_heads(key, 0, 2, 3, 1)
        )
        weights = add("Softmax", add("Mul", scores, scale), axis=-1)
        attended = add("MatMul", weights, split_heads(value, 0, 2, 1, 3))
        attended = add("Transpose", attended, perm=(0, 2, 1, 3))
        attended = add("Reshape", attended, np.array([0, 0, width]))
        hidden = finish(layer.attention["output"], attended, hidden)
        inner = add("Gelu", multiply(hidden, *layer.intermediate["dense"].parameters()))
        hidden = finish(layer.output, inner, hidden)
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", "length", width])
        for name in ("hidden", hidden)
    ]
    graph = helper.make_graph(nodes, "encoder", ends[:1], ends[1:], constants)
    return helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
    ).SerializeToString()
