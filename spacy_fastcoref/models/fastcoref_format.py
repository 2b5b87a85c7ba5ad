"""Checkpoints of the fastcoref package -> ours."""

import json
import pickle
from pathlib import Path
from typing import Any, Dict

import safetensors.torch
import torch
from safetensors import SafetensorError
from torch import Tensor
from transformers import MODEL_MAPPING, AutoTokenizer

from ..errors import Errors
from .antecedent_scorer import S2EAntecedentScorerBlock
from .blocks import describe_block
from .checkpoint import FORMAT, Checkpoint
from .encoder import TransformerBlock, clean_encoder_config, read_encoder_config
from .key_map import from_fastcoref_keys
from .mention_scorer import S2EMentionScorerBlock
from .pieces import serialize_tokenizer

_HEAD_KEYS = ("max_span_length", "top_lambda", "ffnn_size", "dropout_prob")


def read_fastcoref(path: Path, config: Dict[str, Any]) -> Checkpoint:
    """Read a folder that fastcoref saved.

    path (Path): The folder.
    config (Dict[str, Any]): The contents of its config.json.
    RETURNS (Checkpoint): The same model.
    RAISES (ValueError): A file is missing or broken, or the architecture is not
        F-coref's.
    """
    head = config["coref_head"]
    for key in _HEAD_KEYS:
        if not isinstance(head, dict) or key not in head:
            raise ValueError(
                Errors.FC015.format(
                    path=path,
                    key="coref_head",
                    value=head,
                    expected=f"a dictionary with {', '.join(_HEAD_KEYS)}",
                )
            )
    encoder_config = read_encoder_config(config, str(path))
    encoder = MODEL_MAPPING[type(encoder_config)].base_model_prefix
    layer = {
        "hidden_size": head["ffnn_size"],
        "dropout": head["dropout_prob"],
        "activation": encoder_config.hidden_act,
        "eps": encoder_config.layer_norm_eps,
    }
    ours = {
        "format": FORMAT,
        "top_lambda": head["top_lambda"],
        "max_span_length": head["max_span_length"],
        "max_segment_len": head.get("max_segment_len", 512),
        "encoder": describe_block(TransformerBlock()),
        "encoder_config": clean_encoder_config(config),
        "mention_scorer": describe_block(S2EMentionScorerBlock(**layer)),
        "antecedent_scorer": describe_block(S2EAntecedentScorerBlock(**layer)),
    }
    tensors = from_fastcoref_keys(_read_tensors(path), encoder)
    return Checkpoint(ours, tensors, read_tokenizer(str(path)))


def read_tokenizer(path: str) -> str:
    """Read the tokenizer of an encoder.

    path (str): A folder.
    RETURNS (str): The contents of its tokenizer.json.
    RAISES (ValueError): There is none, and no files to make one from.
    """
    try:
        # As fastcoref does: each word is cut as it is after a space.
        tokenizer = AutoTokenizer.from_pretrained(
            path,
            add_prefix_space=True,
            use_fast=True,
            local_files_only=True,
            trust_remote_code=False,
        )
        return serialize_tokenizer(tokenizer)
    except Exception as error:
        # Tokenizers fail in as many ways as there are kinds of them.
        raise ValueError(Errors.FC016.format(path=path, reason=error)) from error


def _read_tensors(path: Path) -> Dict[str, Tensor]:
    try:
        if (path / "model.safetensors").is_file():
            return safetensors.torch.load((path / "model.safetensors").read_bytes())
        weights = path / "pytorch_model.bin"
        return torch.load(weights, map_location="cpu", weights_only=True)
    except (OSError, SafetensorError, RuntimeError, EOFError, pickle.PickleError) as e:
        raise ValueError(Errors.FC011.format(path=path, reason=e)) from e


def read_config(path: Path) -> Dict[str, Any]:
    """Read a folder's config.json.

    path (Path): The folder.
    RETURNS (Dict[str, Any]): Its contents.
    RAISES (ValueError): It is missing or broken.
    """
    try:
        config = json.loads((path / "config.json").read_text(encoding="utf8"))
    except (OSError, ValueError) as error:
        raise ValueError(Errors.FC011.format(path=path, reason=error)) from error
    if not isinstance(config, dict):
        reason = "config.json holds no object"
        raise ValueError(Errors.FC011.format(path=path, reason=reason))
    return config
