"""Convert checkpoints from and to the format of the fastcoref package."""

import json
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple, Union

import safetensors.torch
import torch
from torch import Tensor

from ...about import DEFAULT_LANG
from ...errors import Errors
from ...files import check_file
from ..blocks import BLOCK_KEY, describe_block, make_block
from ..encoders.encoder import (
    TransformerBlock,
    clean_encoder_config,
    read_encoder_config,
)
from ..encoders.tokenizer_checks import check_tokenizer
from ..folders import TOKENIZER, WEIGHTS, read_file, write_folder
from ..scorers.lingmess import LingMessBlock
from ..scorers.s2e import S2EAntecedentScorerBlock, S2EMentionScorerBlock
from .checkpoint import FORMAT, Checkpoint

ENCODER = "encoder.transformer."
# No scorer reads the pooler, and only old versions of transformers saved position_ids.
_UNUSED = f"{ENCODER}pooler.", f"{ENCODER}embeddings.position_ids"
# Our prefixes of weights, and fastcoref's.
_MENTION_SCORER = {
    "mention_scorer.start_mlp": "start_mention_mlp",
    "mention_scorer.end_mlp": "end_mention_mlp",
    "mention_scorer.start_score": "mention_start_classifier",
    "mention_scorer.end_score": "mention_end_classifier",
    "mention_scorer.span_score": "mention_s2e_classifier",
}
_PRODUCTS: Tuple[Tuple[str, str], ...]
_PRODUCTS = ("start_to_start", "s2s"), ("end_to_end", "e2e")
_PRODUCTS += ("start_to_end", "s2e"), ("end_to_start", "e2s")
_LINGMESS_MLPS = "coref_start_all_mlps", "coref_end_all_mlps"
# The layers that fastcoref has.
_LAYERS = {
    block.registered_name
    for block in (S2EMentionScorerBlock, S2EAntecedentScorerBlock, LingMessBlock)
}
_HEAD_KEYS = {"max_span_length", "top_lambda", "ffnn_size", "dropout_prob"}
# Settings that fastcoref ignores. They are needed to read our models back.
_OUR_KEYS = ("min_mentions", "segment_overlap")


def read_encoder(path: Path, config: Dict[str, Any]) -> Checkpoint:
    """Read a folder that transformers saved. Weights that are not the encoder's keep
    their names."""
    encoder_config = read_encoder_config(config)
    found, prefix = _read_tensors(path), f"{_get_prefix(encoder_config)}."
    if not any(key.startswith(prefix) for key in found):
        # There is only the encoder.
        prefix = ""
    tensors = {
        # Old checkpoints of BERT have other names of the weights of layer norms.
        key.replace("Norm.gamma", "Norm.weight").replace("Norm.beta", "Norm.bias"): one
        for key, one in rename_tensors(found, [(prefix, ENCODER)]).items()
        if not key.startswith(_UNUSED)
    }
    ours = {"encoder_config": clean_encoder_config(config)}
    return Checkpoint(ours, tensors, read_tokenizer(str(path), encoder_config))


def read_fastcoref(path: Path, config: Dict[str, Any]) -> Checkpoint:
    """Read a folder that fastcoref saved."""
    head = config["coref_head"]
    if not isinstance(head, dict) or not head.keys() >= _HEAD_KEYS:
        raise ValueError(f"its coref_head has not all of {sorted(_HEAD_KEYS)}")
    encoder, encoder_config = read_encoder(path, config), read_encoder_config(config)
    is_lingmess = any(key.startswith(_LINGMESS_MLPS) for key in encoder.tensors)
    layer = {
        "hidden_size": head["ffnn_size"],
        "dropout": head["dropout_prob"],
        "activation": encoder_config.hidden_act,
        "eps": encoder_config.layer_norm_eps,
    }
    ours = {
        **encoder.config,
        "format": FORMAT,
        "top_lambda": head["top_lambda"],
        "max_span_length": head["max_span_length"],
        "max_segment_len": head.get("max_segment_len", 512),
        "segment_overlap": 0,
        "encoder": describe_block(TransformerBlock()),
        "mention_scorer": describe_block(S2EMentionScorerBlock(**layer)),
        "antecedent_scorer": describe_block(
            LingMessBlock(**layer) if is_lingmess else S2EAntecedentScorerBlock(**layer)
        ),
    }
    if is_lingmess and head.get("max_doc_len"):
        # LingMess reads whole documents up to max_doc_len. Longer documents are cut
        # into segments with context on both sides.
        ours["max_segment_len"] = head["max_doc_len"]
        ours["segment_overlap"] = head["max_doc_len"] // 8
    ours.update({key: head[key] for key in _OUR_KEYS if key in head})
    names = [(theirs, our) for our, theirs in list_prefixes("", is_lingmess)[1:]]
    return Checkpoint(ours, rename_tensors(encoder.tensors, names), encoder.tokenizer)


