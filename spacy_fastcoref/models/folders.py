"""Read and write the folders of models, with checksums, without torch."""

import configparser
import contextlib
import hashlib
import json
import os
from functools import partial
from pathlib import Path
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Tuple,
    TypeVar,
    Union,
)

import srsly
from safetensors import SafetensorError, safe_open
from spacy.tokens import Doc
from thinc.api import Model

from ..errors import Errors, is_ours, name_bytes_in_errors
from ..files import check_file, remove_leftovers, replace_folder
from ..types import CorefModel, Links

CONFIG = "config.json"
WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"
# The checksums of the other files, as `sha256sum --check SHA256SUMS` reads them.
SUMS = "SHA256SUMS"
# The largest size of each file, in bytes; None for any size.
SIZES = {CONFIG: 1 << 24, WEIGHTS: None, TOKENIZER: 1 << 28, SUMS: 1 << 16}
# The origin of a model that was loaded from bytes, for error messages.
BYTES = "the bytes it was loaded from"
# The errors that torch, transformers and Python raise for broken settings and files.
_REASONS = (
    configparser.Error,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    SafetensorError,
    TypeError,
    ValueError,
)

T = TypeVar("T")


@contextlib.contextmanager
def refuse_broken(path: Union[str, Path]) -> Iterator[None]:
    """Turn the errors of reading and parsing a folder's files into ValueErrors."""
    try:
        yield
    except (*_REASONS, MemoryError) as error:
        reason = str(error) or type(error).__name__
        raise ValueError(Errors.FC011.format(path=path, reason=reason)) from error


def read_folder(path: Path, names: Iterable[str], parse: Callable[..., T]) -> T:
    """Read the files of a model's folder, and compare their checksums.

    parse (Callable[[Dict[str, bytes]], T]): Parses the contents of the files by name.
    RETURNS (T): What it returned.
    RAISES (ValueError): A file is missing or broken, or does not fit its checksum.
    """
    remove_leftovers(path)
    files, changed = {}, None
    for name in names:
        with refuse_broken((path / name).parent):
            # Not memory-mapped: the folder may be replaced while the model is in use.
            files[name] = read_file(path / name)
    with refuse_broken(path):
        if (path / SUMS).exists():
            changed = find_changed(files, read_file(path / SUMS))
    if changed is not None:
        raise ValueError(Errors.FC140.format(path=path, name=changed, sums=SUMS))
    with refuse_broken(path):
        return parse(files)


def unpack_files(data: bytes, names: Iterable[str], parse: Callable[..., T]) -> T:
    """Read the files of a model from msgpack; see read_folder."""
    with name_bytes_in_errors():
        files = srsly.msgpack_loads(data)
        if not isinstance(files, dict) or not all(
            isinstance(files.get(name), bytes) for name in (*names, SUMS)
        ):
            raise ValueError("a part is missing")
        changed = find_changed(files, files[SUMS])
        if changed is not None:
            raise ValueError(f"the checksum of {changed} is not the right one")
        return parse(files)


def parse_config(data: bytes, expected: str) -> Dict[str, Any]:
    """Parse the configuration of a model, and check that it is of a format.

    RAISES (ValueError): It is broken, or of another format.
    """
    config = json.loads(data.decode("utf8"))
    found = config.get("format") if isinstance(config, dict) else config
    if found != expected:
        raise ValueError(
            Errors.FC015.format(
                path=CONFIG, key="format", value=found, expected=repr(expected)
            )
        )
    return config


def add_sums(files: Dict[str, bytes]) -> Dict[str, bytes]:
    """Add the file of checksums to the contents of the files by name."""
    sums = (f"{compute_sum(files[name])}  {name}\n" for name in sorted(files))
    return {**files, SUMS: "".join(sums).encode("utf8")}


def read_file(path: Path) -> bytes:
    """Read a file of a model's folder.

    RAISES (OSError): The file is missing, not a regular file, or too large.
    RAISES (SafetensorError): The header of the weights is broken, or does not fit the
        size of the file.
    """
    check_file(path, most=SIZES.get(path.name))
    if path.name == WEIGHTS:
        # Check the header, before reading all of a large file.
        with safe_open(path, framework="numpy"):
            pass
    return path.read_bytes()


