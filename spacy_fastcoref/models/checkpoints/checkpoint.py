"""Serialize a model's configuration, weights and tokenizer."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Optional, Union

import safetensors.torch
from torch import Tensor

from ..encoders.pieces import PieceTokenizer
from ..folders import (
    CONFIG,
    TOKENIZER,
    WEIGHTS,
    Files,
    add_sums,
    parse_config,
    read_folder,
    write_folder,
)
from .storage import STORAGE, Stored, get_storage

FORMAT = "spacy_fastcoref.CorefModel.v1"
FILES = (CONFIG, WEIGHTS, TOKENIZER)


@dataclass
class Checkpoint:
    """Hold a model's configuration, weights and tokenizer, independent of the device.

    config (Dict[str, Any]): The blocks and sizes; see CorefNetwork.
    tensors (Dict[str, Tensor]): The weights by name, on the CPU.
    tokenizer (str): The contents of a tokenizer.json; empty for a model that reads the
        vectors of tokens.
    stored (Optional[Stored]): The same weights in their storage format; None to save
        `tensors` as they are.
    """

    config: Dict[str, Any]
    tensors: Dict[str, Tensor]
    tokenizer: str
    stored: Optional[Stored] = None

    def with_tensors(self, tensors: Dict[str, Tensor]) -> "Checkpoint":
        """Make a checkpoint with other weights, and without a storage format."""
        return Checkpoint(self.config, tensors, self.tokenizer)

    def to_disk(self, path: Union[str, Path]) -> None:
        """Write the model to its own folder, with checksums; see write_folder."""
        write_folder(path, self.make_files())

    @classmethod
    def from_disk(cls, path: Union[str, Path]) -> "Checkpoint":
        """Read a model from its folder, without running any code in it."""
        return read_folder(Path(path), FILES, cls.from_files)

    def make_files(self) -> Files:
        """Make the contents of the model's files by name, with checksums."""
        config, tensors = self.config, self.tensors
        if self.stored is not None:
            config, tensors = {**config, STORAGE: self.stored.name}, self.stored.tensors
        return add_sums(
            {
                CONFIG: describe_config(config),
                WEIGHTS: safetensors.torch.save(tensors, metadata={"format": "pt"}),
                TOKENIZER: self.tokenizer.encode("utf8"),
            }
        )

    @classmethod
    def from_files(cls, files: Files) -> "Checkpoint":
        parsed = parse_config(files[CONFIG], FORMAT)
        tokenizer = files[TOKENIZER].decode("utf8")
        # A model that reads the vectors of tokens has neither.
        if tokenizer or "encoder_config" in parsed:
            # Raise the errors of the tokenizer now, and not at the first text.
            PieceTokenizer(tokenizer)
        tensors = safetensors.torch.load(files[WEIGHTS])
        name = parsed.pop(STORAGE, None)
        if name is None:
            return cls(parsed, tensors, tokenizer)
        decoded = get_storage(name, CONFIG).decode(tensors)
        return cls(parsed, decoded, tokenizer, Stored(name, tensors))


def describe_config(config: Dict[str, Any]) -> bytes:
    """Write a configuration as the contents of a config.json."""
    # Keep the order of keys: training draws random numbers for word features in it.
    return (json.dumps(config, indent=2) + "\n").encode("utf8")
