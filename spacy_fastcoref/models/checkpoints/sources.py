"""Find and load the weights of a model, or make those of a new one."""

import json
import os
import re
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, Optional

from thinc.api import Config

from ... import pretrained
from ...errors import Errors, Warnings
from ...factories import list_components
from ...files import check_file
from ..blocks import describe_block
from ..folders import CONFIG, SUMS, WEIGHTS, name_folder_in_errors, read_file
from ..network.network import read_tensors
from .building import check_encoder, load_weights, make_network
from .checkpoint import FORMAT, Checkpoint
from .fastcoref_format import ENCODER, read_encoder, read_fastcoref

# The key by which to recognize the config.json of a fastcoref model.
_HEAD = "coref_head"
# The file by which to recognize the folder of a pipeline.
_PIPELINE = "config.cfg"
_HUB_FILES = ("*.json", "*.txt", "*.model", WEIGHTS, "pytorch_model.bin", SUMS)


@dataclass(frozen=True)
class TrainedSource:
    """Load a trained model; see architectures.Pretrained."""

    name: Optional[str] = None
    lang: Optional[str] = None
    encoder: Optional[Any] = None

    @property
    def path(self) -> str:
        """Get the name of the source, for messages."""
        return self.name or str(pretrained.get_folder(self.lang))

    def choose(self, lang: str, path: Optional[str]) -> "TrainedSource":
        """Choose the weights for a pipeline, without loading them; see CorefModel.

        Those of another language are only used if the config names that language.
        """
        if path is not None or self.name is not None:
            return replace(self, name=path or self.name)
        source = replace(self, lang=self.lang or lang)
        is_shared = pretrained.get_folder(source.lang).name == pretrained.MULTILINGUAL
        known = pretrained.list_multilingual()
        if is_shared and lang not in known:
            message = Warnings.FCW34.format(lang=lang, available=", ".join(known))
            warnings.warn(message, stacklevel=2)
        return source

    def load(self) -> Checkpoint:
        """Load the model; a ValueError says what is not there or broken."""
        path = find_model(self.name) if self.name else pretrained.get_folder(self.lang)
        config = _read_config(path)
        if _HEAD in config:
            with name_folder_in_errors(path):
                checkpoint = read_fastcoref(path, config)
        else:
            checkpoint = Checkpoint.from_disk(path)
        if not checkpoint.tokenizer:
            raise ValueError(Errors.FC085.format(path=path))
        if self.encoder is not None:
            checkpoint.config["encoder"] = describe_block(self.encoder)
        return checkpoint


@dataclass(frozen=True)
class NewSource:
    """Make a new model; see architectures.CorefModel and Tok2VecCoref.

    encoder (Any): The block of a pretrained encoder, or of one that reads the vectors
        of tokens, of which the width is 0 before the component is initialized.
    settings (Dict[str, Any]): The blocks except for the encoder, and the sizes, by
        name.
    """

    encoder: Any
    settings: Dict[str, Any]
    start_from: Optional[str] = None

    @property
    def path(self) -> str:
        return self.name or "a new model"

    @property
    def name(self) -> Optional[str]:
        return self.start_from or getattr(self.encoder, "name", None)

    def load(self) -> Checkpoint:
        """Load the encoder and add scorers with random weights."""
        if getattr(self.encoder, "width", 0):
            config = _describe({"encoder": self.encoder, **self.settings})
            return Checkpoint(config, read_tensors(make_network(config, self.path)), "")
        if self.name is None:
            raise ValueError(Errors.FC017)
        if self.start_from is not None:
            known, path = TrainedSource(self.name).load(), self.name
        else:
            folder = find_folder(self.name)
            path = str(folder)
            with name_folder_in_errors(path):
                known = read_encoder(folder, _read_config(folder))
        encoder_config = known.config.get("encoder_config") or {}
        encoder = {"encoder": self.encoder, "encoder_config": encoder_config}
        config = _describe({**encoder, **self.settings})
        return _take_weights(known, config, path)


