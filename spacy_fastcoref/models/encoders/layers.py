"""Run the layers of a BERT without transformers' bookkeeping, or by ONNX Runtime."""

import warnings
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ...errors import Warnings
from .packed import Layout, attend_packed

# Encoders whose layers have the names and the order of BERT's.
_MODEL_TYPES = "bert", "roberta", "xlm-roberta"
# The most attention scores of a head that ONNX Runtime computes at once. It keeps the
# memory that it has used.
_MAX_SCORES = 1 << 18
_OPSET, _IR_VERSION = 20, 9

Weights = Tuple[Tensor, Tensor]
Run = Callable[[Tensor, Layout, Tensor], Tensor]


class Layer(NamedTuple):
    """Hold the weights and biases of a layer.

    projection (Weights): The query's, the key's and the value's, one after another.
    """

    projection: Weights
    output: Weights
    norm: Weights
    up: Weights
    down: Weights
    last_norm: Weights


def prepare_layers(model: nn.Module, setting: str) -> Optional[Run]:
    """Make a function that runs all layers of an encoder, for predictions.

    The function takes the embeddings of word pieces, shape (n_rows, width), their
    layout, and its `is_piece` on the device. It returns the vectors.

    RETURNS (Optional[Run]): The function; None if the encoder is of another kind, whose
        layers only transformers can run.
    """
    layers = _read_layers(model)
    weight = model.get_input_embeddings().weight
    reason: Optional[object] = None
    if setting == "torch":
        pass
    elif layers is not None and weight.is_cpu and weight.dtype == torch.float32:
        try:
            return _make_session(model.config, layers)
        except ImportError as error:
            reason = error if setting == "onnx" else None
        except Exception as error:
            # Another version of the library, whatever it raises.
            reason = error
    elif setting == "onnx":
        reason = "it runs encoders like BERT, in float32 on a CPU"
    if reason is not None:
        warnings.warn(Warnings.FCW41.format(reason=reason), stacklevel=2)
    if layers is None:
        return None
    n_heads, eps = model.config.num_attention_heads, model.config.layer_norm_eps

    def run(hidden: Tensor, layout: Layout, is_piece: Tensor) -> Tensor:
        for layer in layers:
            hidden = _run_layer(layer, hidden, n_heads, eps, layout, is_piece)
        return hidden

    return run


def _read_layers(model: nn.Module) -> Optional[List[Layer]]:
    """Get the weights of all layers; None for an encoder of another kind.

    The weights of query, key and value become parts of one tensor, for one product.
    """
    config = model.config
    if (
        config.model_type not in _MODEL_TYPES
        or config.hidden_act != "gelu"
        or config.is_decoder
        or getattr(config, "position_embedding_type", "absolute") != "absolute"
    ):
        return None
    layers = []
    for layer in model.encoder.layer:
        attention = layer.attention.self
        parts = attention.query, attention.key, attention.value
        projection = [
            torch.cat([getattr(part, name).detach() for part in parts])
            for name in ("weight", "bias")
        ]
        for name, joined in zip(("weight", "bias"), projection, strict=True):
            for part, rows in zip(parts, joined.chunk(3), strict=True):
                getattr(part, name).data = rows
        others = (
            layer.attention.output.dense,
            layer.attention.output.LayerNorm,
            layer.intermediate.dense,
            layer.output.dense,
            layer.output.LayerNorm,
        )
        pairs = [(part.weight.detach(), part.bias.detach()) for part in others]
        layers.append(Layer((projection[0], projection[1]), *pairs))
    return layers


def _run_layer(
    layer: Layer,
    hidden: Tensor,
    n_heads: int,
    eps: float,
    layout: Layout,
    is_piece: Tensor,
) -> Tensor:
    shape = len(hidden), 3, n_heads, -1
    projected = F.linear(hidden, *layer.projection).view(shape).permute(1, 2, 0, 3)
    attended, _ = attend_packed(
        None, *projected[:, None], None, layout=layout, is_piece=is_piece
    )
    width = hidden.shape[1:]
    attended = F.linear(attended.reshape(hidden.shape), *layer.output)
    hidden = F.layer_norm(attended + hidden, width, *layer.norm, eps)
    inner = F.linear(F.gelu(F.linear(hidden, *layer.up)), *layer.down)
    return F.layer_norm(inner + hidden, width, *layer.last_norm, eps)


def _make_session(config: Any, layers: List[Layer]) -> Run:
    """Load the layers into ONNX Runtime, whose products of few rows are faster.

    RAISES (ImportError): ONNX Runtime or onnx is not installed.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # The package runs several groups side by side; see workers.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.graph_optimization_level = level
    session = onnxruntime.InferenceSession(
        _make_graph(config, layers), options, providers=["CPUExecutionProvider"]
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


def _make_graph(config: Any, layers: List[Layer]) -> bytes:
    """Write the layers as a model of ONNX.

    Its input and its output, "hidden" and the last node's, have the shape (n_segments,
    length, width).
    """
    from onnx import TensorProto, helper, numpy_helper

    n_heads, width = config.num_attention_heads, config.hidden_size
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

    def multiply(rows: str, weights: Weights) -> str:
        weight, bias = (side.numpy() for side in weights)
        return add("Add", add("MatMul", rows, np.ascontiguousarray(weight.T)), bias)

    def normalize(rows: str, weights: Weights) -> str:
        sides = (side.numpy() for side in weights)
        return add("LayerNormalization", rows, *sides, epsilon=config.layer_norm_eps)

    def split_heads(rows: str, *order: int) -> str:
        return add("Transpose", add("Reshape", rows, heads), perm=order)

    heads = np.array([0, 0, n_heads, width // n_heads])
    scale = np.float32((width // n_heads) ** -0.5)
    hidden = "hidden"
    for layer in layers:
        projected = multiply(hidden, layer.projection)
        query, key, value = add("Split", projected, n_outputs=3, axis=2, num_outputs=3)
        scores = add(
            "MatMul", split_heads(query, 0, 2, 1, 3), split_heads(key, 0, 2, 3, 1)
        )
        weights = add("Softmax", add("Mul", scores, scale), axis=-1)
        attended = add("MatMul", weights, split_heads(value, 0, 2, 1, 3))
        attended = add("Transpose", attended, perm=(0, 2, 1, 3))
        attended = add("Reshape", attended, np.array([0, 0, width]))
        attended = add("Add", multiply(attended, layer.output), hidden)
        hidden = normalize(attended, layer.norm)
        inner = multiply(add("Gelu", multiply(hidden, layer.up)), layer.down)
        hidden = normalize(add("Add", inner, hidden), layer.last_norm)
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", "length", width])
        for name in ("hidden", hidden)
    ]
    graph = helper.make_graph(nodes, "encoder", ends[:1], ends[1:], constants)
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
    )
    return model.SerializeToString()
