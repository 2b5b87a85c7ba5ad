"""Sources of a model's weights, which are loaded at first use."""

import contextlib
import sys
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Optional, Tuple

import torch
from huggingface_hub import snapshot_download
from thinc.api import Config
from transformers import AutoModel
from transformers.utils import logging

from ... import pretrained
from ...errors import Errors, Warnings
from ...factories import find_components
from ..blocks import BLOCK_KEY, describe_block
from ..encoders.encoder import clean_encoder_config, read_encoder_config
from ..encoders.token_vectors import TokenVectorsBlock
from ..learning.learner import read_tensors
from .building import make_network
from .checkpoint import FORMAT, WEIGHTS, Checkpoint
from .checks import check_weights, name_folder_in_errors
from .fastcoref_format import read_config, read_fastcoref, read_tokenizer

# The key in config.json by which fastcoref's models are known.
_HEAD = "coref_head"
_SCORER = "antecedent_scorer"
# The file by which a pipeline is known.
_PIPELINE = "config.cfg"
_HUB_FILES = ("*.json", "*.txt", "*.model", WEIGHTS, "pytorch_model.bin")


@dataclass(frozen=True)
class TrainedSource:
    """Load a trained model: one that ships, a folder, or one on the hub.

    name_or_path (Optional[str]): A folder of a model or of a pipeline with one, or a
        name on the hub; None for the model that ships for `lang`.
    lang (Optional[str]): The language.
    encoder (Optional[Any]): A block that says how the encoder is trained on; None for
        how it was trained.
    """

    name_or_path: Optional[str] = None
    lang: Optional[str] = None
    encoder: Optional[Any] = None

    @property
    def path(self) -> str:
        """Get the name of the source, for messages."""
        return self.name_or_path or str(pretrained.get_folder(self.lang or ""))

    def choose(self, lang: str, path: Optional[str]) -> "TrainedSource":
        """Choose the weights for a pipeline; they are not loaded yet.

        lang (str): The pipeline's language. Weights that ship for another language are
            only used if the config names that language.
        path (Optional[str]): The setting `model_path`; None to keep what the [model]
            block says.
        RETURNS (TrainedSource): The source.
        RAISES (ValueError): No weights ship for the language.
        """
        if path is not None or self.name_or_path is not None:
            return replace(self, name_or_path=path or self.name_or_path)
        source = replace(self, lang=self.lang or lang)
        pretrained.find_folder(source.lang)
        return source

    def load(self) -> Checkpoint:
        """Load the model.

        RETURNS (Checkpoint): The model.
        RAISES (ValueError): There is none, or it is broken.
        """
        checkpoint = self._read()
        if self.encoder is None:
            return checkpoint
        config = {**checkpoint.config, "encoder": describe_block(self.encoder)}
        return replace(checkpoint, config=config)

    def _read(self) -> Checkpoint:
        if self.name_or_path is None:
            return Checkpoint.from_disk(pretrained.find_folder(self.lang))
        path = find_model(self.name_or_path)
        config = read_config(path)
        if config.get("format") == FORMAT:
            checkpoint = Checkpoint.from_disk(path)
            if not checkpoint.tokenizer:
                raise ValueError(Errors.FC085.format(path=path))
            return checkpoint
        if _HEAD in config:
            with name_folder_in_errors(path):
                return read_fastcoref(path, config)
        expected = f"{FORMAT!r}, or there has to be a {_HEAD}, as fastcoref saves it"
        raise ValueError(
            Errors.FC015.format(
                path=path, key="format", value=config.get("format"), expected=expected
            )
        )