def write_fastcoref(checkpoint: Checkpoint, path: Union[str, Path]) -> None:
    """Write a folder that fastcoref can load.

    fastcoref takes the activation of the scorers and the epsilon of their layer norms
    from the encoder. Scorers with another activation raise an error. Scorers with
    another epsilon are accepted: 1e-5 in place of BERT's 1e-12 changes scores by less
    than 0.001. fastcoref ignores the settings `min_mentions` and `segment_overlap`.

    RAISES (ValueError): The model has a layer that fastcoref does not have.
    """
    config = checkpoint.config
    for key in ("word_features", "refinement", "mention_types", "pronoun_head"):
        if config.get(key):
            raise _refuse(config[key].get(BLOCK_KEY, [*config[key]]))
    mention_scorer, scorer = (
        _read_scorer(config[key], str(path))
        for key in ("mention_scorer", "antecedent_scorer")
    )
    if mention_scorer.hidden_size != scorer.hidden_size:
        raise _refuse(
            "mention_scorer, with another hidden_size than the antecedent_scorer"
        )
    encoder_config = read_encoder_config(config["encoder_config"])
    # Some encoders name these settings differently. For them, take the scorer's values.
    taken = {"hidden_act": scorer.activation, "layer_norm_eps": scorer.eps}
    taken = {key: getattr(encoder_config, key, taken[key]) for key in taken}
    for block in (mention_scorer, scorer):
        if block.activation != taken["hidden_act"]:
            raise _refuse(f"{block.registered_name}, with another activation")
    is_lingmess = isinstance(scorer, LingMessBlock)
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
        "architectures": ["LingMessModel" if is_lingmess else "FCorefModel"],
        "coref_head": head,
    }
    tokenizer = json.loads(checkpoint.tokenizer)
    names = {token["id"]: token["content"] for token in tokenizer["added_tokens"]}
    settings = {"tokenizer_class": "PreTrainedTokenizerFast"}
    if encoder_config.pad_token_id in names:
        settings["pad_token"] = names[encoder_config.pad_token_id]
    prefix = _get_prefix(encoder_config)
    tensors = rename_tensors(checkpoint.tensors, list_prefixes(prefix, is_lingmess))
    files = Checkpoint(theirs, tensors, checkpoint.tokenizer).make_files()
    content = (json.dumps(settings) + "\n").encode("utf8")
    write_folder(path, {**files, "tokenizer_config.json": content})


def _get_prefix(config: Any) -> str:
    from transformers import MODEL_MAPPING

    return MODEL_MAPPING[type(config)].base_model_prefix


def _read_scorer(config: Dict[str, Any], path: str) -> Any:
    if config[BLOCK_KEY] not in _LAYERS:
        raise _refuse(config[BLOCK_KEY])
    block = make_block(config, path)
    if getattr(block, "lang", DEFAULT_LANG) != DEFAULT_LANG:
        raise _refuse(f"{block.registered_name}, with the pronouns of {block.lang!r}")
    return block


def _refuse(layer: Any) -> ValueError:
    return ValueError(Errors.FC008.format(layer=layer))


