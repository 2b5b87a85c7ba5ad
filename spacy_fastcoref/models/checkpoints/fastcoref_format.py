"""Convert checkpoints from and to the format of the fastcoref package."""

import json
import pickle
from pathlib import Path
from typing import Any, Dict, Union

import torch
from safetensors import SafetensorError
from torch import Tensor
from transformers import MODEL_MAPPING, AutoTokenizer, PretrainedConfig

from ...errors import Errors
from ...languages.en import LANG
from ..blocks import describe_block, make_block
from ..encoders.encoder import (
    TransformerBlock,
    clean_encoder_config,
    read_encoder_config,
)
from ..encoders.pieces import has_pieces, serialize_tokenizer
from ..scorers.antecedent_scorer import S2EAntecedentScorerBlock
from ..scorers.lingmess import LingMessBlock
from ..scorers.mention_scorer import S2EMentionScorerBlock
from .checkpoint import FORMAT, TOKENIZER, Checkpoint, load_tensors, write_folder
from .key_map import (
    FCOREF_KEYS,
    LINGMESS_KEYS,
    from_fastcoref_keys,
    to_fastcoref_keys,
)

# Of the layers that fastcoref has: the name of its model.
_ARCHITECTURES = {
    S2EMentionScorerBlock.registered_name: "FCorefModel",
    S2EAntecedentScorerBlock.registered_name: "FCorefModel",
    LingMessBlock.registered_name: "LingMessModel",
}
_LINGMESS_TENSOR = "coref_start_all_mlps."
_HEAD_KEYS = ("max_span_length", "top_lambda", "ffnn_size", "dropout_prob")
# What fastcoref passes over in a checkpoint, so that ours come back as they were.
_OUR_KEYS = ("min_mentions", "segment_overlap")


def read_fastcoref(path: Path, config: Dict[str, Any]) -> Checkpoint:
    """Read a folder that fastcoref saved.

    path (Path): The folder.
    config (Dict[str, Any]): The contents of its config.json.
    RETURNS (Checkpoint): The same model.
    RAISES (ValueError): A file is missing or broken.
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
    tensors = _read_tensors(path)
    is_lingmess = any(key.startswith(_LINGMESS_TENSOR) for key in tensors)
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
        "segment_overlap": 0,
        "encoder": describe_block(TransformerBlock()),
        "encoder_config": clean_encoder_config(config),
        "mention_scorer": describe_block(S2EMentionScorerBlock(**layer)),
        "antecedent_scorer": describe_block(
            LingMessBlock(**layer) if is_lingmess else S2EAntecedentScorerBlock(**layer)
        ),
    }
    if is_lingmess and head.get("max_doc_len"):
        # It sees documents whole. What is longer is cut, with context on both sides
        # of the cuts.
        ours["max_segment_len"] = head["max_doc_len"]
        ours["segment_overlap"] = head["max_doc_len"] // 8
    ours.update({key: head[key] for key in _OUR_KEYS if key in head})
    keys = LINGMESS_KEYS if is_lingmess else FCOREF_KEYS
    tensors = from_fastcoref_keys(tensors, encoder, keys)
    return Checkpoint(ours, tensors, read_tokenizer(str(path), encoder_config))


def write_fastcoref(checkpoint: Checkpoint, path: Union[str, Path]) -> None:
    """Write a folder that fastcoref can load.

    It takes the activation of the scorers and the epsilon of their norms from the
    encoder. Another activation makes another model, which is refused; our default
    epsilon of 1e-5 beside BERT's 1e-12 moves scores by less than 0.001, which is not.
    It has no `min_mentions` and no `segment_overlap`: they are written, and it passes
    over them.

    checkpoint (Checkpoint): The model.
    path (Union[str, Path]): The folder; one that exists is replaced.
    RAISES (ValueError): The model has a layer that fastcoref does not have.
    """
    config = checkpoint.config
    if config.get("word_features"):
        raise ValueError(Errors.FC008.format(layer=list(config["word_features"])))
    if (config["encoder"].get("mix_layers") or 0) > 1:
        raise ValueError(Errors.FC008.format(layer="mix_layers"))
    for key in ("refinement", "mention_types", "pronoun_head"):
        if config.get(key):
            name = config[key]["@coref_layers"]
            raise ValueError(Errors.FC008.format(layer=name))
    mention_scorer, scorer = (
        _read_scorer(config[key], str(path))
        for key in ("mention_scorer", "antecedent_scorer")
    )
    if mention_scorer.hidden_size != scorer.hidden_size:
        layer = "mention_scorer, with another hidden_size than the antecedent_scorer"
        raise ValueError(Errors.FC008.format(layer=layer))
    encoder_config = read_encoder_config(config["encoder_config"], str(path))
    # Some kinds of encoders call them otherwise.
    taken = {"hidden_act": scorer.activation, "layer_norm_eps": scorer.eps}
    taken = {key: getattr(encoder_config, key, taken[key]) for key in taken}
    for block in (mention_scorer, scorer):
        if block.activation != taken["hidden_act"]:
            layer = f"{block.registered_name}, with another activation than the encoder"
            raise ValueError(Errors.FC008.format(layer=layer))
    name = _ARCHITECTURES[scorer.registered_name]
    is_lingmess = name == "LingMessModel"
    head = {
        "max_span_length": config["max_span_length"],
        "top_lambda": config["top_lambda"],
        "ffnn_size": scorer.hidden_size,
        "dropout_prob": scorer.dropout or 0.0,
        "max_segment_len": config["max_segment_len"],
        **{key: config[key] for key in _OUR_KEYS if key in config},
    }
    if is_lingmess:
        head["max_doc_len"] = config["max_segment_len"]
    theirs = {
        **clean_encoder_config(config["encoder_config"]),
        **taken,
        "architectures": [name],
        "coref_head": head,
    }
    tokenizer = json.loads(checkpoint.tokenizer)
    names = {token["id"]: token["content"] for token in tokenizer["added_tokens"]}
    settings = {"tokenizer_class": "PreTrainedTokenizerFast"}
    if encoder_config.pad_token_id in names:
        settings["pad_token"] = names[encoder_config.pad_token_id]
    prefix = MODEL_MAPPING[type(encoder_config)].base_model_prefix
    keys = LINGMESS_KEYS if is_lingmess else FCOREF_KEYS
    write_folder(
        path,
        theirs,
        to_fastcoref_keys(checkpoint.tensors, prefix, keys),
        {
            TOKENIZER: checkpoint.tokenizer,
            "tokenizer_config.json": json.dumps(settings) + "\n",
        },
    )


def _read_scorer(config: Dict[str, Any], path: str) -> Any:
    """Make a scorer's block, if fastcoref has its layer."""
    if config["@coref_layers"] not in _ARCHITECTURES:
        raise ValueError(Errors.FC008.format(layer=config["@coref_layers"]))
    block = make_block(config, path)
    if getattr(block, "lang", LANG) != LANG:
        layer = f"{block.registered_name}, with the pronouns of {block.lang!r}"
        raise ValueError(Errors.FC008.format(layer=layer))
    return block