@dataclass(frozen=True)
class NewSource:
    """Make a new model around a pretrained encoder.

    encoder, mention_scorer, antecedent_scorer (Any): Blocks.
    top_lambda (float): The number of mentions to keep per word piece.
    min_mentions (int): The minimum number of mentions to keep.
    max_span_length (int): The longest mention, in pieces.
    max_segment_len (int): The longest segment, in pieces.
    segment_overlap (int): The pieces of context that a segment has on each side.
    word_features (Dict[str, Any]): Blocks by name.
    refinement (Optional[Any]): A block, or None.
    mention_types (Optional[Any]): A block, or None.
    pronoun_head (Optional[Any]): A block, or None.
    start_from (Optional[str]): A trained model's folder or name on the hub, or None.
    """

    encoder: Any
    mention_scorer: Any
    antecedent_scorer: Any
    top_lambda: float
    min_mentions: int
    max_span_length: int
    max_segment_len: int
    segment_overlap: int
    word_features: Dict[str, Any]
    refinement: Optional[Any] = None
    mention_types: Optional[Any] = None
    pronoun_head: Optional[Any] = None
    start_from: Optional[str] = None

    @property
    def path(self) -> str:
        """Get the name of the source, for messages."""
        return str(self.start_from or self.encoder.name)

    def load(self) -> Checkpoint:
        """Load the encoder and add scorers with random weights.

        RETURNS (Checkpoint): The model.
        RAISES (ValueError): The encoder, or the model to start from, cannot be loaded.
        """
        if self.start_from is not None:
            trained = TrainedSource(self.start_from).load()
            config = self.describe(trained.config["encoder_config"])
            return take_weights(trained, config, self.start_from)
        if self.encoder.name is None:
            raise ValueError(Errors.FC017)
        path = find_folder(self.encoder.name)
        found = read_config(path)
        with name_folder_in_errors(path):
            encoder_config = read_encoder_config(found, str(path))
            config = self.describe(clean_encoder_config(found))
        network = make_network(config, str(path))
        transformer = network.encoder.transformer
        with torch.device("cpu"), name_folder_in_errors(path), _no_progress_bar():
            encoder, info = AutoModel.from_pretrained(
                path,
                config=encoder_config,
                local_files_only=True,
                trust_remote_code=False,
                output_loading_info=True,
            )
        needed = transformer.state_dict().keys()
        # Missing weights would be random, and transformers only logs a warning.
        check_weights(path, sorted(needed & set(info["missing_keys"])))
        if getattr(encoder, "pooler", None) is not None:
            encoder.pooler = None
        transformer.load_state_dict(encoder.state_dict())
        tokenizer = read_tokenizer(str(path), encoder_config)
        return Checkpoint(config, read_tensors(network), tokenizer)

    def describe(self, encoder_config: Dict[str, Any]) -> Dict[str, Any]:
        """Describe the model's blocks and sizes.

        encoder_config (Dict[str, Any]): The encoder's configuration.
        RETURNS (Dict[str, Any]): The model's; see CorefNetwork.
        """
        config: Dict[str, Any] = {
            "format": FORMAT,
            "top_lambda": self.top_lambda,
            "min_mentions": self.min_mentions,
            "max_span_length": self.max_span_length,
            "max_segment_len": self.max_segment_len,
            "segment_overlap": self.segment_overlap,
            "encoder": describe_block(self.encoder),
            "encoder_config": encoder_config,
            "mention_scorer": describe_block(self.mention_scorer),
            "antecedent_scorer": describe_block(self.antecedent_scorer),
            "word_features": _describe_blocks(self.word_features),
        }
        for name in ("refinement", "mention_types", "pronoun_head"):
            block = getattr(self, name)
            if block is not None:
                config[name] = describe_block(block)
        return config


def take_weights(trained: Checkpoint, config: Dict[str, Any], path: str) -> Checkpoint:
    """Initialize a new model with the matching weights of a trained one.

    trained (Checkpoint): The trained model.
    config (Dict[str, Any]): What the new model is made of, on the same encoder.
    path (str): Where the trained one comes from, for messages.
    RETURNS (Checkpoint): The new model. Layers that the trained one does not have, or
        not in this size, start anew, which a warning says; what only the trained one
        has is dropped.
    """
    tensors = read_tensors(make_network(config, path))
    places = _match_scorers(trained.config, config)
    found = {_move(key, places): tensor for key, tensor in trained.tensors.items()}
    fitting = {
        key: tensor.to(tensors[key].dtype)
        for key, tensor in found.items()
        if key in tensors and tensor.shape == tensors[key].shape
    }
    new = _name_layers(tensors.keys() - fitting.keys(), fitting)
    if new:
        warnings.warn(
            Warnings.FCW11.format(path=path, layers=", ".join(new)), stacklevel=2
        )
    return Checkpoint(config, {**tensors, **fitting}, trained.tokenizer)


def _match_scorers(old: Dict[str, Any], new: Dict[str, Any]) -> Dict[str, str]:
    """Find where scorers are in another model, in which others may be around them."""
    places = dict(_list_scorers(new))
    return {
        f"{place}.": f"{places[name]}."
        for name, place in _list_scorers(old)
        if name in places
    }


def _list_scorers(config: Dict[str, Any]) -> Iterator[Tuple[str, str]]:
    """Yield an antecedent scorer's name and place, then those of what is inside it."""
    block, place = config.get(_SCORER), _SCORER
    # A folder's config may hold anything; what is wrong with it is said elsewhere.
    while isinstance(block, dict) and isinstance(block.get(BLOCK_KEY), str):
        yield block[BLOCK_KEY], place
        block, place = block.get("scorer"), f"{place}.scorer"


