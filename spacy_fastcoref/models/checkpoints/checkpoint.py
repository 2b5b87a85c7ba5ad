"""Serialize a model's configuration, weights and tokenizer."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Union

import safetensors.torch
import srsly
from safetensors import SafetensorError
from torch import Tensor

from ...errors import Errors
from ...files import replace_folder
from ..encoders.encoder import TransformerBlock
from ..encoders.pieces import PieceTokenizer

CONFIG = "config.json"
WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"
FORMAT = "spacy_fastcoref.CorefModel.v1"


@dataclass
class Checkpoint:
    """Hold a model's configuration, weights and tokenizer, independent of the device.

    config (Dict[str, Any]): The blocks and sizes; see CorefNetwork.
    tensors (Dict[str, Tensor]): The weights, on the CPU, in the type they are saved
        in.
    tokenizer (str): The contents of a tokenizer.json.
    """

    config: Dict[str, Any]
    tensors: Dict[str, Tensor]
    tokenizer: str

    def to_bytes(self) -> bytes:
        """Write the model as bytes.

        RETURNS (bytes): JSON and safetensors in one msgpack.
        """
        return srsly.msgpack_dumps(
            {
                CONFIG: json.dumps(self.config),
                WEIGHTS: safetensors.torch.save(self.tensors),
                TOKENIZER: self.tokenizer,
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> "Checkpoint":
        """Read a model from bytes.

        data (bytes): What to_bytes wrote.
        RETURNS (Checkpoint): The model.
        RAISES (ValueError): The bytes hold something else, or only half of it.
        """
        try:
            parts = srsly.msgpack_loads(data)
            config, weights = parts[CONFIG], parts[WEIGHTS]
            return cls._parse(config, weights, parts[TOKENIZER])
        except (
            ValueError,
            KeyError,
            TypeError,
            RecursionError,
            SafetensorError,
        ) as error:
            raise ValueError(Errors.FC018.format(reason=error)) from error

    def to_disk(self, path: Union[str, Path]) -> None:
        """Write the model into a folder of its own.

        path (Union[str, Path]): The folder; see write_folder.
        """
        write_folder(path, self.config, self.tensors, {TOKENIZER: self.tokenizer})

    @classmethod
    def from_disk(cls, path: Union[str, Path]) -> "Checkpoint":
        """Read a model from its folder, running no code from it.

        path (Union[str, Path]): The folder.
        RETURNS (Checkpoint): The model.
        RAISES (ValueError): A file is missing, broken or of another format.
        """
        path = Path(path)
        try:
            # Read, not mapped: the folder may be replaced while the model is in use.
            return cls._parse(
                (path / CONFIG).read_text(encoding="utf8"),
                (path / WEIGHTS).read_bytes(),
                (path / TOKENIZER).read_text(encoding="utf8"),
            )
        except (ValueError, OSError, RecursionError, SafetensorError) as error:
            raise ValueError(Errors.FC011.format(path=path, reason=error)) from error

    @classmethod
    def _parse(cls, config: str, weights: bytes, tokenizer: str) -> "Checkpoint":
        parsed = json.loads(config)
        if not isinstance(parsed, dict) or parsed.get("format") != FORMAT:
            found = parsed.get("format") if isinstance(parsed, dict) else parsed
            raise ValueError(
                Errors.FC015.format(
                    path=CONFIG, key="format", value=found, expected=repr(FORMAT)
                )
            )
        # What reads the vectors of tokens has no tokenizer.
        if tokenizer or _reads_pieces(parsed.get("encoder")):
            # Made again at the first use, where a text is no place for its errors.
            PieceTokenizer(tokenizer)
        return cls(parsed, load_tensors(weights), tokenizer)


def load_tensors(data: bytes) -> Dict[str, Tensor]:
    """Read tensors from the bytes of a safetensors file.

    data (bytes): The file's contents.
    RETURNS (Dict[str, Tensor]): The tensors by name.
    RAISES (SafetensorError, ValueError): It is no such file, or has numbers of a type
        that torch does not have.
    """
    try:
        return safetensors.torch.load(data)
    except KeyError as error:
        raise ValueError(f"no tensors can have the type {error}") from error


def _reads_pieces(encoder: Any) -> bool:
    return (
        isinstance(encoder, dict)
        and encoder.get("@coref_layers") == TransformerBlock.registered_name
    )


def write_folder(
    path: Union[str, Path],
    config: Dict[str, Any],
    tensors: Dict[str, Tensor],
    texts: Dict[str, str],
) -> None:
    """Write a model's folder, whole or not at all.

    path (Union[str, Path]): The folder; one that exists is replaced.
    config (Dict[str, Any]): What goes into config.json.
    tensors (Dict[str, Tensor]): What goes into model.safetensors.
    texts (Dict[str, str]): The contents of other files by name.
    """
    written = json.dumps(config, indent=2, sort_keys=True) + "\n"
    weights = safetensors.torch.save(tensors, metadata={"format": "pt"})
    with replace_folder(Path(path)) as new:
        for name, text in {CONFIG: written, **texts}.items():
            (new / name).write_text(text, encoding="utf8")
        (new / WEIGHTS).write_bytes(weights)