def read_tokenizer(path: str, config: PretrainedConfig) -> str:
    """Read the tokenizer of an encoder.

    path (str): A folder.
    config (PretrainedConfig): The encoder's; else transformers reads the folder's, and
        that may name what is to be fetched.
    RETURNS (str): The contents of its tokenizer.json.
    RAISES (ValueError): There is none, and no files to make one from.
    """
    try:
        # As fastcoref does: each word is cut as it is after a space.
        tokenizer = AutoTokenizer.from_pretrained(
            path,
            config=config,
            add_prefix_space=True,
            use_fast=True,
            local_files_only=True,
            trust_remote_code=False,
        )
        serialized = serialize_tokenizer(tokenizer)
    except Exception as error:
        # Tokenizers fail in as many ways as there are kinds of them.
        raise ValueError(Errors.FC016.format(path=path, reason=error)) from error
    if not has_pieces(serialized):
        reason = "there is no vocabulary in the folder"
        raise ValueError(Errors.FC016.format(path=path, reason=reason))
    return serialized


def _read_tensors(path: Path) -> Dict[str, Tensor]:
    try:
        if (path / "model.safetensors").is_file():
            return load_tensors((path / "model.safetensors").read_bytes())
        weights = path / "pytorch_model.bin"
        tensors = torch.load(weights, map_location="cpu", weights_only=True)
    except (
        OSError,
        SafetensorError,
        RuntimeError,
        EOFError,
        ValueError,
        pickle.PickleError,
    ) as error:
        raise ValueError(Errors.FC011.format(path=path, reason=error)) from error
    if not isinstance(tensors, dict) or not all(
        isinstance(key, str) and isinstance(tensor, Tensor)
        for key, tensor in tensors.items()
    ):
        reason = "pytorch_model.bin holds something else than tensors by name"
        raise ValueError(Errors.FC011.format(path=path, reason=reason))
    # As safetensors wants to have them, when the model is saved.
    return {key: tensor.contiguous() for key, tensor in tensors.items()}


def read_config(path: Path) -> Dict[str, Any]:
    """Read a folder's config.json.

    path (Path): The folder.
    RETURNS (Dict[str, Any]): Its contents.
    RAISES (ValueError): It is missing or broken.
    """
    try:
        config = json.loads((path / "config.json").read_text(encoding="utf8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(Errors.FC011.format(path=path, reason=error)) from error
    if not isinstance(config, dict):
        reason = "config.json holds no object"
        raise ValueError(Errors.FC011.format(path=path, reason=reason))
    return config