def _move(key: str, places: Dict[str, str]) -> str:
    """Name a weight as the new model does."""
    # The longest place first: the innermost that it belongs to.
    for old, new in sorted(places.items(), reverse=True):
        if key.startswith(old):
            return new + key.removeprefix(old)
    return key


def _name_layers(new: Iterable[str], known: Iterable[str]) -> List[str]:
    """Name the outermost layers of which no weight is known."""
    inside = {layer for key in known for layer in _list_layers(key)}
    return sorted(
        {next(x for x in _list_layers(key) if x not in inside) for key in new}
    )


def _list_layers(key: str) -> List[str]:
    """List what a weight is inside, outermost first, and itself."""
    names = key.split(".")
    return [".".join(names[: i + 1]) for i in range(len(names))]


@dataclass(frozen=True)
class TokenSource:
    """Make a new model on the vectors of a pipeline's own tokens.

    mention_scorer, antecedent_scorer (Any): Blocks.
    top_lambda (float): The number of mentions to keep per token.
    min_mentions (int): The minimum number of mentions to keep.
    max_span_length (int): The longest mention, in tokens.
    word_features (Dict[str, Any]): Blocks by name.
    learn_rate (float): The scorers' factor on the optimizer's learning rate.
    width (int): The width of the vectors, 0 if that is not known yet.
    """

    mention_scorer: Any
    antecedent_scorer: Any
    top_lambda: float
    min_mentions: int
    max_span_length: int
    word_features: Dict[str, Any]
    learn_rate: float = 1.0
    width: int = 0

    @property
    def path(self) -> str:
        """Get the name of the source, for messages."""
        return "a new model"

    def load(self) -> Checkpoint:
        """Make scorers with random weights.

        RETURNS (Checkpoint): The model.
        RAISES (ValueError): The component is not initialized.
        """
        if not self.width:
            raise ValueError(Errors.FC017)
        config = {
            "format": FORMAT,
            "top_lambda": self.top_lambda,
            "min_mentions": self.min_mentions,
            "max_span_length": self.max_span_length,
            # Nothing is cut.
            "max_segment_len": sys.maxsize,
            "encoder": describe_block(TokenVectorsBlock(self.width, self.learn_rate)),
            "mention_scorer": describe_block(self.mention_scorer),
            "antecedent_scorer": describe_block(self.antecedent_scorer),
            "word_features": _describe_blocks(self.word_features),
        }
        network = make_network(config, self.path)
        return Checkpoint(config, read_tensors(network), "")


def _describe_blocks(blocks: Dict[str, Any]) -> Dict[str, Any]:
    return {name: describe_block(block) for name, block in blocks.items()}


@contextlib.contextmanager
def _no_progress_bar() -> Iterator[None]:
    """Keep transformers quiet, and leave the user's choice as it was."""
    was_enabled = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if was_enabled:
            logging.enable_progress_bar()


def is_trained(name_or_path: str) -> bool:
    """Tell trained models and pipelines with one from mere encoders.

    name_or_path (str): A folder, or a name on the hub.
    RETURNS (bool): Whether it has scorers of mentions and links.
    RAISES (ValueError): There is nothing, or no config.json in it.
    """
    config = read_config(find_model(name_or_path))
    return config.get("format") == FORMAT or _HEAD in config


def find_model(name_or_path: str) -> Path:
    """Find a model's folder, also inside a pipeline's.

    name_or_path (str): A folder of a model or of a pipeline, or a name on the hub.
    RETURNS (Path): The model's folder.
    RAISES (ValueError): There is none, or more than one, or config.cfg is broken.
    """
    path = find_folder(name_or_path)
    if not (path / _PIPELINE).is_file():
        return path
    with name_folder_in_errors(path / _PIPELINE):
        config = Config().from_disk(path / _PIPELINE, interpolate=False)
        factories = {n: c.get("factory") for n, c in config["components"].items()}
    found = find_components(factories)
    if len(found) != 1:
        raise ValueError(Errors.FC084.format(path=path, n_found=len(found)))
    return path / found[0] / "model"


def find_folder(name_or_path: str) -> Path:
    """Find a model's folder, fetching it from the hub if there is none here.

    name_or_path (str): A folder, or a name on the hub.
    RETURNS (Path): The folder.
    RAISES (ValueError): There is no such folder and no such name.
    """
    path = Path(name_or_path)
    if path.is_dir():
        return path
    try:
        return Path(snapshot_download(name_or_path, allow_patterns=list(_HUB_FILES)))
    except Exception as error:
        # The hub's client raises its own errors, the network's and ValueErrors.
        reason = str(error).strip().split("\n")[0]
        raise ValueError(
            Errors.FC010.format(path=name_or_path, reason=reason)
        ) from error
