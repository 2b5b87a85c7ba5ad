"""Find and load the weights of a model, or make those of a new one."""

import contextlib
import json
import os
import re
import sys
import warnings
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, Dict, Iterator, Optional

import torch
from thinc.api import Config

from ... import pretrained
from ...errors import Errors, Warnings
from ...factories import list_components
from ...files import check_file
from ..blocks import describe_block
from ..encoders.encoder import clean_encoder_config, read_encoder_config
from ..encoders.token_vectors import TokenVectorsBlock
from ..folders import CONFIG, SUMS, WEIGHTS, name_folder_in_errors, read_file
from ..network.network import read_tensors
from .building import Limits, check_encoder, check_fit, make_network
from .checkpoint import FORMAT, Checkpoint
from .fastcoref_format import read_fastcoref, read_tokenizer

# The key by which to recognize the config.json of a fastcoref model.
_HEAD = "coref_head"
_SCORER = "antecedent_scorer"
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
        checkpoint = self._read()
        if self.encoder is None:
            return checkpoint
        config = {**checkpoint.config, "encoder": describe_block(self.encoder)}
        return replace(checkpoint, config=config)

    def _read(self) -> Checkpoint:
        if self.name is None:
            return Checkpoint.from_disk(pretrained.get_folder(self.lang))
        path = find_model(self.name)
        config = _read_config(path)
        if config.get("format") == FORMAT:
            checkpoint = Checkpoint.from_disk(path)
            if not checkpoint.tokenizer:
                raise ValueError(Errors.FC085.format(path=path))
            return checkpoint
        with name_folder_in_errors(path):
            if _HEAD in config:
                return read_fastcoref(path, config)
            raise ValueError(
                f"its {CONFIG} has neither the format {FORMAT!r}, nor a {_HEAD}, as "
                "fastcoref saves it"
            )


@dataclass(frozen=True)
class NewSource:
    """Make a new model around a pretrained encoder; see architectures.CorefModel.

    settings (Dict[str, Any]): The blocks except for the encoder, and the sizes, by
        name.
    """

    encoder: Any
    settings: Dict[str, Any]
    start_from: Optional[str] = None

    @property
    def path(self) -> str:
        return str(self.name)

    @property
    def name(self) -> Optional[str]:
        return self.start_from or self.encoder.name

    def load(self) -> Checkpoint:
        """Load the encoder and add scorers with random weights."""
        from transformers import AutoModel

        if self.start_from is not None:
            trained = TrainedSource(self.start_from).load()
            config = self._describe(trained.config.get("encoder_config") or {})
            return _take_weights(trained, config, self.start_from)
        if self.encoder.name is None:
            raise ValueError(Errors.FC017)
        path = find_folder(self.encoder.name)
        found = _read_config(path)
        with name_folder_in_errors(path):
            config = self._describe(clean_encoder_config(found))
            check_encoder(config, str(path), Limits.from_files(path))
            encoder_config = read_encoder_config(found)
        network = make_network(config, str(path))
        transformer = network.encoder.transformer
        with torch.device("cpu"), name_folder_in_errors(path), no_progress_bar():
            encoder, info = AutoModel.from_pretrained(
                path,
                config=encoder_config,
                local_files_only=True,
                trust_remote_code=False,
                output_loading_info=True,
            )
        if getattr(encoder, "pooler", None) is not None:
            encoder.pooler = None
        weights, missing = encoder.state_dict(), info["missing_keys"]
        # Missing weights would be random, and transformers only logs a warning.
        kept = {key: weights[key] for key in weights if key not in missing}
        check_fit(transformer.state_dict(), kept, path)
        transformer.load_state_dict(weights)
        tokenizer = read_tokenizer(str(path), encoder_config)
        return Checkpoint(config, read_tensors(network), tokenizer)

    def _describe(self, encoder_config: Dict[str, Any]) -> Dict[str, Any]:
        encoder = {"encoder": self.encoder, "encoder_config": encoder_config}
        return _describe({**encoder, **self.settings})


