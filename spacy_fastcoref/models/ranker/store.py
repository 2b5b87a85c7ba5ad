"""Read and write the folder of a ranker: JSON and safetensors, no code."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Mapping, Union

import numpy as np
import safetensors.numpy
import srsly

from ...errors import Errors, name_bytes_in_errors
from ..folders import (
    CONFIG,
    SUMS,
    WEIGHTS,
    add_sums,
    find_changed,
    read_folder,
    refuse_broken,
    write_folder,
)
from .feature_table import SLOTS
from .origin import Origin

FORMAT = "spacy_fastcoref.Ranker.v1"
# The storage format of packed weights.
FLOAT16 = "spacy_fastcoref.Float16.v1"
_FILES = (CONFIG, WEIGHTS)


@dataclass
class Store:
    """Hold the settings, the feature table and the weights of a ranker.

    settings (Dict[str, Any]): See Settings.to_config.
    values (Dict[str, List[str]]): The values of the feature table.
    tensors (Dict[str, numpy.ndarray]): The weights by name.
    origin (Origin): What is known of the documents of training.
    """

    settings: Dict[str, Any]
    values: Dict[str, List[str]]
    tensors: Dict[str, np.ndarray]
    origin: Origin = field(default_factory=Origin)

    def to_files(self) -> Dict[str, bytes]:
        """Make the contents of the folder.

        RETURNS (Dict[str, bytes]): The contents by file name, with checksums.
        """
        config = {
            "format": FORMAT,
            "origin": self.origin.to_config(),
            "settings": self.settings,
            "values": self.values,
        }
        text = json.dumps(config, indent=1, ensure_ascii=False) + "\n"
        weights = safetensors.numpy.save(shrink(self.tensors))
        return add_sums({CONFIG: text.encode("utf8"), WEIGHTS: weights})

    def to_bytes(self) -> bytes:
        """Write the ranker as bytes.

        RETURNS (bytes): The files in one msgpack.
        """
        return srsly.msgpack_dumps(self.to_files())

    def to_disk(self, path: Union[str, Path]) -> None:
        """Write the folder.

        path (Union[str, Path]): The folder.
        """
        write_folder(path, self.to_files())

    @classmethod
    def from_bytes(cls, data: bytes) -> "Store":
        """Read a ranker from bytes, running no code from them.

        data (bytes): What to_bytes wrote.
        RETURNS (Store): The ranker.
        RAISES (ValueError): The bytes are broken.
        """
        with name_bytes_in_errors():
            files = srsly.msgpack_loads(data)
            if not isinstance(files, dict) or not all(
                isinstance(files.get(name), bytes) for name in (*_FILES, SUMS)
            ):
                raise ValueError("a part is missing")
            changed = find_changed(files, files[SUMS])
            if changed is not None:
                raise ValueError(f"the checksum of {changed} is not the right one")
            return cls._parse(files)

    @classmethod
    def from_disk(cls, path: Union[str, Path]) -> "Store":
        """Read the folder, running no code from it.

        path (Union[str, Path]): The folder.
        RETURNS (Store): The ranker.
        RAISES (ValueError): A file is missing or broken, or is that of another model.
        """
        files = read_folder(Path(path), _FILES)
        with refuse_broken(path):
            return cls._parse(files)

    @classmethod
    def _parse(cls, files: Mapping[str, bytes]) -> "Store":
        config = json.loads(files[CONFIG].decode("utf8"))
        found = config.get("format") if isinstance(config, dict) else config
        if found != FORMAT:
            raise ValueError(
                Errors.FC015.format(
                    path=CONFIG, key="format", value=found, expected=repr(FORMAT)
                )
            )
        settings, values = config.get("settings"), config.get("values")
        if not isinstance(settings, dict) or not _are_values(values):
            raise ValueError(f"{CONFIG} has no settings or no values")
        tensors = safetensors.numpy.load(files[WEIGHTS])
        for name, tensor in tensors.items():
            if tensor.dtype.kind == "f" and not np.isfinite(tensor).all():
                raise ValueError(Errors.FC100.format(path=WEIGHTS, names=name))
        return cls(settings, values, tensors, Origin.from_config(config.get("origin")))


def shrink(tensors: Dict[str, np.ndarray]) -> Dict[str, np.ndarray]:
    """Convert weights to float16 if that changes none of them.

    tensors (Dict[str, numpy.ndarray]): The weights by name.
    RETURNS (Dict[str, numpy.ndarray]): The weights, all of the same type.
    """
    smaller = round_to_half(tensors)
    is_same = all(np.array_equal(smaller[name], tensors[name]) for name in tensors)
    return smaller if is_same else tensors


def round_to_half(tensors: Dict[str, np.ndarray]) -> Dict[str, np.ndarray]:
    """Round weights to float16.

    tensors (Dict[str, numpy.ndarray]): The weights by name.
    RETURNS (Dict[str, numpy.ndarray]): The rounded weights.
    """
    with np.errstate(over="ignore"):
        return {name: one.astype(np.float16) for name, one in tensors.items()}


def _are_values(values: Any) -> bool:
    return isinstance(values, dict) and all(
        slot in SLOTS
        and isinstance(found, list)
        and all(isinstance(value, str) for value in found)
        for slot, found in values.items()
    )
