"""Read and write the folders of models, with checksums, without torch."""

import contextlib
import copy
import hashlib
import json
import os
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Tuple, TypeVar, Union

import srsly
from safetensors import safe_open
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

Files = Dict[str, bytes]
T = TypeVar("T")


@contextlib.contextmanager
def name_folder_in_errors(path: Union[str, Path]) -> Iterator[None]:
    """Name the model folder in errors raised within the context.

    Use it only around code that reads the folder: elsewhere it would hide the errors of
    our own code. All errors become ValueErrors.
    """
    try:
        yield
    except Exception as error:
        # The libraries raise a dozen kinds of errors for broken settings and files.
        if is_ours(error) and str(path) in str(error):
            raise
        reason = f"{type(error).__name__}, {error}"
        raise ValueError(Errors.FC011.format(path=path, reason=reason)) from error


def read_folder(path: Path, names: Iterable[str], parse: Callable[[Files], T]) -> T:
    """Read the files of a model's folder, compare their checksums, and parse them."""
    remove_leftovers(path)
    with name_folder_in_errors(path):
        files = {}
        for name in names:
            with name_folder_in_errors((path / name).parent):
                # Not memory-mapped: the folder may be replaced while it is in use.
                files[name] = read_file(path / name)
        if (path / SUMS).exists():
            _check_sums(files, read_file(path / SUMS))
        return parse(files)


def parse_config(data: bytes, expected: str) -> Dict[str, Any]:
    """Parse the configuration of a model, and check that it is of a format."""
    config = json.loads(data.decode("utf8"))
    found = config.get("format") if isinstance(config, dict) else config
    if found != expected:
        raise ValueError(f"{CONFIG} has the format {found!r} in place of {expected!r}")
    return config


def add_sums(files: Files) -> Files:
    """Add the file of checksums to the contents of the files by name."""
    sums = (f"{_compute_sum(files[name])}  {name}\n" for name in sorted(files))
    return {**files, SUMS: "".join(sums).encode("utf8")}


def read_file(path: Path) -> bytes:
    """Read a regular file of a model's folder, if it is not too large."""
    check_file(path, most=SIZES.get(path.name))
    if path.name == WEIGHTS:
        # Check the header, before reading all of a large file.
        with safe_open(path, framework="numpy"):
            pass
    return path.read_bytes()


def _check_sums(files: Files, sums: bytes) -> None:
    lines = {*sums.decode("utf8", errors="replace").split("\n")}
    for name in sorted(files.keys() - {SUMS}):
        if f"{_compute_sum(files[name])}  {name}" not in lines:
            raise ValueError(
                f"it was changed after it was saved: the checksum of {name} is not the "
                f"one in {SUMS}"
            )


def _compute_sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def hide_folders(settings: Any) -> Any:
    """Replace the paths of this machine in settings by the names of what is there."""
    if isinstance(settings, dict):
        return {key: hide_folders(value) for key, value in settings.items()}
    if isinstance(settings, (list, tuple)):
        return [hide_folders(value) for value in settings]
    if isinstance(settings, (str, Path)):
        path = Path(settings)
        is_here = path.is_absolute() or ".." in path.parts or os.path.exists(path)
        return path.name if is_here else settings
    return settings


def write_folder(path: Union[str, Path], files: Files) -> None:
    """Write a model's folder, either completely or not at all."""
    with replace_folder(Path(path)) as new:
        for name, content in files.items():
            (new / name).parent.mkdir(exist_ok=True)
            (new / name).write_bytes(content)


Self = TypeVar("Self", bound="SavedModel")


class SavedModel(Model[List[Doc], List[Links]], CorefModel):
    """A model of a few files, in a folder or in bytes, with checksums.

    If saving or loading fails, the folder or the model is as it was.
    """

    def get_file_names(self) -> Tuple[str, ...]:
        """List the names of the files, without that of the checksums."""
        raise NotImplementedError

    def make_files(self) -> Files:
        """Make the contents of the files by name, with checksums."""
        raise NotImplementedError

    def set_files(self, files: Files, origin: str) -> None:
        """Read the contents of the files, running no code from them; `origin` is for
        error messages. If they are broken, raise an error and leave the model alone."""
        raise NotImplementedError

    def to_bytes(self) -> bytes:
        return srsly.msgpack_dumps(self.make_files())

    def from_bytes(self: Self, bytes_data: bytes) -> Self:
        with name_bytes_in_errors():
            files = srsly.msgpack_loads(bytes_data)
            names = *self.get_file_names(), SUMS
            if not isinstance(files, dict) or not all(
                isinstance(files.get(name), bytes) for name in names
            ):
                raise ValueError("a part is missing")
            _check_sums(files, files[SUMS])
            self.set_files(files, BYTES)
        return self

    def _copy(self: Self, seen: Any = None) -> Self:
        # Thinc's method would make a plain Model, without the methods of the class.
        return copy.deepcopy(self)

    def to_disk(self, path: Union[str, Path]) -> None:
        write_folder(path, self.make_files())

    def from_disk(self: Self, path: Union[str, Path]) -> Self:
        set_files = partial(self.set_files, origin=str(path))
        read_folder(Path(path), self.get_file_names(), set_files)
        return self