def read_tokenizer(path: str, config: Any) -> str:
    """Read the tokenizer of an encoder, as the contents of a tokenizer.json.

    config (PretrainedConfig): The encoder's configuration. Without it, transformers
        would read the configuration in the folder, which may name code to download.
    RAISES (ValueError): The folder has no tokenizer, and no files to make one from.
    """
    from transformers import AutoTokenizer

    try:
        if (Path(path) / TOKENIZER).is_file():
            check_tokenizer(read_file(Path(path) / TOKENIZER).decode("utf8"))
        # As in fastcoref, split each word as if it follows a space.
        tokenizer = AutoTokenizer.from_pretrained(
            path,
            config=config,
            add_prefix_space=True,
            use_fast=True,
            local_files_only=True,
            trust_remote_code=False,
        ).backend_tokenizer
        # Without tokenizer files, transformers makes one of special tokens alone.
        special = {t.content for t in tokenizer.get_added_tokens_decoder().values()}
        pieces = tokenizer.get_vocab(with_added_tokens=False).keys() - special
        if not any(char.isalnum() for piece in pieces for char in piece):
            raise ValueError("there is no vocabulary in the folder")
    except Exception as error:
        # Each class of tokenizer raises its own errors.
        raise ValueError(Errors.FC093.format(path=path, reason=error)) from error
    return tokenizer.to_str()


def _read_tensors(path: Path) -> Dict[str, Tensor]:
    weights = path / "pytorch_model.bin"
    if (path / WEIGHTS).exists():
        return safetensors.torch.load(read_file(path / WEIGHTS))
    check_file(weights)
    size = weights.stat().st_size
    if zipfile.is_zipfile(weights):
        # Weights are stored as they are, so that an archive is as large as they.
        with zipfile.ZipFile(weights) as archive:
            n_bytes = sum(info.file_size for info in archive.infolist())
        if n_bytes > size:
            raise ValueError(f"{weights.name} unpacks to {n_bytes} bytes")
    tensors = torch.load(weights, map_location="cpu", weights_only=True)
    if not isinstance(tensors, dict) or not all(
        isinstance(key, str) and isinstance(tensor, Tensor)
        for key, tensor in tensors.items()
    ):
        raise ValueError(f"{weights.name} holds something else than named tensors")
    # A tensor can repeat a few stored numbers any number of times, and a copy of
    # it needs memory for all of them.
    if sum(tensor.numel() for tensor in tensors.values()) > size:
        raise ValueError(f"{weights.name} has fewer weights than it says")
    # safetensors only saves contiguous tensors.
    return {key: tensor.contiguous() for key, tensor in tensors.items()}


def list_prefixes(encoder: str, is_lingmess: bool) -> List[Tuple[str, str]]:
    """List pairs of our prefix of weights and fastcoref's.

    encoder (str): The prefix that transformers gives to this kind of encoder.
    """
    parts = [(".weight", "all_weights"), (".bias", "all_biases")]
    start, end = _LINGMESS_MLPS
    if not is_lingmess:
        parts, start, end = [("", "classifier")], "start_coref_mlp", "end_coref_mlp"
    return [
        (ENCODER, f"{encoder}."),
        *_MENTION_SCORER.items(),
        ("antecedent_scorer.start_mlp", start),
        ("antecedent_scorer.end_mlp", end),
        *(
            (f"antecedent_scorer.{name}{part}", f"antecedent_{key}_{other}")
            for name, key in _PRODUCTS
            for part, other in parts
        ),
    ]


def rename_tensors(
    tensors: Dict[str, Tensor], prefixes: Sequence[Tuple[str, str]]
) -> Dict[str, Tensor]:
    """Replace the prefixes of the names of tensors; a name without one stays."""
    renamed = {}
    for key, tensor in tensors.items():
        found = (pair for pair in prefixes if key.startswith(pair[0]))
        old, new = next(found, ("", ""))
        renamed[new + key[len(old) :]] = tensor
    return renamed