def _take_weights(source: Checkpoint, config: Dict[str, Any], path: str) -> Checkpoint:
    """Initialize a new model with the matching weights of one with the same encoder.

    Layers that a trained model does not have, or not in the same size, get random
    weights, with a warning; an encoder has to have all of them. Layers that only the
    source has are dropped.
    """
    check_encoder(config, path, source.tensors)
    network = make_network(config, path)
    tensors = read_tensors(network)
    known = {_unwrap(key): tensor for key, tensor in source.tensors.items()}
    found = {key: known[_unwrap(key)] for key in tensors if _unwrap(key) in known}
    is_trained = "format" in source.config
    if not is_trained:
        parts = {k.removeprefix(ENCODER): t for k, t in found.items()}
        load_weights(network.encoder.transformer, parts, path)
    fitting = {
        key: tensor.to(tensors[key].dtype)
        for key, tensor in found.items()
        if tensor.shape == tensors[key].shape
    }
    new = tensors.keys() - fitting.keys()
    if new and is_trained:
        names = {".".join(_unwrap(key).split(".")[:2]) for key in new}
        layers = ", ".join(sorted(names))
        warnings.warn(Warnings.FCW11.format(path=path, layers=layers), stacklevel=2)
    return Checkpoint(config, {**tensors, **fitting}, source.tokenizer)


def _unwrap(key: str) -> str:
    """Name a weight of an antecedent scorer as if no other scorer was around it."""
    return re.sub(r"^(antecedent_scorer\.)(scorer\.)*", r"\1", key)


def _describe(settings: Dict[str, Any]) -> Dict[str, Any]:
    config: Dict[str, Any] = {"format": FORMAT}
    for name, value in settings.items():
        if hasattr(value, "registered_name"):
            config[name] = describe_block(value)
        elif name == "word_features":
            config[name] = {key: describe_block(block) for key, block in value.items()}
        elif value is not None:
            config[name] = value
    return config


def is_trained(name_or_path: str) -> bool:
    """Check whether a folder has a coreference model, and not only an encoder."""
    config = _read_config(find_model(name_or_path))
    return config.get("format") == FORMAT or _HEAD in config


def find_model(name_or_path: str) -> Path:
    """Find the folder of a model, which may be inside the folder of a pipeline."""
    path = find_folder(name_or_path)
    if not (path / _PIPELINE).is_file():
        return path
    with name_folder_in_errors(path / _PIPELINE):
        config = Config().from_disk(path / _PIPELINE, interpolate=False)
        factories = {n: c.get("factory") for n, c in config["components"].items()}
    found = list_components(factories)
    # A name with a path in it would lead out of the pipeline.
    found = [name for name in found if Path(name).name == name != ".."]
    if len(found) != 1:
        raise ValueError(Errors.FC084.format(path=path, n_found=len(found)))
    return path / found[0] / "model"


def _read_config(path: Path) -> Dict[str, Any]:
    with name_folder_in_errors(path):
        # Check all files before any library opens them.
        for pattern in _HUB_FILES:
            for file in sorted(path.glob(pattern)):
                check_file(file)
        config = json.loads(read_file(path / CONFIG).decode("utf8"))
        if not isinstance(config, dict):
            raise ValueError(f"{CONFIG} holds no object")
        return config


def find_folder(name_or_path: str, *, fetch: bool = True) -> Path:
    """Find a model's folder, or download the model from the hub.

    fetch (bool): False to check only whether the hub can have a model of this name.
    """
    path = Path(name_or_path)
    if path.is_dir():
        # What is there but no file has an error of its own.
        if not any(os.path.lexists(path / name) for name in (CONFIG, _PIPELINE)):
            reason = f"it has neither a model's {CONFIG} nor a pipeline's {_PIPELINE}"
            raise ValueError(Errors.FC011.format(path=path, reason=reason))
        return path
    # Importing it takes half a second.
    from huggingface_hub import errors, snapshot_download
    from huggingface_hub.utils import validate_repo_id

    try:
        validate_repo_id(name_or_path)
        if fetch:
            path = Path(snapshot_download(name_or_path, allow_patterns=[*_HUB_FILES]))
        return path
    except Exception as error:
        # The hub's client raises its own errors, network errors and ValueErrors.
        reason = str(error).strip().split("\n")[0]
        if isinstance(error, errors.HFValidationError):
            reason = "no model on the hub has such a name, which is OWNER/NAME"
        elif isinstance(error, errors.RepositoryNotFoundError):
            reason = "the hub has no model of this name, or only its owner may read it"
        elif isinstance(error, (errors.LocalEntryNotFoundError, OSError)):
            reason = (
                f"the hub can't be reached ({reason}). Download the model where there "
                "is a network, and give its folder"
            )
        message = Errors.FC010.format(path=name_or_path, reason=reason)
        raise ValueError(message) from error