def _take_weights(trained: Checkpoint, config: Dict[str, Any], path: str) -> Checkpoint:
    """Initialize a new model with the matching weights of one with the same encoder.

    Layers that the trained model does not have, or not in the same size, get random
    weights, with a warning. Layers that only the trained model has are dropped.
    """
    check_encoder(config, path, Limits.from_tensors(trained.tensors.values()))
    tensors = read_tensors(make_network(config, path))
    known = {_unwrap(key): tensor for key, tensor in trained.tensors.items()}
    fitting = {
        key: known[_unwrap(key)].to(tensor.dtype)
        for key, tensor in tensors.items()
        if _unwrap(key) in known and known[_unwrap(key)].shape == tensor.shape
    }
    # The outermost layers that have new weights and no known weights.
    inside = {layer for key in fitting for layer in _list_layers(key)}
    news = tensors.keys() - fitting.keys()
    new = {next(x for x in _list_layers(key) if x not in inside) for key in news}
    if new:
        layers = ", ".join(sorted(new))
        warnings.warn(Warnings.FCW11.format(path=path, layers=layers), stacklevel=2)
    return Checkpoint(config, {**tensors, **fitting}, trained.tokenizer)


def _unwrap(key: str) -> str:
    """Name a weight of an antecedent scorer as if no other scorer was around it."""
    return re.sub(rf"^{_SCORER}\.(scorer\.)*", f"{_SCORER}.", key)


def _list_layers(key: str) -> Iterator[str]:
    """List the layers that contain a weight, from the outside in, then the weight."""
    return accumulate(key.split("."), "{}.{}".format)


@dataclass(frozen=True)
class TokenSource:
    """Make a new model that reads a pipeline's token vectors; see NewSource.

    learn_rate (float): The scorers' learning rate, as a factor of the optimizer's.
    width (int): The width of the token vectors; 0 before the component is initialized.
    """

    settings: Dict[str, Any]
    learn_rate: float = 1.0
    width: int = 0
    path = "a new model"
    name = None

    def load(self) -> Checkpoint:
        """Make scorers with random weights."""
        if not self.width:
            raise ValueError(Errors.FC017)
        encoder = TokenVectorsBlock(self.width, self.learn_rate)
        # Documents are not cut into segments.
        sizes = {"encoder": encoder, "max_segment_len": sys.maxsize}
        config = _describe({**sizes, **self.settings})
        return Checkpoint(config, read_tensors(make_network(config, self.path)), "")


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


@contextlib.contextmanager
def no_progress_bar() -> Iterator[None]:
    """Hide the progress bars of transformers within the context."""
    from transformers.utils import logging

    was_enabled = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if was_enabled:
            logging.enable_progress_bar()


def is_trained(name_or_path: str) -> bool:
    """Check whether a folder has a coreference model, and not only an encoder."""
    config = _read_config(find_model(name_or_path))
    return config.get("format") == FORMAT or _HEAD in config


def find_model(name_or_path: str) -> Path:
    """Find the folder of a model, which may be inside the folder of a pipeline.

    RAISES (ValueError): There is no such folder, or it is not one of one model.
    """
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


def find_folder(name_or_path: str) -> Path:
    """Find a model's folder, or download the model from the hub.

    RAISES (ValueError): There is neither, or the download failed.
    """
    check_name(name_or_path)
    path = Path(name_or_path)
    if path.is_dir():
        return path
    # Importing it takes half a second.
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError, RepositoryNotFoundError

    try:
        return Path(snapshot_download(name_or_path, allow_patterns=list(_HUB_FILES)))
    except Exception as error:
        # The hub's client raises its own errors, network errors and ValueErrors.
        reason = str(error).strip().split("\n")[0]
        if isinstance(error, RepositoryNotFoundError):
            reason = "the hub has no model of this name, or only its owner may read it"
        elif isinstance(error, (LocalEntryNotFoundError, OSError)):
            reason = (
                f"the hub can't be reached ({reason}). Download the model where there "
                "is a network, and give its folder"
            )
        raise ValueError(
            Errors.FC010.format(path=name_or_path, reason=reason)
        ) from error


def check_name(name_or_path: str) -> None:
    """Check that there is a folder of a model, or that the hub can have such a name.

    RAISES (ValueError): There is neither.
    """
    path = Path(name_or_path)
    if path.is_dir():
        # What is there but no file has an error of its own.
        if not any(os.path.lexists(path / name) for name in (CONFIG, _PIPELINE)):
            reason = (
                f"there is neither {CONFIG} of a model nor a pipeline's {_PIPELINE}"
            )
            raise ValueError(Errors.FC011.format(path=path, reason=reason))
        return
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id

    try:
        validate_repo_id(name_or_path)
    except HFValidationError as error:
        reason = "no model on the hub has such a name, which is OWNER/NAME"
        message = Errors.FC010.format(path=name_or_path, reason=reason)
        raise ValueError(message) from error