def find_changed(files: Mapping[str, bytes], sums: bytes) -> Optional[str]:
    """Find a file that does not fit its checksum.

    RETURNS (Optional[str]): The name of the first such file; None if all files fit.
    """
    lines = {*sums.decode("utf8", errors="replace").split("\n")}
    for name in sorted(files.keys() - {SUMS}):
        if f"{compute_sum(files[name])}  {name}" not in lines:
            return name
    return None


def compute_sum(data: bytes) -> str:
    """Compute the checksum of a file's contents: the SHA-256, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def hide_folders(settings: Any) -> Any:
    """Replace the paths of this machine in settings by the names of what is there.

    RETURNS (Any): The same, in which no path tells where it was made.
    """
    if isinstance(settings, dict):
        return {key: hide_folders(value) for key, value in settings.items()}
    if isinstance(settings, (list, tuple)):
        return [hide_folders(value) for value in settings]
    if isinstance(settings, (str, Path)):
        path = Path(settings)
        is_here = path.is_absolute() or ".." in path.parts or os.path.exists(path)
        return path.name if is_here else settings
    return settings


def write_folder(path: Union[str, Path], files: Mapping[str, bytes]) -> None:
    """Write a model's folder, either completely or not at all."""
    with replace_folder(Path(path)) as new:
        for name, content in files.items():
            (new / name).parent.mkdir(exist_ok=True)
            (new / name).write_bytes(content)


@contextlib.contextmanager
def name_folder_in_errors(path: Union[str, Path]) -> Iterator[None]:
    """Name the model folder in errors raised within the context.

    Use it only around code that reads the folder's settings: elsewhere it would hide
    the errors of our own code. All errors become ValueErrors.
    """
    try:
        yield
    except _REASONS as error:
        if is_ours(error):
            raise
        reason = f"{type(error).__name__}, {error}"
        raise ValueError(Errors.FC011.format(path=path, reason=reason)) from error


Self = TypeVar("Self", bound="SavedModel")


class SavedModel(Model[List[Doc], List[Links]], CorefModel):
    """A model of a few files, in a folder or in bytes, with checksums."""

    def get_file_names(self) -> Tuple[str, ...]:
        """List the names of the files, without that of the checksums."""
        raise NotImplementedError

    def make_files(self) -> Dict[str, bytes]:
        """Make the contents of the files by name, with checksums."""
        raise NotImplementedError

    def set_files(self, files: Dict[str, bytes], origin: str) -> None:
        """Read the contents of the files, running no code from them.

        origin (str): Where they are from, for error messages.
        RAISES (Exception): They are broken; the model is then as it was.
        """
        raise NotImplementedError

    def to_bytes(self) -> bytes:
        """Write the files of the model's folder in one msgpack.

        RETURNS (bytes): The bytes.
        """
        return srsly.msgpack_dumps(self.make_files())

    def from_bytes(self: Self, bytes_data: bytes) -> Self:
        """Read the model from bytes, running no code from them.

        bytes_data (bytes): What to_bytes wrote.
        RETURNS (SavedModel): This object.
        RAISES (ValueError): The bytes are broken; the model is then as it was.
        """
        set_files = partial(self.set_files, origin=BYTES)
        unpack_files(bytes_data, self.get_file_names(), set_files)
        return self

    def to_disk(self, path: Union[str, Path]) -> None:
        """Save the model as a folder of safetensors and JSON.

        If saving fails, a folder that was there is left unchanged.

        path (Union[str, Path]): The folder. An existing folder is replaced.
        """
        write_folder(path, self.make_files())

    def from_disk(self: Self, path: Union[str, Path]) -> Self:
        """Load the model from a folder, without running code from it.

        path (Union[str, Path]): The folder.
        RETURNS (SavedModel): This object.
        RAISES (ValueError): The folder is broken; the model is then as it was.
        """
        set_files = partial(self.set_files, origin=str(path))
        read_folder(Path(path), self.get_file_names(), set_files)
        return self
